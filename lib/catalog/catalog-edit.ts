// Writes that belong together: put in a line, and stored in short transactions of many, so that other processes wait
// 50 ms or so and not until all is done. What a transaction cannot store stays out as a whole.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises';

/** A part of a write. `index` puts prepared text into the full-text index; bytes are UTF-8. */
type EditStep = (database: DatabaseSync, index: (id: number, preparedText: string | Uint8Array) => void) => void;

/** What a transaction takes in about 50 ms. */
const WEIGHT_PER_TRANSACTION = 2_000;
/** As much makes a segment of the index while their merges are put off: fewer of them are merged quicker. */
const WEIGHT_OF_MANY = 8_000;
/** How the index then works: see `putOffMerges`. By default it merges four segments of a size, and holds 1 MiB. */
const MERGING_LATER = { automerge: 0, crisismerge: 1_000, hashsize: 4 * 1024 * 1024 };
const MERGING = { automerge: 4, crisismerge: 16, hashsize: 1024 * 1024 };
/** How often a writer that finds the catalogue busy tries again, in addition to SQLite's own wait. */
const BUSY_TRIES = 50;
const BUSY_PAUSE_MS = 20;
const SQLITE_BUSY = 5;
/** With as many segments of an index, each word of a search is looked up in that many places. */
const MANY_SEGMENTS = 8;
/** What a transaction merges in about 20 ms. */
const PAGES_PER_MERGE = 125;

export class CatalogEdit {
  readonly database: DatabaseSync;
  #steps: { readonly step: EditStep; readonly weight: number }[] = [];
  #weight = 0;
  #weightPerTransaction = WEIGHT_PER_TRANSACTION;
  readonly #indexes: readonly string[];

  /** `indexes`: the full-text indexes of the file, of which `words` is one. */
  constructor(database: DatabaseSync, indexes: readonly string[] = ['words']) {
    this.database = database;
    this.#indexes = indexes;
  }

  /** Puts a step in the line. Waits only where the line is long. `weight`: the rows and half KiB of text it writes. */
  async add(weight: number, step: EditStep): Promise<void> {
    this.#steps.push({ step, weight });
    this.#weight += weight;
    if (this.#weight >= this.#weightPerTransaction) await this.flush();
  }

  /** Waits until all steps are stored. */
  async flush(): Promise<void> {
    while (this.#steps.length > 0) {
      await patiently(() => this.#storeSome());
      await yieldToOthers();
    }
  }

  /** Whether `words` has segments whose merges were put off. */
  get hasMergesPutOff(): boolean {
    return this.database.prepare("SELECT v FROM words_config WHERE k = 'automerge'").get()?.v === 0;
  }

  /**
   * For many texts: the segments of `words` are merged once, by `mergeSegments`, and not again and again on the way.
   * Transactions take longer, which other processes wait for. The file remembers it, for the case that this one is
   * killed.
   */
  async putOffMerges(): Promise<void> {
    this.#weightPerTransaction = WEIGHT_OF_MANY;
    await this.#setMerging(MERGING_LATER);
  }

  async #setMerging(settings: typeof MERGING): Promise<void> {
    await this.flush();
    const { database } = this;
    await patiently(() =>
      inTransaction(database, () => {
        for (const [name, value] of Object.entries(settings))
          database.exec(`INSERT INTO words(words, rank) VALUES ('${name}', ${value})`);
      }),
    );
  }

  /**
   * Merges the segments of the full-text indexes where they are many, as after a first sync, in short transactions.
   * `mayGoOn` is asked before each: the rest is left to another time.
   */
  async mergeSegments(mayGoOn: () => boolean): Promise<void> {
    await this.#mergeAll(mayGoOn);
    if (mayGoOn() && this.hasMergesPutOff) await this.#setMerging(MERGING);
  }

  async #mergeAll(mayGoOn: () => boolean): Promise<void> {
    const { database } = this;
    const changes = database.prepare('SELECT total_changes() AS n');
    for (const index of this.#indexes) {
      const segments = database.prepare(`SELECT count(DISTINCT segid) AS n FROM ${index}_idx`);
      if (Number(segments.get()?.n) < MANY_SEGMENTS) continue;
      // A negative number puts all segments among those that are merged.
      for (let pages = -PAGES_PER_MERGE; mayGoOn(); pages = PAGES_PER_MERGE) {
        const before = Number(changes.get()?.n);
        await patiently(() => database.exec(`INSERT INTO ${index}(${index}, rank) VALUES ('merge', ${pages})`));
        await yieldToOthers();
        // The statement itself is one change.
        if (Number(changes.get()?.n) - before < 2) break;
      }
    }
  }

  /** Takes deleted text out of the file and its write-ahead log. False if another process keeps it there. */
  async erase({ hadText }: { readonly hadText: boolean }): Promise<boolean> {
    const { database } = this;
    await this.flush();
    if (hadText) {
      // A deleted word stays in the segments of the index until they are merged, and in free pages until then.
      for (const index of this.#indexes) {
        await patiently(() => database.exec(`INSERT INTO ${index}(${index}) VALUES ('optimize')`));
      }
      await patiently(() => database.exec('VACUUM'));
    }
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  }

  #storeSome(): void {
    const { database } = this;
    const words: { readonly id: number; readonly text: string | Uint8Array }[] = [];
    let done = 0;
    let weight = 0;
    inTransaction(database, () => {
      while (done < this.#steps.length && weight < this.#weightPerTransaction) {
        const next = this.#steps[done]!;
        next.step(database, (id, text) => words.push({ id, text }));
        done += 1;
        weight += next.weight;
      }
      // The index flushes its pending entries at each id that is not above the last one.
      words.sort((a, b) => a.id - b.id);
      const insert = database.prepare('INSERT INTO words (rowid, text) VALUES (?, CAST(? AS TEXT))');
      for (const { id, text } of words) insert.run(id, text);
    });
    this.#steps.splice(0, done);
    this.#weight -= weight;
  }
}

export function inTransaction<Result>(database: DatabaseSync, action: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = action();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

async function patiently<Result>(action: () => Result): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return action();
    } catch (error) {
      const isBusy = (Number((error as { readonly errcode?: unknown }).errcode) & 0xff) === SQLITE_BUSY;
      if (!isBusy || tries === BUSY_TRIES) throw error;
      await pause(BUSY_PAUSE_MS);
    }
  }
}
