// The index of passages: brought up to date with sessions and files, asked, and made to forget. One process at a time
// brings it up to date; others use its present content. No method fails because of the index's own file: the outcome
// reports it.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogEdit } from '../catalog/catalog-edit.ts';
import { type CatalogOutcome, type CatalogPorts, DerivedFile } from '../catalog/derived-file.ts';
import type { ProjectFiles } from '../discovery/types.ts';
import type { Clock } from '../platform/clock.ts';
import { orderByMeaning, type QuestionVector } from './by-meaning.ts';
import { type IndexedSources, type IndexingOptions, indexFiles } from './index-files.ts';
import { indexSessions, type SessionIndexing } from './index-sessions.ts';
import { type MadeVectors, makeVectors, type VectorUpdate } from './make-vectors.ts';
import { removeSource } from './passages.ts';
import { type FoundPassage, type RetrieveRequest, retrieve } from './retrieve.ts';
import { PASSAGES_FORM, PASSAGES_NAME } from './schema.ts';
import { VectorSearch } from './vector-search.ts';
import { vectorModel } from './vectors.ts';

export interface PassageUpdate extends Omit<IndexingOptions, 'hasTime'> {
  /** Reads the catalogue; without it no session is looked at. */
  readonly ask?: SessionIndexing['ask'] | undefined;
  readonly readBlob?: SessionIndexing['readBlob'];
  /** The files of a project; without it only sessions are looked at. */
  readonly files?: ProjectFiles | undefined;
  /** No source is begun after this time. Default: all of them. */
  readonly budgetMs?: number | undefined;
}

/** `busy`: another process is at it. */
type UpdateOutcome =
  | ({ readonly kind: 'done' } & IndexedSources)
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Retrieved {
  readonly passages: readonly FoundPassage[];
  /** Passages that were not compared by meaning and the reason, each as a sentence. */
  readonly notes: readonly string[];
}

const NOTHING: IndexedSources = { read: 0, left: 0 };

export class PassageStore {
  readonly #ports: CatalogPorts & { readonly clock: Pick<Clock, 'monotonic'> };
  readonly #file: DerivedFile;
  readonly #search = new VectorSearch();

  constructor(ports: CatalogPorts & { readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#ports = ports;
    this.#file = new DerivedFile(ports, PASSAGES_FORM);
  }

  /** Reads new content of files and sessions. @throws the reason of `signal` */
  async update({
    files,
    ask,
    readBlob,
    budgetMs = Number.POSITIVE_INFINITY,
    ...options
  }: PassageUpdate): Promise<UpdateOutcome> {
    const { clock } = this.#ports;
    const end = clock.monotonic() + budgetMs;
    const indexing = { ...options, hasTime: () => clock.monotonic() <= end };
    const outcome = await this.#exclusively(async (edit): Promise<IndexedSources> => {
      const sessions = ask === undefined ? NOTHING : await indexSessions(edit, { ...indexing, ask, readBlob });
      const found = files === undefined ? NOTHING : await indexFiles(edit, files, indexing);
      return { read: sessions.read + found.read, left: sessions.left + found.left, uncut: found.uncut };
    });
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'absent') throw new Error('An edit makes the file.');
    return outcome.value === 'busy' ? { kind: 'busy' } : { kind: 'done', ...outcome.value };
  }

  /** What a query of the index finds. */
  ask<Result>(query: (database: DatabaseSync) => Result): Promise<CatalogOutcome<Result>> {
    return this.#file.tryRead(query);
  }

  /** Without the vector of the question, only words count. */
  async retrieve(
    request: Omit<RetrieveRequest, 'byMeaning'>,
    vector?: QuestionVector,
  ): Promise<CatalogOutcome<Retrieved>> {
    return this.#file.tryRead(async (database) => {
      const file = join(this.#ports.home, PASSAGES_NAME);
      const near = vector && (await orderByMeaning(database, request, vector, (each) => this.#search.ask(file, each)));
      return { passages: retrieve(database, { ...request, byMeaning: near?.passages }), notes: near?.notes ?? [] };
    });
  }

  /**
   * Makes the vectors of passages that have none. `busy`: another process is at it.
   *
   * @throws the error of the embedder; vectors made before that stay
   */
  async makeVectors(update: VectorUpdate): Promise<MadeVectors | 'busy'> {
    const { fileSystem, home } = this.#ports;
    using lock = fileSystem.open(join(home, 'passages-vectors.lock'), 'lock', 0o600);
    return lock.tryLock('exclusive') ? await makeVectors(this.#file, update) : 'busy';
  }

  /** How many passages there are, and how many of them have a vector of this model. */
  async counts(model: string): Promise<{ readonly passages: number; readonly vectors: number }> {
    const none = { passages: 0, vectors: 0 };
    return (await this.#file.read((database) => countsOf(database, model))) ?? none;
  }

  /** Ends the thread that compares vectors, if there is one. The next question starts another. */
  async close(): Promise<void> {
    await this.#search.close();
  }

  /**
   * Removes these sessions, `agent:id`, or all of them, and every trace of their text in the file. Returns whether that
   * was possible.
   */
  async forget(which?: { readonly directory: string; readonly names: readonly string[] }): Promise<boolean> {
    if (!this.#file.isThere) return true;
    const outcome = await this.#file.edit(async (edit) => {
      const sources = edit.database
        .prepare(
          `SELECT number FROM sources
          WHERE kind = 'session' AND (?1 IS NULL OR (home = ?1 AND name IN (SELECT value FROM json_each(?2))))`,
        )
        .all(which?.directory ?? null, JSON.stringify(which?.names ?? []));
      let removed = 0;
      for (const { number } of sources) {
        await edit.add(100, (database) => {
          removed += removeSource(database, Number(number));
        });
      }
      await edit.flush();
      return edit.erase({ hadText: removed > 0 });
    });
    return outcome.kind === 'done' && outcome.value;
  }

  async #exclusively<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result | 'busy'>> {
    const { fileSystem, home } = this.#ports;
    return this.#file.edit(async (edit) => {
      using lock = fileSystem.open(join(home, 'passages-sync.lock'), 'lock', 0o600);
      return lock.tryLock('exclusive') ? await action(edit) : 'busy';
    });
  }
}

function countsOf(database: DatabaseSync, model: string) {
  const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n);
  return { passages: count('passages'), vectors: vectorModel(database)?.model === model ? count('vectors') : 0 };
}
