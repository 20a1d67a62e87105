// A file that is derived from sessions, such as the catalogue, and its locks. Every use opens the file under
// a shared lock (`catalog.lock` for the catalogue) and closes it afterwards. Only a process that holds that lock
// exclusively may remove the file, or one of an older version, so no process loses a database that it has open. A use
// that does not get the lock, or meets a busy, read-only, full or damaged file, is refused with the reason: its caller
// works from the journals.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemErrorCode } from '../errors/index.ts';
import { fileSystemType } from '../platform/disks/file-system-kind.ts';
import { spaceAt } from '../platform/disks/space-at.ts';
import type { FileHandle, FileSystem } from '../platform/files/file-system.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';
import { CatalogEdit, inTransaction } from './catalog-edit.ts';
import { DamagedCatalog, isDamage, isPermission, isRefusal, reasonOf } from './why-unusable.ts';

export interface CatalogPorts {
  /** `$OLLM_HOME`. */
  readonly home: string;
  /** The file system of the machine itself: SQLite opens the file by its path. */
  readonly fileSystem: FileSystem;
  readonly process: Pick<ProcessInfo, 'uid'>;
  readonly log: Log;
}

/** The tables of a file, and its name. */
export interface DerivedFileForm {
  /** A change of a table is a new number, and a new file. */
  readonly number: number;
  nameOf(number: number): string;
  readonly lockName: string;
  readonly schema: string;
  /** The full-text indexes of the file. Default: `words`. */
  readonly indexes?: readonly string[] | undefined;
}

/** What a use of the catalogue came to. `reason`: as the end of a sentence that begins with the file. */
export type CatalogOutcome<Result> =
  | { readonly kind: 'done'; readonly value: Result }
  /** No catalogue exists yet. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/** How long SQLite waits for another process. */
const BUSY_TIMEOUT_MS = 200;
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** A step of a write, in a transaction of its own. Returns whether there is more to do. */
type WriteStep = (database: DatabaseSync) => boolean;

/** A connection that reads share. */
interface Reading {
  readonly kind: 'open';
  readonly database: DatabaseSync;
  readonly lock: FileHandle | 'unchanging';
  users: number;
}

export class DerivedFile {
  readonly #ports: CatalogPorts;
  readonly #form: DerivedFileForm;
  readonly #path: string;
  readonly #lockPath: string;
  /** What a read found; the next write mends it. */
  #isDamaged = false;
  #reading: Reading | undefined;
  /** How many want it to stay open between two reads. */
  #keepers = 0;

  constructor(ports: CatalogPorts, form: DerivedFileForm) {
    this.#ports = ports;
    this.#form = form;
    this.#path = join(ports.home, form.nameOf(form.number));
    this.#lockPath = join(ports.home, form.lockName);
  }

  get isThere(): boolean {
    return this.#ports.fileSystem.stat(this.#path) !== undefined;
  }

  /** Runs `query` and returns its result; undefined without a readable catalogue. */
  async read<Result>(query: (database: DatabaseSync) => Result): Promise<Result | undefined> {
    const outcome = await this.tryRead(query);
    return outcome.kind === 'done' ? outcome.value : undefined;
  }

