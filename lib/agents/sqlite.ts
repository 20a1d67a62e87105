// The only place where a database of another program is opened. It is never written: no file appears next to it, and
// its owner is never kept from writing. Its content is not trusted: a query sees only the tables and columns that the
// caller names, if they are plain tables, and nothing that SQL could compute.
import type { Hash } from 'node:crypto';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { OllmError } from '../errors/index.ts';
import { removeTree } from '../platform/files/io.ts';
import type { FileStat } from '../platform/index.ts';
import { temporaryDirectory } from '../platform/processes/temporary-directory.ts';
import type { Columns, ForeignDatabase, JsonObject, OwnRows } from './agent.ts';
import { isOfStranger, MAX_SOURCE_BYTES, type SourceFiles } from './open-source.ts';

const MAX_COPIED_BYTES = 256 * 2 ** 20;
const TRIES = 3;
const BUSY_TIMEOUT_MS = 200;
/** The functions that a query may call. */
const FUNCTIONS = new Set(['length']);

const VERSION = 'PRAGMA data_version';
/** As SQLite calls `rowid` where it asks whether it may be read. */
const ROWID = 'ROWID';

type Value = string | number | bigint | null;

/**
 * @example
 * using database = openDatabase(files, path, { session: ['id', 'title'] });
 * database.all('SELECT id, title FROM session ORDER BY id LIMIT 200');
 * @throws OllmError SESSION_NOT_FOUND if it is not there, IO_FAILED if it must not or cannot be read
 */
export function openDatabase(files: SourceFiles, path: string, columns: Columns): OpenedDatabase {
  for (let attempt = 1; ; attempt++) {
    const state = lookAt(files, path);
    const way = wayInto(path, state);
    const opened = new OpenedDatabase(files, path, { state, way, columns });
    if (opened.isAsItWas()) return opened;
    opened.close();
    if (attempt === TRIES) throw refused(path, 'is being written, and could not be read meanwhile');
  }
}

/** The files of the database at one moment. */
interface Look {
  readonly main: FileStat;
  /** Bytes that its owner wrote and did not move into the file itself yet. */
  readonly log: FileStat | undefined;
  /** There while a process has it open. */
  readonly shared: FileStat | undefined;
}

/**
 * - `shared`: while its owner has it open, by SQLite's own rules
 * - `copy`: a copy with its log, in a private directory
 * - `still`: as a file that no process writes, which is checked before and after each query
 */
type Way = 'shared' | 'copy' | 'still';

function lookAt(files: SourceFiles, path: string): Look {
  const main = statOf(files, path);
  if (main === undefined) throw new OllmError('SESSION_NOT_FOUND', `${path} does not exist.`, { data: { path } });
  if (main.size > MAX_SOURCE_BYTES) throw refused(path, `is larger than ${MAX_SOURCE_BYTES} bytes`);
  const journal = statOf(files, `${path}-journal`);
  if (journal !== undefined && journal.size > 0) throw refused(path, 'is in the middle of a write');
  return { main, log: statOf(files, `${path}-wal`), shared: statOf(files, `${path}-shm`) };
}

function isSame(one: FileStat | undefined, other: FileStat | undefined): boolean {
  const members = ['inode', 'size', 'modifiedMs', 'changedNs'] as const;
  return members.every((member) => one?.[member] === other?.[member]);
}

function statOf(files: SourceFiles, path: string): FileStat | undefined {
  const stat = files.fileSystem.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'file') throw refused(path, stat.kind === 'link' ? 'is a link' : 'is not a regular file');
  if (isOfStranger(files, path, stat.uid)) throw refused(path, 'belongs to another user');
  return stat;
}

function wayInto(path: string, { main, log, shared }: Look): Way {
  if (log === undefined) return 'still';
  if (shared !== undefined) return 'shared';
  if (log.size === 0) return 'still';
  if (main.size + log.size <= MAX_COPIED_BYTES) return 'copy';
  throw refused(path, `was left open by its program, and is larger than the ${MAX_COPIED_BYTES} bytes that are copied`);
}

export class OpenedDatabase implements ForeignDatabase {
  readonly #files: SourceFiles;
  readonly #path: string;
  readonly #columns: Columns;
  readonly #state: Look;
  readonly #way: Way;
  readonly #directory: string | undefined;
  /** Whether `isUnwritten` is certain. Otherwise the file's stamp tells, which misses a write soon after another. */
  readonly seesEachWrite: boolean;
  #database: DatabaseSync | undefined;
  /** This changes with each write of another connection. */
  #version: unknown;

