// `/revert` and `ollm revert`: restores files that tools changed. First a plan, with the effect and the difference for
// each file; then exactly that is done. A file that changed after the tool, is outside of the project or has no kept
// content stays unchanged. The plan is in the journal before the first file changes, so that after a crash it is known,
// and can be finished: a file that has its earlier content counts as put back.
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { OllmError } from '../../../errors/index.ts';
import type { EventData } from '../../../events/index.ts';
import type { JournalStore } from '../../../journal/types.ts';
import { relativeInside } from '../../../platform/files/inside.ts';
import { realPathOf } from '../../../platform/files/io.ts';
import {
  type BegunRevert,
  type FileChange,
  type FileChangesState,
  fileChangesFold,
  type OpaqueCall,
} from '../../../projections/file-changes.ts';
import { replay } from '../../../projections/replay.ts';
import type { Session } from '../../../session/session.ts';
import { asFailure } from '../../../tools/builtin/opened-file.ts';
import { type Before, PERMISSIONS, readBefore, removeFile, replaceFile } from '../../../tools/builtin/replaced-file.ts';
import { unifiedDiff } from '../../../tools/builtin/unified-diff.ts';
import { decodeText, isText } from '../../../tools/kind-of-bytes.ts';
import { createPlaces, type PolicyPlaces } from '../../../tools/policy/places.ts';
import { ToolFailure } from '../../../tools/tool.ts';
import type { App } from '../../app.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { closedPlaces } from '../../policy/closed-places.ts';
import { homeDirectoryOf } from '../../start/home-directory.ts';

/** Which files go back, and how far. */
export interface RevertRequest {
  /**
   * seq of an event: the files as they were then. Default: an unfinished revert; else as they were before the session
   * changed them.
   */
  readonly since?: number | undefined;
  /** Files or directories, from the working directory on. Default: all. */
  readonly paths?: readonly string[] | undefined;
  /** The direction of the differences in a plan: the effect of putting back (default), or the tools' changes. */
  readonly diffs?: DiffDirection | undefined;
}

type DiffDirection = 'back' | 'made';

/** What happens to a file. `same`: it is as it was already; `refuse`: it stays as it is. */
type RevertEffect = 'restore' | 'make' | 'remove' | 'same' | 'refuse';

export interface PlannedFile {
  readonly path: string;
  /** From the root of the project on, or absolute. */
  readonly shown: string;
  readonly effect: RevertEffect;
  /** Why it is refused, as a sentence. */
  readonly reason?: string | undefined;
  /** A unified diff in the direction that was asked for; empty where one side is unknown, or not text. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

export interface RevertPlan {
  readonly since: number;
  readonly files: readonly PlannedFile[];
  /** Calls after `since` whose effects cannot be put back. */
  readonly opaque: readonly OpaqueCall[];
  /** A revert that was begun when the program ended, and is not finished. */
  readonly begun?: BegunRevert | undefined;
}

/** A session in which files were changed. */
interface ChangedSession {
  readonly id: string;
  readonly store: Pick<JournalStore, 'openReader' | 'readBlob'>;
}

/**
 * What putting files back would do. Changes nothing.
 *
 * @example
 * const plan = await planRevert(app, { id: session.id, store }, { paths: ['src'] });
 * @throws OllmError SESSION_NOT_FOUND, USAGE: no tool changed a file of this name
 */
export async function planRevert(app: App, from: ChangedSession, request: RevertRequest = {}): Promise<RevertPlan> {
  const state = await changesOf(from);
  const isOpen = request.since === undefined && request.paths === undefined;
  const { since = 0, paths } = (isOpen && state.begun) || request;
  const chosen = behind(state, since);
  const wanted = paths === undefined ? chosen : chosen.filter(([path]) => isNamed(app, path, paths));
  requireAll(app, wanted, request.paths);
  const files: PlannedFile[] = [];
  for (const [path, changes] of wanted) {
    const chain = changes.filter(({ seq }) => seq > since);
    files.push((await planFile(app, from, { path, changes: chain }, request.diffs)).file);
  }
  return { since, files, opaque: state.opaque.filter(({ seq }) => seq > since), begun: state.begun };
}

