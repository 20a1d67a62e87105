// The catalogue: what a list says of each session, kept so that the next list need not read the journals. Derived from
// them and disposable. A row is believed only for the very file that it was read from: same inode, same size, same time
// of change.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as laterOn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { JournalFileInfo } from '../journal/types.ts';
import { type SummaryRow, summaryFold } from '../projections/summary.ts';
import type { CatalogEdit } from './catalog-edit.ts';
import { type CatalogOutcome, type CatalogPorts, DerivedFile } from './derived-file.ts';
import { numbersOf, removeSession } from './index-session.ts';
import { CATALOG_FORM } from './schema.ts';

/** A session as it was read from its file. */
export interface CatalogRow {
  readonly info: JournalFileInfo;
  readonly summary: SummaryRow;
}

/** What is to change. */
export interface CatalogChanges {
  /** Rows to store. They are dropped if `isCurrent` says that their file has changed since. */
  readonly found: readonly CatalogRow[];
  readonly isCurrent: (info: JournalFileInfo) => boolean;
  /** All sessions of the directory, if they are known: rows of others are removed. */
  readonly all?: ReadonlySet<string> | undefined;
}

/** Which session, of any agent. */
export interface CataloguedName {
  readonly agent: string;
  /** Where sessions of the agent are. */
  readonly directory: string;
  readonly id: string;
}

/**
 * Sessions of any number of stores, each named by its directory. No method fails because of the catalogue's own file.
 */
export interface Catalog {
  /** The summaries that still hold, by id, and how many rows the directory has in all. */
  find(
    directory: string,
    files: readonly JournalFileInfo[],
  ): Promise<{ readonly summaries: ReadonlyMap<string, SummaryRow>; readonly rows: number }>;
  /** Stores the changes that `prepare` finds, after the caller has gone on. */
  update(directory: string, prepare: () => Promise<CatalogChanges>): void;
  /**
   * Removes sessions of a directory of ours and `others`, and every trace of their text in the file. Returns whether
   * that was possible.
   */
  forget(directory: string, ids: readonly string[], others?: readonly CataloguedName[]): Promise<boolean>;
  /** Writes what searches know. The catalogue is made where it is absent. */
  edit<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result>>;
  /** Reads it. No query may be open when `query` returns. */
  ask<Result>(query: (database: DatabaseSync) => Result): Promise<CatalogOutcome<Result>>;
  /** Waits for updates that are under way. */
  close(): Promise<void>;
}

/** What comes before `:` in the address of a session of ours. */
export const OWN_AGENT = 'ollm';
const ROWS_PER_READ = 1_000;
/** Beyond this many it is quicker to read all rows of the directory. */
const MOST_SINGLE_READS = 200;
/** About 10 ms, in which no other process can write. */
const ROWS_PER_WRITE = 500;

const READ = 'SELECT id, inode, size, changed, reader, summary, checksum FROM summaries WHERE directory = ?';
const READ_ONE = `${READ} AND id = ?`;
const READ_NEXT = `${READ} AND id > ? ORDER BY id LIMIT ${ROWS_PER_READ}`;
const COUNT = 'SELECT count(*) AS count FROM summaries WHERE directory = ?';
const WRITE = 'INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?)';

/** Opens nothing before it is asked. */
export function openCatalog(ports: CatalogPorts): Catalog {
  const file = new DerivedFile(ports, CATALOG_FORM);
  let updates: Promise<unknown> = Promise.resolve();
  return {
    async find(directory, files) {
      const found = await file.read((database) => ({
        summaries: summariesOf(database, directory, files),
        rows: Number(database.prepare(COUNT).get(directory)?.count),
      }));
      return found ?? { summaries: new Map(), rows: 0 };
    },
    update(directory, prepare) {
      const store = async () => {
        await laterOn();
        await file.write(storing(directory, await prepare()));
      };
      updates = updates.then(store);
    },
    async forget(directory, ids, others = []) {
      await updates;
      if (!file.isThere) return true;
      const outcome = await file.edit(async (edit) => {
        await edit.add(1, (database) => remove(database, directory, ids));
        let hadText = false;
        const own = ids.map((id): CataloguedName => ({ agent: OWN_AGENT, directory, id }));
        for (const { id, ...place } of [...own, ...others]) {
          for (const number of numbersOf(edit.database, { ...place, ids: [id] })) {
            hadText = (await removeSession(edit, number)) || hadText;
          }
        }
        return edit.erase({ hadText });
      });
      return outcome.kind === 'done' && outcome.value;
    },
    async edit(action) {
      await updates;
      return file.edit(action);
    },
    ask: (query) => file.tryRead(query),
    async close() {
      await updates;
    },
  };
}

