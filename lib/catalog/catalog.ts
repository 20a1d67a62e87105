// The catalogue: what a list says of each session, kept so that the next list need not read the journals. Derived from
// them and disposable. A row is believed only for the very file that it was read from: same inode, same size, same time
// of change.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as laterOn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { JournalFileInfo } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import { summaryFold } from '../projections/summary.ts';
import type { CatalogEdit } from './catalog-edit.ts';
import { type CatalogOutcome, type CatalogPorts, DerivedFile } from './derived-file.ts';
import { numbersOf, removeSession } from './index-session.ts';
import { type ListedRows, type RowSource, STORE, stampOf, storedValuesOf } from './list-table.ts';
import { CATALOG_FORM } from './schema.ts';

/** The sessions of an agent in one directory. */
export interface RowsPlace {
  readonly agent: string;
  readonly directory: string;
  /** The version of the code that reads rows from files. Rows of another version are not believed. */
  readonly reader: string;
}

/** The file of a session, as it was when it was looked at. */
type RowFile = Pick<JournalFileInfo, 'id' | 'inode' | 'bytes' | 'changedNs'>;

/** The changes to make. */
interface CatalogChanges {
  /** Rows to store. They are dropped if `isCurrent` says that their file has changed since. */
  readonly found: readonly ListedRows[];
  readonly isCurrent: (source: RowSource) => boolean;
  /** False for one that may not be stored, because it holds a secret. */
  readonly mayStore: (listed: ListedRows) => boolean | Promise<boolean>;
  /** All sessions of the place, if they are known: rows of others are removed. */
  readonly all?: ReadonlySet<string> | undefined;
  /** Sessions whose rows are removed. */
  readonly gone?: Iterable<string> | undefined;
  /** The revision of the agent's sessions with which all rows of the place agree then. */
  readonly revision?: string | undefined;
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
  /** The summaries that still hold, by id, and how many the place has in all. */
  find<Summary extends object>(
    place: RowsPlace,
    files: readonly RowFile[],
  ): Promise<{ readonly rows: ReadonlyMap<string, Summary>; readonly count: number }>;
  /** Stores the changes that `prepare` finds, after the caller has gone on. The log has a failure, also its own. */
  update(place: RowsPlace, prepare: () => Promise<CatalogChanges>): void;
  /** Removes these sessions, or all, and every trace of their text in the file. Returns whether that was possible. */
  forget(sessions?: readonly CataloguedName[]): Promise<boolean>;
  /** Writes what searches know. The catalogue is made where it is absent. */
  edit<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result>>;
  /** Reads it. No query may be open when `query` returns. */
  ask<Result>(query: (database: DatabaseSync) => Result): Promise<CatalogOutcome<Result>>;
  /** Until it is disposed of, all that `ask` is called for shares one connection. For questions of one moment. */
  keepOpen(): Disposable;
  /** Runs `read` while the catalogue is attached to a database in memory, under the name `stored`. */
  attach<Result>(database: DatabaseSync, read: () => Result): Promise<CatalogOutcome<Result>>;
  /** Waits for updates that are under way. */
  close(): Promise<void>;
}

/** The agent in the address of one of ollm's own sessions. */
export const OWN_AGENT = 'ollm';
/** Is raised when the same summary gives another row. */
const ROW_VERSION = 1;
export const OWN_ROWS = { agent: OWN_AGENT, reader: `${summaryFold.version} ${ROW_VERSION}` } as const;
const ROWS_PER_READ = 1_000;
/** Beyond this many it is quicker to read all rows of the directory. */
const MOST_SINGLE_READS = 200;
/** About 10 ms, in which no other process can write. */
const ROWS_PER_WRITE = 500;
const CHECKED_AT_ONCE = 64;

const READ =
  "SELECT key, stamp, reader, summary, summed FROM listed WHERE owner = ? AND directory = ? AND shown <> 'as source'";