/** The files that tools changed after an event and that were not put back. */
export async function changedSince(from: ChangedSession, since: number): Promise<readonly string[]> {
  return behind(await changesOf(from), since).map(([path]) => path);
}

/** Whether tools changed files after an event, or may have. */
export async function hasEffects(from: ChangedSession, since: number): Promise<boolean> {
  const state = await changesOf(from);
  return behind(state, since).length > 0 || state.opaque.some(({ seq }) => seq > since);
}

function behind({ files }: FileChangesState, since: number) {
  return [...files].filter(([, changes]) => changes.some(({ seq }) => seq > since));
}

/** The outcome for a file. */
export interface RevertedFile {
  readonly path: string;
  readonly shown: string;
  readonly outcome: NonNullable<EventData<'files.reverted'>['files'][number]['outcome']>;
  readonly reason?: string | undefined;
}

/**
 * Carries out a plan, file by file. A file that changed after the plan was made stays unchanged.
 *
 * @throws what an append throws
 */
export function revertFiles(
  app: App,
  { session, store }: { readonly session: Session; readonly store: ChangedSession['store'] },
  plan: RevertPlan,
): Promise<readonly RevertedFile[]> {
  return session.exclusively(async () => {
    const { since } = plan;
    const from = { id: session.id, store };
    const { files: changed } = await changesOf(from);
    const todo = plan.files.filter(({ effect }) => effect !== 'refuse');
    if (todo.length > 0) {
      const begun = { since, status: 'begun', files: todo.map(({ path }) => ({ path })) } as const;
      await session.append({ type: 'files.reverted', data: begun }, { durability: 'disk' });
    }
    const done: RevertedFile[] = [];
    for (const file of plan.files) {
      const changes = (changed.get(file.path) ?? []).filter(({ seq }) => seq > since);
      done.push(await revertFile(app, from, { file, changes }));
    }
    const files = done.map(({ path, outcome, reason }) => ({ path, outcome, reason }));
    await session.append({ type: 'files.reverted', data: { since, status: 'done', files } }, { durability: 'disk' });
    return done;
  });
}

async function changesOf({ store, id }: ChangedSession): Promise<FileChangesState> {
  return readJournal(store, id, async (reader) => {
    const { states } = await replay(reader, { changes: fileChangesFold });
    return states.changes;
  });
}

function isNamed({ cwd, fileSystem }: App, path: string, paths: readonly string[]): boolean {
  return paths.some((given) => {
    const wanted = resolve(cwd, given);
    return [wanted, realPathOf(fileSystem, wanted) ?? wanted].some((each) => relativeInside(each, path) !== undefined);
  });
}

function requireAll(app: App, wanted: readonly (readonly [string, unknown])[], paths: readonly string[] = []): void {
  const missing = paths.find((given) => !wanted.some(([path]) => isNamed(app, path, [given])));
  if (missing === undefined) return;
  throw new OllmError('USAGE', `No tool of this session changed ${missing}, or it is put back already.`, {
    hint: 'Without a path it says which files were changed.',
  });
}

interface ChangedPath {
  readonly path: string;
  /** The changes to undo, the oldest first. At least one. */
  readonly changes: readonly FileChange[];
}

interface FilePlan {
  readonly file: PlannedFile;
  /** The present content, as it was read. */
  readonly before?: Before | undefined;
  /** The new content of the file; undefined if it is to be removed, or stays. */
  readonly content?: Uint8Array | undefined;
}