  /** Like `read`, with the reason for a failure. */
  async tryRead<Result>(query: (database: DatabaseSync) => Result | Promise<Result>): Promise<CatalogOutcome<Result>> {
    return this.#attempt<Result>('read', async () => {
      const { DatabaseSync: Database } = await import('node:sqlite');
      const reading = this.#reading ?? this.#openToRead(Database);
      if (reading.kind !== 'open') return reading;
      this.#reading = reading;
      reading.users += 1;
      try {
        return { kind: 'done', value: await query(reading.database) };
      } catch (error) {
        // A file that is open is not removed.
        if (isDamage(error) && this.#reading === reading) this.#reading = undefined;
        throw error;
      } finally {
        reading.users -= 1;
        this.#closeUnused(reading);
      }
    });
  }

  /** Until it is disposed of, a connection that a read has opened serves the next reads too: to open one takes a ms. */
  keepOpen(): Disposable {
    this.#keepers += 1;
    return {
      [Symbol.dispose]: () => {
        this.#keepers -= 1;
        if (this.#reading !== undefined) this.#closeUnused(this.#reading);
      },
    };
  }

  /** Runs `read` while this file is attached to a database in memory, under the name `stored`. */
  async attach<Result>(database: DatabaseSync, read: () => Result): Promise<CatalogOutcome<Result>> {
    return this.#attempt<Result>('read', async () => {
      if (!this.#ports.fileSystem.stat(this.#path)?.size) return { kind: 'absent' };
      const refusal = this.#refusal();
      if (refusal !== undefined) return refusal;
      const lock = this.#lockToRead();
      if (lock === undefined) return REPLACED;
      try {
        const url = lock === 'unchanging' ? immutable(this.#path) : readOnly(this.#path);
        database.prepare('ATTACH ? AS stored').run(url.href);
        try {
          if (versionOf(database, 'stored.') !== this.#form.number) throw new DamagedCatalog();
          return { kind: 'done', value: read() };
        } finally {
          database.exec('DETACH stored');
        }
      } finally {
        if (lock !== 'unchanging') lock.close();
      }
    });
  }

  /**
   * Runs `step` until it has nothing more to do, and lets others run between two of them. Returns whether all of it was
   * done.
   */
  async write(step: WriteStep): Promise<boolean> {
    const outcome = await this.edit(async ({ database }) => {
      while (inTransaction(database, () => step(database))) await yieldToOthers();
    });
    return outcome.kind === 'done';
  }

  /** Holds the catalogue open for writes that belong together; it is made where it is absent. */
  async edit<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result>> {
    return this.#attempt('write', async () => {
      const refusal = this.#refusal();
      if (refusal !== undefined) return refusal;
      if (this.#isDamaged && !this.#remove()) return REPLACED;
      try {
        return await this.#openToEdit(action);
      } catch (error) {
        if (!isDamage(error) || !this.#remove()) throw error;
        return await this.#openToEdit(action);
      }
    });
  }

  async #openToEdit<Result>(action: (edit: CatalogEdit) => Promise<Result>): Promise<CatalogOutcome<Result>> {
    if (!this.isThere) this.#create();
    // A connection that only reads leaves the write-ahead log: the one that writes is to be closed last.
    this.#leaveReading();
    const lock = this.#lock('shared');
    if (lock === undefined) return REPLACED;
    try {
      const { DatabaseSync: Database } = await import('node:sqlite');
      const database = new Database(this.#path, { timeout: BUSY_TIMEOUT_MS });
      try {
        prepare(database, this.#form);
        return { kind: 'done', value: await action(new CatalogEdit(database, this.#form.indexes)) };
      } finally {
        database.close();
      }
    } finally {
      lock.close();
    }
  }

  #openToRead(Database: typeof DatabaseSync): Reading | CatalogOutcome<never> {
    // An empty one was made and not filled, for want of space.
    if (!this.#ports.fileSystem.stat(this.#path)?.size) return { kind: 'absent' };
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    const lock = this.#lockToRead();
    if (lock === undefined) return REPLACED;
    try {
      const path = lock === 'unchanging' ? immutable(this.#path) : this.#path;
      const database = new Database(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      try {
        if (versionOf(database) !== this.#form.number) throw new DamagedCatalog();
        return { kind: 'open', database, lock, users: 0 };
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      if (lock !== 'unchanging') lock.close();
      throw error;
    }
  }

  /** The next read opens a connection of its own. */
  #leaveReading(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    if (reading !== undefined) this.#closeUnused(reading);
  }

  #closeUnused(reading: Reading): void {
    const isKept = this.#keepers > 0 && this.#reading === reading;
    if (reading.users > 0 || isKept) return;
    if (this.#reading === reading) this.#reading = undefined;
    reading.database.close();
    if (reading.lock !== 'unchanging') reading.lock.close();
  }

  /** “unchanging”: no process of this user can write there, so there is nothing to lock. */
  #lockToRead(): FileHandle | 'unchanging' | undefined {
    try {
      return this.#lock('shared');
    } catch (error) {
      if (isPermission(error) && !this.#ports.fileSystem.stat(`${this.#path}-wal`)?.size) return 'unchanging';
      throw error;
    }
  }

  /** Removes a damaged catalogue. False if another process, or a query of this one, has it open. */
  #remove(): boolean {
    this.#leaveReading();
    const lock = this.#lock('exclusive');
    if (lock === undefined) return false;
    try {
      this.#unlink(this.#path);
      this.#isDamaged = false;
      return true;
    } finally {
      lock.close();
    }
  }

  /**
   * Makes an empty file with mode 0600, which SQLite takes for a new database. SQLite itself would make one that others
   * may read. Files of older versions are removed: their content is derived again.
   */
  #create(): void {
    const { fileSystem, home } = this.#ports;
    fileSystem.makeDirectory(home);
    try {
      fileSystem.open(this.#path, 'create', 0o600).close();
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
    this.#removeOlder();
  }

  /** Skipped while a process may have an old file open; the next new catalogue tries again. */
  #removeOlder(): void {
    const { fileSystem, home } = this.#ports;
    const { number, nameOf } = this.#form;
    const numbers = Array.from({ length: number - 1 }, (_, index) => index + 1);
    const older = numbers.map((each) => join(home, nameOf(each))).filter((path) => fileSystem.stat(path));
    if (older.length === 0) return;
    const lock = this.#lock('exclusive');
    if (lock === undefined) return;
    try {
      for (const path of older) this.#unlink(path);
    } finally {
      lock.close();
    }
  }

  #unlink(path: string): void {
    const { fileSystem } = this.#ports;
    for (const each of [path, `${path}-wal`, `${path}-shm`]) {
      if (fileSystem.stat(each) !== undefined) fileSystem.unlink(each);
    }
  }

  #lock(mode: 'shared' | 'exclusive'): FileHandle | undefined {
    const { fileSystem, home } = this.#ports;
    fileSystem.makeDirectory(home);
    const handle = fileSystem.open(this.#lockPath, 'lock', 0o600);
    let isHeld = false;
    try {
      isHeld = handle.tryLock(mode);
    } finally {
      if (!isHeld) handle.close();
    }
    return isHeld ? handle : undefined;
  }

  /**
   * Why the file must not be used: directory and file must belong only to this user, and be on a disk of this machine,
   * because SQLite's shared memory does not work elsewhere.
   */
  #refusal(): CatalogOutcome<never> | undefined {
    const { fileSystem, home, process } = this.#ports;
    const refuse = (reason: string): CatalogOutcome<never> => ({ kind: 'refused', reason });
    if (fileSystemType(spaceAt(fileSystem, home)?.type ?? 0).kind === 'network') {
      return refuse('lies on a network file system');
    }
    const directory = fileSystem.stat(home);
    if (directory !== undefined && directory.kind !== 'directory') return refuse('is not in a directory');
    const file = fileSystem.stat(this.#path);
    if (file !== undefined && (file.kind !== 'file' || file.links > 1)) {
      return refuse('is not a regular file with one name');
    }
    if (process.uid === undefined) return undefined;
    if ([directory, file].some((stat) => stat !== undefined && stat.uid !== process.uid)) {
      return refuse('belongs to another user');
    }
    const isPrivate = ((directory?.mode ?? 0) & WRITABLE_BY_OTHERS) === 0 && ((file?.mode ?? 0) & OPEN_TO_OTHERS) === 0;
    return isPrivate ? undefined : refuse('is open to other users');
  }

  async #attempt<Result>(
    operation: string,
    action: () => Promise<CatalogOutcome<Result>>,
  ): Promise<CatalogOutcome<Result>> {
    try {
      return await action();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#isDamaged ||= isDamage(error);
      const fields = {
        service: 'catalog',
        operation,
        path: this.#path,
        error,
        action: 'Lists take longer without it.',
      };
      this.#ports.log.debug(fields, 'The catalogue cannot be used');
      return {
        kind: 'refused',
        reason: reasonOf(error, { freeBytes: spaceAt(this.#ports.fileSystem, this.#ports.home)?.freeBytes }),
      };
    }
  }
}

const REPLACED: CatalogOutcome<never> = { kind: 'refused', reason: 'is being replaced by another process' };

function prepare(database: DatabaseSync, { number, schema }: DerivedFileForm): void {
  // The write-ahead log lets readers go on during a write. Nothing waits for the device: after a power failure the
  // catalogue may be damaged, and is made again. Deleted text is overwritten, so that it does not stay in the file.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
  const version = versionOf(database);
  if (version === number) return;
  if (version !== 0) throw new DamagedCatalog();
  inTransaction(database, () => {
    // A concurrent process may have been first.
    if (versionOf(database) === 0) database.exec(schema);
  });
}

function versionOf(database: DatabaseSync, schema: '' | 'stored.' = ''): number {
  return Number(database.prepare(`PRAGMA ${schema}user_version`).get()?.user_version);
}

function readOnly(path: string): URL {
  const url = pathToFileURL(path);
  url.search = 'mode=ro';
  return url;
}

/** A URL that SQLite reads without a lock and without the file's companions. */
function immutable(path: string): URL {
  const url = pathToFileURL(path);
  url.search = 'immutable=1';
  return url;
}
