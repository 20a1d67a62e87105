// The catalogue: what a list says of each session, kept so that the next list need not read the journals. Derived from
// them and disposable. A row is believed only for the very file that it was read from: same inode, same size, same time
// of change.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as laterOn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { JournalFileInfo } from '../journal/types.ts';
import { summaryFold } from '../projections/summary.ts';
import type { CatalogEdit } from './catalog-edit.ts';
import { type CatalogOutcome, type CatalogPorts, DerivedFile } from './derived-file.ts';
import { numbersOf, removeSession } from './index-session.ts';
import { CATALOG_FORM } from './schema.ts';

/** The sessions of an agent in one directory. */
export interface RowsPlace {
  readonly agent: string;
  readonly directory: string;
  /** The version of the code that reads rows from files. Rows of another version are not believed. */
  readonly reader: string;
}

/** The file of a session, as it was when it was looked at. */
export type RowFile = Pick<JournalFileInfo, 'id' | 'inode' | 'bytes' | 'changedNs'>;

/** Facts of a file for a list, as JSON. */
export interface CatalogRow<Row extends object = object> {
  readonly info: RowFile;
  readonly row: Row;
}

/** The changes to make. */
interface CatalogChanges {
  /** Rows to store. They are dropped if `isCurrent` says that their file has changed since. */
  readonly found: readonly CatalogRow[];
  readonly isCurrent: (info: RowFile) => boolean;
  /** False for a row that may not be stored, because it holds a secret. */
  readonly mayStore: (row: CatalogRow) => boolean | Promise<boolean>;
  /** All sessions of the place, if they are known: rows of others are removed. */
  readonly all?: ReadonlySet<string> | undefined;
}

/** Which session, of any agent. */
export interface CataloguedName {
  readonly agent: string;
  readonly directory: string;
  readonly id: string;
}

/**
 * Sessions of any number of places. No method fails because of the catalogue's own file.
 */
export interface Catalog {
  /** The rows that still hold, by id, and how many the place has in all. */
  find<Row extends object>(
    place: RowsPlace,
    files: readonly RowFile[],
  ): Promise<{ readonly rows: ReadonlyMap<string, Row>; readonly count: number }>;
  /** Stores the changes that `prepare` finds, after the caller has gone on. */
  update(place: RowsPlace, prepare: () => Promise<CatalogChanges>): void;
  /** Removes these sessions, or all, and every trace of their text in the file. Returns whether that was possible. */
  forget(sessions?: readonly CataloguedName[]): Promise<boolean>;
  /** Writes what searches know. The catalogue is made where it is absent. */
  edit<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result>>;
  /** Reads it. No query may be open when `query` returns. */
  ask<Result>(query: (database: DatabaseSync) => Result): Promise<CatalogOutcome<Result>>;
  /** Waits for updates that are under way. */
  close(): Promise<void>;
}

/** The agent in the address of one of ollm's own sessions. */
export const OWN_AGENT = 'ollm';
/** The rows of ollm's own sessions are their summaries. */
export const OWN_ROWS = { agent: OWN_AGENT, reader: String(summaryFold.version) } as const;
const ROWS_PER_READ = 1_000;
/** Beyond this many it is quicker to read all rows of the directory. */
const MOST_SINGLE_READS = 200;
/** About 10 ms, in which no other process can write. */
const ROWS_PER_WRITE = 500;
const CHECKED_AT_ONCE = 64;