async function planFile(
  app: App,
  from: ChangedSession,
  { path, changes }: ChangedPath,
  diffs: DiffDirection = 'back',
): Promise<FilePlan> {
  const shown = relativeInside(rootOf(app), path) ?? path;
  const unknown = { path, shown, diff: '', addedLines: 0, removedLines: 0 };
  const refuse = (reason: string): FilePlan => ({ file: { ...unknown, effect: 'refuse', reason } });
  try {
    const closed = whyClosed(app, path);
    if (closed !== undefined) return refuse(`${shown} ${closed}`);
    const before = readBefore(app.fileSystem, { path, shown });
    const now = before.kind === 'missing' ? undefined : before.bytes;
    const { before: target } = changes[0]!;
    const mode = modeBefore(changes);
    const hasMode = before.kind === 'missing' || mode === undefined || (before.stat.mode & PERMISSIONS) === mode;
    if (sha256Of(now) === target?.sha256 && hasMode) return { file: { ...unknown, effect: 'same' } };
    const steps = stepsBack(changes, sha256Of(now));
    const content = target && (await contentBefore(from, steps ?? changes, now));
    if (target !== undefined && content === undefined) {
      return refuse(steps === undefined ? changedReason(shown, changes, now) : notKeptReason(shown, target.notKept));
    }
    const found = {
      ...unknown,
      ...(await (diffs === 'back' ? differenceOf(shown, now, content) : differenceOf(shown, content, now))),
    };
    if (steps === undefined) {
      return { file: { ...found, effect: 'refuse', reason: changedReason(shown, changes, now) } };
    }
    const effect = target === undefined ? 'remove' : now === undefined ? 'make' : 'restore';
    return { file: { ...found, effect }, before, content };
  } catch (error) {
    const failure = asFailure(error, { path, shown }, 'read');
    if (failure instanceof ToolFailure) return refuse(failure.message);
    throw error;
  }
}

async function revertFile(
  app: App,
  from: ChangedSession,
  { file, changes }: { readonly file: PlannedFile; readonly changes: readonly FileChange[] },
): Promise<RevertedFile> {
  const { path, shown } = file;
  const done = (outcome: RevertedFile['outcome'], reason?: string): RevertedFile => ({ path, shown, outcome, reason });
  const meanwhile = `${shown} was changed in the meantime.`;
  if (file.effect === 'refuse') return done('refused', file.reason);
  if (changes.length === 0) return done('refused', `${shown} was put back in the meantime.`);
  const now = await planFile(app, from, { path, changes });
  const { before, content } = now;
  if (now.file.effect === 'same') return done('same');
  // Only the shown change is made.
  const isAsShown = now.file.effect === file.effect && now.file.diff === file.diff;
  if (!isAsShown || before === undefined) return done('refused', now.file.reason ?? meanwhile);
  try {
    if (content === undefined) {
      const made = changes.find(({ madeDirectory }) => madeDirectory !== undefined)?.madeDirectory;
      await removeFile(app, file, before, made);
      return done('removed');
    }
    const mode = before.kind === 'missing' ? changes[0]?.before?.mode : modeBefore(changes);
    await replaceFile(app, file, before, content, mode);
    return done(file.effect === 'make' ? 'made' : 'restored');
  } catch (error) {
    if (error instanceof ToolFailure) return done('refused', error.message);
    throw error;
  }
}

/**
 * The permissions to give back. A file that a tool removed on the way is another one since, with those of a new file;
 * any other keeps the ones it has, which the user may have changed.
 */
function modeBefore(changes: readonly FileChange[]): number | undefined {
  return changes.some(({ after }) => after === undefined) ? changes[0]?.before?.mode : undefined;
}

/**
 * The changes that were made, if each continues from the one before and the last gives the present content: undefined
 * if not. A change by a call that did not end well may not have been made.
 */
function stepsBack(changes: readonly FileChange[], now: string | undefined): readonly FileChange[] | undefined {
  const steps: FileChange[] = [];
  let sha256 = now;
  for (const change of changes.toReversed()) {
    if (change.after?.sha256 === sha256) {
      steps.unshift(change);
      sha256 = change.before?.sha256;
    } else if (change.before?.sha256 !== sha256) return undefined;
  }
  return sha256 === changes[0]?.before?.sha256 ? steps : undefined;
}

