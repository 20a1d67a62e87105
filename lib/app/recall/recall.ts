// `ollm recall`, `/recall`, the tool of that name, and the automatic search of a turn: the passages of sessions and
// project files that answer a question. New content is indexed first, as far as that takes a moment; the rest waits for
// the next time, and the answer reports that.
import { dirname, join } from 'node:path';
import { adviceOn } from '../../catalog/why-unusable.ts';
import type { ProjectFiles } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { PassageUpdate } from '../../retrieval/passage-store.ts';
import type { FoundPassage, RecallScope } from '../../retrieval/retrieve.ts';
import { PASSAGES_NAME } from '../../retrieval/schema.ts';
import type { App } from '../app.ts';
import { missingAfter, syncSessions } from '../import/sync-sessions.ts';
import { hiddenSessions } from '../list/foreign-notes.ts';
import { projectFiles } from '../repository/project-files.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

export type { FoundPassage, RecallScope } from '../../retrieval/retrieve.ts';

export interface RecallRequest {
  readonly text: string;
  /** Default: 8. */
  readonly limit?: number | undefined;
  readonly scope?: RecallScope | undefined;
  /** Passages that are not wanted. */
  readonly isLeftOut?: ((passage: FoundPassage) => boolean) | undefined;
}

export interface RecallAnswer {
  readonly passages: readonly FoundPassage[];
  /** Sources that were not searched, each as a sentence. */
  readonly notes: readonly string[];
}

interface RecallingOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long sessions that have changed are read before the search, and as long again files. Default: a minute. */
  readonly updateMs?: number | undefined;
  /** How long the vector of the question may take. Default: 10 seconds. */
  readonly vectorMs?: number | undefined;
  /** How long vectors of passages are waited for, which are made in the background. Default: 10 seconds. */
  readonly waitMs?: number | undefined;
  /** Called before each file and session that is read, and while vectors are waited for. */
  readonly onProgress?: PassageUpdate['onProgress'];
}

const DEFAULT_LIMIT = 8;
const UPDATE_MS = 60_000;
const VECTOR_MS = 10_000;
const WAIT_MS = 10_000;

/**
 * @example
 * const { passages } = await recall(app, { text: 'why did the build fail', scope: { project: app.paths.project } });
 * @throws OllmError USAGE (there is no word to look for), IO_FAILED (the index cannot be used)
 */
export async function recall(
  app: App,
  { text, limit = DEFAULT_LIMIT, scope = {}, isLeftOut }: RecallRequest,
  { signal, updateMs = UPDATE_MS, vectorMs = VECTOR_MS, waitMs = WAIT_MS, onProgress }: RecallingOptions = {},
): Promise<RecallAnswer> {
  if (text.trim() === '') throw new OllmError('USAGE', 'A recall needs a question, or the words of one.');
  const passages = await app.passages();
  if (passages === undefined) throw unusable(app, 'is not kept for sessions in memory');
  const notes = await bringUpToDate(app, { scope, signal, updateMs, onProgress });
  const embeddings = await app.embeddings();
  const asked = await embeddings?.question(text, { signal, timeoutMs: vectorMs });
  const hidden = hiddenSessions(app);
  const isHidden = ({ place }: FoundPassage) => hidden.has(place.slice(0, Math.max(0, place.indexOf('#'))));
  const request = {
    question: text,
    limit,
    scope,
    isLeftOut: (passage: FoundPassage) => isHidden(passage) || (isLeftOut?.(passage) ?? false),
  };
  const dimensions = asked?.vector?.vector.length;
  const sendable = async () => (await import('./embeddings.ts')).sendableSources(app);
  const behind =
    dimensions === undefined
      ? []
      : await embeddings!.catchUp(scope, { dimensions, signal, waitMs, sendable, onProgress });
  let found = await passages.retrieve(request, asked?.vector);
  if (found.kind === 'refused') {
    // Damage shows where it is read: the next write makes the file again.
    notes.push(...(await bringUpToDate(app, { scope, signal, updateMs, onProgress })));
    found = await passages.retrieve(request);
  }
  if (found.kind === 'refused') throw unusable(app, found.reason);
  const answer = found.kind === 'done' ? found.value : { passages: [], notes: [] };
  const all = [...notes, ...(asked?.notes ?? []), ...behind, ...answer.notes];
  return { passages: answer.passages, notes: [...new Set(all)] };
}

/** Why a passage was found, for a person: its places in the orders, and the words. */
export function reasonOf({ ranks, words }: FoundPassage): string {
  const reasons = [
    ...(ranks.words === undefined ? [] : [`${ranks.words} by words (${words.join(', ')})`]),
    ...(ranks.meaning === undefined ? [] : [`${ranks.meaning} by meaning`]),
  ];
  return `rank ${reasons.join(', ')}`;
}

interface Updating {
  readonly scope: RecallScope;
  readonly signal: AbortSignal | undefined;
  readonly updateMs: number;
  readonly onProgress: PassageUpdate['onProgress'];
}

async function bringUpToDate(app: App, { scope, signal, updateMs, onProgress }: Updating): Promise<string[]> {
  const ofFilesAlone = scope.kind === 'file';
  const notes = ofFilesAlone
    ? []
    : [...missingAfter(await syncSessions(app, { signal, budgetMs: updateMs, only: 'own' }))];
  const passages = await app.passages();
  const redact = await app.redactor();
  const updated = await passages!.update({
    ask: app.catalog.ask,
    readBlob: (name) => app.store.readBlob(name),
    clean: (each) => redact(each).text,
    files: filesIn(app, scope),
    signal,
    budgetMs: updateMs,
    onProgress,
  });
  if (updated.kind === 'refused') notes.push(`The index of passages ${updated.reason}: what is new is missing here.`);
  if (updated.kind === 'busy') notes.push('Another process brings the index up to date: what is new may be missing.');
  if (updated.kind === 'done' && updated.left > 0)
    notes.push(`${updated.left} files and sessions are not indexed yet: ask again, and more of them are.`);
  return notes;
}

/** All of a home directory, or of a machine, is not a project. */
function filesIn(app: App, { kind, project: wanted = app.cwd }: RecallScope): ProjectFiles | undefined {
  const { project } = app.paths;
  const root = isInside(project, wanted) ? project : wanted;
  if (kind === 'session' || root === dirname(root) || root === homeDirectoryOf(app)) return undefined;
  return projectFiles(app, { root, maxKeptCharacters: 0 });
}

function unusable({ paths }: App, reason: string): OllmError {
  return new OllmError('IO_FAILED', `The index of passages ${reason}.`, {
    hint: adviceOn(reason, { path: join(paths.home, PASSAGES_NAME), remade: 'the next question makes it again' }),
  });
}