const READ_ONE = `${READ} AND key = ?`;
const READ_NEXT = `${READ} AND key > ? ORDER BY key LIMIT ${ROWS_PER_READ}`;
const COUNT = 'SELECT count(DISTINCT key) AS count FROM listed WHERE owner = ? AND directory = ?';
const DROP = 'DELETE FROM listed WHERE owner = ? AND directory = ? AND key IN (SELECT value FROM json_each(?))';
const AGREE = 'INSERT OR REPLACE INTO agreed VALUES (?, ?, ?)';

/** Opens nothing before it is asked. */
export function openCatalog(ports: CatalogPorts): Catalog {
  const file = new DerivedFile(ports, CATALOG_FORM);
  const updates = new Lanes(1);
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
      // The caller has its answer: a failure must not end the process.
      updates.run(store).catch((error: unknown) => {
        const fields = { service: 'catalog', operation: 'update', ...place, error };
        ports.log.warn({ ...fields, action: 'Lists take longer without it.' }, 'What a list read could not be stored');
      });
    },
    async forget(sessions) {
      await updates.idle();
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
      await updates.idle();
      return file.edit(action);
    },
    ask: (query) => file.tryRead(query),
    keepOpen: () => file.keepOpen(),
    attach: (database, read) => file.attach(database, read),
    close: () => updates.idle(),
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
  keepOpen: () => ({ [Symbol.dispose]() {} }),
  attach: async () => IN_MEMORY,
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

type ReadRow = readonly [key: string, stamp: string | null, reader: string, summary: string | null, summed: number];

/** Undefined if the row is damaged, of another file, or was made by another version. */
function rowIn<Row extends object>(read: ReadRow, info: RowFile, place: RowsPlace): Row | undefined {
  const [, stamp, reader, text, checksum] = read;
  const isSame = stamp !== null && stamp === stampOf({ ...info, size: info.bytes });
  if (!isSame || reader !== place.reader || text === null || checksum !== crc32(text)) return undefined;
  return JSON.parse(text) as Row;
}

/** Takes out the rows that may not be stored. */
async function allowed({ found, mayStore, ...changes }: CatalogChanges): Promise<CatalogChanges> {
  const kept: ListedRows[] = [];
  for (const [index, each] of found.entries()) {
    if (index % CHECKED_AT_ONCE === 0) await laterOn();
    if (await mayStore(each)) kept.push(each);
  }
  return { found: kept, mayStore, ...changes };
}

/** The next step of an update writes at most ROWS_PER_WRITE rows. */
function storing(
  place: RowsPlace,
  { found, isCurrent, all, gone, revision }: CatalogChanges,
): (database: DatabaseSync) => boolean {
  const { agent, directory, reader } = place;
  let next = 0;
  return (database) => {
    if (next === 0 && all !== undefined) remove(database, place, strangers(database, place, all));
    if (next === 0 && gone !== undefined) remove(database, place, gone);
    const write = database.prepare(STORE);
    const some = found.slice(next, next + ROWS_PER_WRITE);
    next += some.length;
    // Inside the transaction: a session that is purged is forgotten after its journal is gone.
    const current = some.filter(({ source }) => isCurrent(source));
    remove(
      database,
      place,
      current.map(({ source }) => source.key),
    );
    for (const values of current.flatMap((listed) => storedValuesOf(listed, reader))) write.run(...values);
    if (next < found.length) return true;
    if (revision !== undefined) database.prepare(AGREE).run(agent, directory, revision);
    return false;
  };
}

function strangers(database: DatabaseSync, place: CataloguedPlace, all: ReadonlySet<string>): string[] {
  const rows = database.prepare('SELECT DISTINCT key FROM listed WHERE owner = ? AND directory = ?');
  return rows.all(place.agent, place.directory).flatMap(({ key }) => (all.has(String(key)) ? [] : [String(key)]));
}

function remove(database: DatabaseSync, { agent, directory }: CataloguedPlace, ids: Iterable<string>): void {
  database.prepare(DROP).run(agent, directory, JSON.stringify([...ids]));
}