/** The content of the file before the oldest of the changes; undefined if it is stored nowhere. */
async function contentBefore(
  { store }: ChangedSession,
  changes: readonly FileChange[],
  now: Uint8Array | undefined,
): Promise<Uint8Array | undefined> {
  // Only a content that is not stored whole needs the later ones.
  const whole = changes.findIndex(({ before }) => before?.blob !== undefined && !before.shared);
  let content = now;
  for (const { before } of changes.slice(0, whole < 0 ? undefined : whole + 1).toReversed()) {
    const kept = before?.blob === undefined ? undefined : await store.readBlob(before.blob);
    if (before === undefined || kept === undefined) return undefined;
    content = before.shared ? between(content, before.shared, kept) : kept;
    if (sha256Of(content) !== before.sha256) return undefined;
  }
  return content;
}

function between(
  content: Uint8Array | undefined,
  { start, end }: { readonly start: number; readonly end: number },
  middle: Uint8Array,
): Uint8Array | undefined {
  if (content === undefined || start + end > content.length) return undefined;
  return Buffer.concat([content.subarray(0, start), middle, content.subarray(content.length - end)]);
}

async function differenceOf(shown: string, old: Uint8Array | undefined, next: Uint8Array | undefined) {
  const sides = [old, next].filter((bytes) => bytes !== undefined);
  if (!sides.every(isText)) return { diff: '', addedLines: 0, removedLines: 0 };
  const { text, addedLines, removedLines } = await unifiedDiff(
    shown,
    old && decodeText(old),
    decodeText(next ?? new Uint8Array()),
  );
  return { diff: text, addedLines, removedLines };
}

function changedReason(shown: string, changes: readonly FileChange[], now: Uint8Array | undefined): string {
  if (now === undefined) return `${shown} is gone: it was not a tool of this session that removed it.`;
  if (changes.at(-1)?.after?.sha256 === sha256Of(now))
    return `${shown} was also changed by another program between two calls of tools.`;
  return `${shown} was changed after the tools had changed it.`;
}

function notKeptReason(shown: string, why: NonNullable<FileChange['before']>['notKept']): string {
  switch (why) {
    case 'secret':
      return `${shown} cannot be put back: what was replaced holds a secret, which is not stored.`;
    case 'outputs-off':
      return `${shown} cannot be put back: retention.storeToolOutputs is off, so its content was not kept.`;
    case undefined:
      return `${shown} cannot be put back: its content before is not among the attachments of the session.`;
  }
}

/** A journal may name any path: only those that a tool may write now are written. */
function whyClosed(app: App, path: string): string | undefined {
  const places = placesOf(app);
  if (places.isHidden(path)) return 'may hold keys or other secrets, which are not touched.';
  if (places.isProtected(path)) return 'decides what runs later, or what was recorded; it is not touched.';
  if (!places.isWritable(path)) return `is outside the project ${rootOf(app)}. Go to its directory to put it back.`;
  for (let each = path; ; each = resolve(each, '..')) {
    if (app.fileSystem.stat(each) === undefined) continue;
    return realPathOf(app.fileSystem, each) === each ? undefined : 'leads elsewhere than when it was changed.';
  }
}

function placesOf(app: App): PolicyPlaces {
  const { config, paths, fileSystem } = app;
  const closed = closedPlaces(app);
  return createPlaces({
    root: rootOf(app),
    homeDirectory: homeDirectoryOf(app),
    readable: config.tools.readable,
    writable: config.tools.writable,
    hidden: [...closed.hidden, paths.home],
    protected: [...closed.protected, paths.home],
    realPath: (path) => realPathOf(fileSystem, path) ?? path,
  });
}

function rootOf({ fileSystem, paths }: App): string {
  return realPathOf(fileSystem, paths.project) ?? paths.project;
}

function sha256Of(bytes: Uint8Array | undefined): string | undefined {
  return bytes && hash('sha256', bytes, 'hex');
}