const IN_MEMORY: CatalogOutcome<never> = { kind: 'refused', reason: 'is not kept for sessions in memory' };

/** A catalogue that knows nothing and keeps nothing: for sessions in memory, and file systems that are simulated. */
export const noCatalog: Catalog = {
  find: async () => ({ summaries: new Map(), rows: 0 }),
  update: () => {},
  forget: async () => true,
  edit: async () => IN_MEMORY,
  ask: async () => IN_MEMORY,
  close: async () => {},
};

function summariesOf(
  database: DatabaseSync,
  directory: string,
  files: readonly JournalFileInfo[],
): Map<string, SummaryRow> {
  const byId = new Map(files.map((info) => [info.id, info]));
  const summaries = new Map<string, SummaryRow>();
  for (const rows of files.length <= MOST_SINGLE_READS ? single(database, directory, byId) : all(database, directory)) {
    for (const row of rows) {
      const info = byId.get(row[0]);
      const summary = info && summaryIn(row, info);
      if (summary !== undefined) summaries.set(info!.id, summary);
    }
  }
  return summaries;
}

function* single(database: DatabaseSync, directory: string, ids: ReadonlyMap<string, unknown>): Generator<ReadRow[]> {
  const read = database.prepare(READ_ONE);
  read.setReturnArrays(true);
  for (const id of ids.keys()) yield read.all(directory, id) as unknown as ReadRow[];
}

/** No query stays open between two of them: an open one would keep the write-ahead log from being emptied. */
function* all(database: DatabaseSync, directory: string): Generator<ReadRow[]> {
  const read = database.prepare(READ_NEXT);
  read.setReturnArrays(true);
  let rows: ReadRow[];
  for (let last = ''; ; last = rows.at(-1)![0]) {
    rows = read.all(directory, last) as unknown as ReadRow[];
    yield rows;
    if (rows.length < ROWS_PER_READ) return;
  }
}

type ReadRow = readonly [
  id: string,
  inode: number,
  size: number,
  changed: number,
  reader: number,
  summary: string,
  checksum: number,
];

/** Undefined if the row is damaged, of another file, or was made by another version. */
function summaryIn(row: ReadRow, info: JournalFileInfo): SummaryRow | undefined {
  const [, inode, size, changed, reader, text, checksum] = row;
  const isSame = inode === Number(info.inode) && size === info.bytes && changed === Number(info.changedNs);
  if (!isSame || reader !== summaryFold.version || checksum !== crc32(text)) return undefined;
  const summary = JSON.parse(text) as SummaryRow;
  return summary.id === info.id ? summary : undefined;
}

/** One step of an update: as many rows as a step may have. */
function storing(directory: string, { found, isCurrent, all }: CatalogChanges): (database: DatabaseSync) => boolean {
  let next = 0;
  return (database) => {
    if (next === 0 && all !== undefined) remove(database, directory, strangers(database, directory, all));
    const write = database.prepare(WRITE);
    const end = Math.min(found.length, next + ROWS_PER_WRITE);
    for (; next < end; next += 1) {
      const { info, summary } = found[next]!;
      // Inside the transaction: a session that is purged is forgotten after its journal is gone.
      if (!isCurrent(info)) continue;
      const { id, inode, bytes, changedNs } = info;
      const text = JSON.stringify(summary);
      write.run(directory, id, Number(inode), bytes, Number(changedNs), summaryFold.version, text, crc32(text));
    }
    return next < found.length;
  };
}

function strangers(database: DatabaseSync, directory: string, all: ReadonlySet<string>): string[] {
  const rows = database.prepare('SELECT id FROM summaries WHERE directory = ?').all(directory);
  return rows.map(({ id }) => String(id)).filter((id) => !all.has(id));
}

function remove(database: DatabaseSync, directory: string, ids: readonly string[]): void {
  database
    .prepare('DELETE FROM summaries WHERE directory = ? AND id IN (SELECT value FROM json_each(?))')
    .run(directory, JSON.stringify(ids));
}