const READ = 'SELECT id, inode, size, changed, reader, row, checksum FROM rows WHERE agent = ? AND directory = ?';
const READ_ONE = `${READ} AND id = ?`;
const READ_NEXT = `${READ} AND id > ? ORDER BY id LIMIT ${ROWS_PER_READ}`;
const COUNT = 'SELECT count(*) AS count FROM rows WHERE agent = ? AND directory = ?';
const WRITE = 'INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Opens nothing before it is asked. */
export function openCatalog(ports: CatalogPorts): Catalog {
  const file = new DerivedFile(ports, CATALOG_FORM);
  let updates: Promise<unknown> = Promise.resolve();
  return {
    async find<Row extends object>(place: RowsPlace, files: readonly RowFile[]) {
      const found = await file.read((database) => ({
        rows: rowsOf<Row>(database, place, files),
        count: Number(database.prepare(COUNT).get(place.agent, place.directory)?.count),
      }));
      return found ?? { rows: new Map(), count: 0 };
    },
    update(place, prepare) {
      const store = async () => {
        await laterOn();
        await file.write(storing(place, await allowed(await prepare())));
      };
      updates = updates.then(store);
    },
    async forget(sessions) {
      await updates;
      if (!file.isThere) return true;
      const outcome = await file.edit(async (edit) => {
        let hadText = false;
        for (const { id, ...place } of sessions ?? allIn(edit.database)) {
          await edit.add(1, (database) => remove(database, place, [id]));
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

function allIn(database: DatabaseSync): readonly CataloguedName[] {
  return database.prepare('SELECT agent, directory, id FROM sessions').all() as unknown as readonly CataloguedName[];
}

const IN_MEMORY: CatalogOutcome<never> = { kind: 'refused', reason: 'is not kept for sessions in memory' };

/** A catalogue that knows nothing and keeps nothing: for sessions in memory, and file systems that are simulated. */
export const noCatalog: Catalog = {
  find: async () => ({ rows: new Map(), count: 0 }),
  update: () => {},
  forget: async () => true,
  edit: async () => IN_MEMORY,
  ask: async () => IN_MEMORY,
  close: async () => {},
};

type CataloguedPlace = Pick<RowsPlace, 'agent' | 'directory'>;

function rowsOf<Row extends object>(
  database: DatabaseSync,
  place: RowsPlace,
  files: readonly RowFile[],
): Map<string, Row> {
  const byId = new Map(files.map((info) => [info.id, info]));
  const found = new Map<string, Row>();
  for (const rows of files.length <= MOST_SINGLE_READS ? single(database, place, byId) : all(database, place)) {
    for (const read of rows) {
      const info = byId.get(read[0]);
      const row = info && rowIn<Row>(read, info, place);
      if (row !== undefined) found.set(info!.id, row);
    }
  }
  return found;
}

function* single(
  database: DatabaseSync,
  { agent, directory }: CataloguedPlace,
  ids: ReadonlyMap<string, unknown>,
): Generator<ReadRow[]> {
  const read = database.prepare(READ_ONE);
  read.setReturnArrays(true);
  for (const id of ids.keys()) yield read.all(agent, directory, id) as unknown as ReadRow[];
}

/** No query stays open between two of them: an open one would keep the write-ahead log from being emptied. */
function* all(database: DatabaseSync, { agent, directory }: CataloguedPlace): Generator<ReadRow[]> {
  const read = database.prepare(READ_NEXT);
  read.setReturnArrays(true);
  let rows: ReadRow[];
  for (let last = ''; ; last = rows.at(-1)![0]) {
    rows = read.all(agent, directory, last) as unknown as ReadRow[];
    yield rows;
    if (rows.length < ROWS_PER_READ) return;
  }
}

type ReadRow = readonly [
  id: string,
  inode: number,
  size: number,
  changed: number,
  reader: string,
  row: string,
  checksum: number,
];

/** Undefined if the row is damaged, of another file, or was made by another version. */
function rowIn<Row extends object>(read: ReadRow, info: RowFile, place: RowsPlace): Row | undefined {
  const [, inode, size, changed, reader, text, checksum] = read;
  const isSame = inode === Number(info.inode) && size === info.bytes && changed === Number(info.changedNs);
  return isSame && reader === place.reader && checksum === crc32(text) ? (JSON.parse(text) as Row) : undefined;
}

/** Takes out the rows that may not be stored. */
async function allowed({ found, mayStore, ...changes }: CatalogChanges): Promise<CatalogChanges> {
  const kept: CatalogRow[] = [];
  for (const [index, each] of found.entries()) {
    if (index % CHECKED_AT_ONCE === 0) await laterOn();
    if (await mayStore(each)) kept.push(each);
  }
  return { found: kept, mayStore, ...changes };
}

/** The next step of an update writes at most ROWS_PER_WRITE rows. */
function storing(place: RowsPlace, { found, isCurrent, all }: CatalogChanges): (database: DatabaseSync) => boolean {
  const { agent, directory, reader } = place;
  let next = 0;
  return (database) => {
    if (next === 0 && all !== undefined) remove(database, place, strangers(database, place, all));
    const write = database.prepare(WRITE);
    const end = Math.min(found.length, next + ROWS_PER_WRITE);
    for (; next < end; next += 1) {
      const { info, row } = found[next]!;
      // Inside the transaction: a session that is purged is forgotten after its journal is gone.
      if (!isCurrent(info)) continue;
      const { id, inode, bytes, changedNs } = info;
      const text = JSON.stringify(row);
      write.run(agent, directory, id, Number(inode), bytes, Number(changedNs), reader, text, crc32(text));
    }
    return next < found.length;
  };
}

function strangers(database: DatabaseSync, place: CataloguedPlace, all: ReadonlySet<string>): string[] {
  const rows = database.prepare('SELECT id FROM rows WHERE agent = ? AND directory = ?');
  return rows.all(place.agent, place.directory).flatMap(({ id }) => (all.has(String(id)) ? [] : [String(id)]));
}

function remove(database: DatabaseSync, { agent, directory }: CataloguedPlace, ids: readonly string[]): void {
  database
    .prepare('DELETE FROM rows WHERE agent = ? AND directory = ? AND id IN (SELECT value FROM json_each(?))')
    .run(agent, directory, JSON.stringify(ids));
}
