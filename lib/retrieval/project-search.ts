// The files of one project, asked in one place: from the index of passages, which is brought up to date first, or from
// one in memory if there is none or it cannot be written. Reports the extent of the search.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTick } from 'node:timers/promises';
import { CatalogEdit } from '../catalog/catalog-edit.ts';
import type { FoundInProject, ProjectFiles, ProjectListing, ProjectQuestion } from '../discovery/types.ts';
import { unlessAborted } from '../platform/waiting.ts';
import { readQuery } from '../ranking/words.ts';
import { type CountedWords, wordsNowhere } from './find-by-words.ts';
import { indexFiles } from './index-files.ts';
import type { PassageStore } from './passage-store.ts';
import { rankTexts } from './rank-texts.ts';
import { sourcesIn } from './recall-scope.ts';
import { type FoundPassage, retrieve } from './retrieve.ts';
import { PASSAGES_FORM } from './schema.ts';

interface ProjectSearchOptions {
  readonly files: ProjectFiles;
  /** Takes secrets out of a text. Default: leaves it as it is. */
  readonly clean?: (() => Promise<(text: string) => string>) | undefined;
  /** The index of passages; undefined where there is none. */
  readonly store?: (() => Promise<PassageStore | undefined>) | undefined;
}

type ProjectAnswer = FoundInProject<FoundPassage>;

const UPDATE_MS = 60_000;
const FILES_BETWEEN_BREATHS = 32;

export class ProjectSearch {
  readonly #options: ProjectSearchOptions;
  #memory: Promise<DatabaseSync> | undefined;

  constructor(options: ProjectSearchOptions) {
    this.#options = options;
  }

  /** @throws the reason of `signal`, and the errors of the files */
  async find(question: string, request: ProjectQuestion<FoundPassage>): Promise<ProjectAnswer> {
    const { signal } = request;
    const files = listedOnce(this.#options.files, signal);
    const listing = await files.list({ signal });
    const [clean, store] = await Promise.all([this.#options.clean?.(), this.#options.store?.()]);
    const options = { clean: clean ?? ((text: string) => text), signal };
    const answer = (database: DatabaseSync, uncut?: CountedWords) =>
      answerFrom(database, { question, listing, root: files.root, uncut, ...request });
    const updated = await store?.update({ files, ...options, question, budgetMs: UPDATE_MS });
    if (store !== undefined && updated?.kind !== 'refused') {
      const uncut = updated?.kind === 'done' ? updated.uncut : undefined;
      const asked = await store.ask((database) => answer(database, uncut));
      if (asked.kind === 'done') return { ...asked.value, left: updated?.kind === 'done' ? updated.left : 0 };
    }
    this.#memory ??= inMemory();
    const database = await this.#memory;
    const { left, uncut } = await indexFiles(new CatalogEdit(database), files, { ...options, question });
    return { ...answer(database, uncut), left };
  }

  /** Ranks other texts, such as messages: the indexes of those that answer it, best first. */
  rank(question: string, texts: readonly string[]): Promise<readonly number[]> {
    return rankTexts(question, texts);
  }
}

async function inMemory(): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  const database = new Database(':memory:');
  database.exec(PASSAGES_FORM.schema);
  return database;
}

/** Listed once for a question, and read with a pause from time to time, in which an abort may come. */
function listedOnce(files: ProjectFiles, signal: AbortSignal): ProjectFiles {
  let listing: Promise<ProjectListing> | undefined;
  let reads = 0;
  return {
    root: files.root,
    list(options) {
      listing ??= unlessAborted(files.list(options), signal);
      return listing;
    },
    async read(path) {
      reads += 1;
      if (reads % FILES_BETWEEN_BREATHS === 0) await nextTick();
      return unlessAborted(files.read(path), signal);
    },
    stampOf: (path) => files.stampOf?.(path),
  };
}

interface Asked extends ProjectQuestion<FoundPassage> {
  readonly question: string;
  readonly listing: ProjectListing;
  readonly root: string;
  readonly uncut: CountedWords | undefined;
}

function answerFrom(
  database: DatabaseSync,
  { question, listing, root, limit, isLeftOut, uncut }: Asked,
): Omit<ProjectAnswer, 'left'> {
  const scope = { project: root, kind: 'file' as const };
  const passages = retrieve(database, { question, limit, scope, isLeftOut, uncut });
  const sources = sourcesIn(database, scope).map(({ number }) => number);
  const skipped = database
    .prepare("SELECT skipped, count(*) AS n FROM sources WHERE kind = 'file' AND home = ? AND skipped <> '' GROUP BY 1")
    .all(root);
  return {
    passages,
    missing: wordsNowhere(database, readQuery(question), sources, uncut),
    files: listing.paths.length,
    paths: listing.paths,
    isCut: listing.isCut,
    skipped: Object.fromEntries(skipped.map((row) => [String(row.skipped), Number(row.n)])),
  };
}