  constructor(
    files: SourceFiles,
    path: string,
    { state, way, columns }: { readonly state: Look; readonly way: Way; readonly columns: Columns },
  ) {
    this.#files = files;
    this.#path = path;
    this.#columns = columns;
    this.#state = state;
    this.#way = way;
    // No other process writes into the copy.
    this.seesEachWrite = way !== 'still';
    try {
      this.#directory = way === 'copy' ? copyOf(path) : undefined;
      const opened = this.#directory === undefined ? path : join(this.#directory, basename(path));
      const { DatabaseSync: Database } = sqlite();
      this.#database = new Database(urlOf(opened, way), {
        // The copy is one's own: SQLite takes its log into it.
        readOnly: way !== 'copy',
        timeout: BUSY_TIMEOUT_MS,
        allowExtension: false,
        enableForeignKeyConstraints: false,
      });
      this.#guard(this.#database);
    } catch (error) {
      this.close();
      throw error instanceof OllmError ? error : unreadable(path, error);
    }
  }

  all(sql: string, ...parameters: readonly (string | number)[]): readonly JsonObject[] {
    const rows = this.#run(sql, parameters);
    // A file that changed under the query may have given anything.
    if (this.#way === 'still' && !this.isAsItWas()) throw refused(this.#path, 'was written while it was read');
    return rows;
  }

  /**
   * Takes all values of these rows that may be read, and the names of their columns, into a hash. A table that this
   * version does not have has no rows.
   * @throws OllmError IO_FAILED: also if this version lacks a column of the condition
   */
  hashRows({ table, where, parameters }: OwnRows, hash: Hash): void {
    const names = (this.#columns[table] ?? []).filter((name) => this.has(table, name === 'rowid' ? ROWID : name));
    hash.update(`${JSON.stringify([table, names])}\n`);
    if (names.length === 0) return;
    this.#prepared(`SELECT ${names.join(', ')} FROM ${table} WHERE ${where}`, (statement) => {
      statement.setReturnArrays(true);
      for (const row of statement.iterate(...parameters) as Iterable<unknown>)
        hash.update(`${JSON.stringify((row as (Value | Uint8Array)[]).map(plain))}\n`);
    });
    if (this.#way === 'still' && !this.isAsItWas()) throw refused(this.#path, 'was written while it was read');
  }

  /** Whether no process has written into it since it was opened. */
  isUnwritten(): boolean {
    if (!this.isAsItWas()) return false;
    return this.#prepared(VERSION, (statement) => statement.get()?.data_version) === this.#version;
  }

  /**
   * Whether the files are those that were opened or copied. While the owner has them open, SQLite ensures their
   * consistency. SQLite opens a path and no handle: a process with write access to the directory could replace the file
   * just for that moment. It has the rights of the user anyway.
   */
  isAsItWas(): boolean {
    if (this.#way === 'shared') return statOf(this.#files, this.#path)?.inode === this.#state.main.inode;
    const now = lookAt(this.#files, this.#path);
    return (
      wayInto(this.#path, now) === this.#way && isSame(now.main, this.#state.main) && isSame(now.log, this.#state.log)
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
    if (this.#directory !== undefined) removeTree(this.#directory);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #run(sql: string, parameters: readonly (string | number)[]): readonly JsonObject[] {
    return this.#prepared(sql, (statement) => plainRows(statement, parameters));
  }

  #prepared<Result>(sql: string, use: (statement: StatementSync) => Result): Result {
    try {
      const statement = this.#database?.prepare(sql);
      if (statement === undefined) throw refused(this.#path, 'was closed');
      statement.setReadBigInts(true);
      return use(statement);
    } catch (error) {
      throw error instanceof OllmError ? error : unreadable(this.#path, error);
    }
  }

  /** Restricts queries from here on. Earlier ones read only the schema. */
  #guard(database: DatabaseSync): void {
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON');
    database.enableDefensive(true);
    const version = database.prepare(VERSION);
    version.setReadBigInts(true);
    this.#version = version.get()?.data_version;
    const readable = new Map<string, ReadonlySet<string>>();
    for (const [table, columns] of Object.entries(this.#columns)) {
      // A view, a virtual table or a computed column would compute its rows, for an unlimited time.
      const [found] = database
        .prepare("SELECT rootpage FROM sqlite_schema WHERE name = ? AND type = 'table' AND rootpage > 0")
        .all(table);
      if (found === undefined) continue;
      const stored = database.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all(table);
      const names = new Set(stored.map(({ name }) => String(name)));
      const readableOnes = columns.filter((column) => names.has(column) || column === 'rowid');
      readable.set(table, new Set(readableOnes.map((column) => (column === 'rowid' ? ROWID : column))));
    }
    const { constants } = sqlite();
    database.setAuthorizer((action, first, second) => {
      if (action === constants.SQLITE_SELECT) return constants.SQLITE_OK;
      // A count of rows reads no column.
      const isRead = action === constants.SQLITE_READ && first !== null && second !== null;
      if (isRead && (second === '' ? readable.has(first) : readable.get(first)?.has(second)))
        return constants.SQLITE_OK;
      if (action === constants.SQLITE_PRAGMA && first === 'data_version' && second === null) return constants.SQLITE_OK;
      if (action === constants.SQLITE_FUNCTION && FUNCTIONS.has(second ?? '')) return constants.SQLITE_OK;
      return constants.SQLITE_DENY;
    });
    this.has = (table, column) => readable.get(table)?.has(column) ?? false;
  }

  has: ForeignDatabase['has'] = () => false;
}

/** Loaded with the first database, and not with every session of a file. */
function sqlite(): typeof import('node:sqlite') {
  return process.getBuiltinModule('node:sqlite');
}

/** The rows as JSON has them: numbers that are too large come near enough, bytes as base64. */
function plainRows(statement: StatementSync, parameters: readonly (string | number)[]): readonly JsonObject[] {
  return statement
    .all(...parameters)
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

function plain(value: Value | Uint8Array): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function urlOf(path: string, way: Way): URL {
  const url = pathToFileURL(path);
  if (way === 'still') url.searchParams.set('immutable', '1');
  return url;
}

function copyOf(path: string): string {
  const directory = mkdtempSync(join(temporaryDirectory(), 'ollm-agent-'));
  try {
    const copy = join(directory, basename(path));
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    copyFileSync(path, copy);
    return directory;
  } catch (error) {
    removeTree(directory);
    throw error;
  }
}

function refused(path: string, why: string): OllmError {
  return new OllmError('IO_FAILED', `${path} ${why}.`, { data: { path } });
}

function unreadable(path: string, cause: unknown): OllmError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OllmError('IO_FAILED', `${path} cannot be read: ${reason}.`, { data: { path }, cause });
}
