// The file of the catalogue and its locks. Each use opens it, holds `catalog.lock` shared for as long as it is open,
// and closes it. Only a process that holds that lock exclusively may remove the file, so no process loses a database
// that it has open. A use that does not get the lock, or meets a busy, read-only, full or damaged file, gets nothing:
// its caller works from the journals.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { systemErrorCode } from '../errors/index.ts';
import { fileSystemType } from '../platform/disks/file-system-kind.ts';
import { spaceAt } from '../platform/disks/space-at.ts';
import type { FileHandle, FileSystem } from '../platform/files/file-system.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';
import { CATALOG_NAME, CATALOG_NUMBER, SCHEMA } from './schema.ts';

export interface CatalogPorts {
  /** `$OLLM_HOME`. */
  readonly home: string;
  /** Of the machine itself: SQLite opens the file by its path. */
  readonly fileSystem: FileSystem;
  readonly process: Pick<ProcessInfo, 'uid'>;
  readonly log: Log;
}

/** How long SQLite waits for another process. */
const BUSY_TIMEOUT_MS = 200;
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
/** SQLite's primary result codes ERROR (a table is missing), CORRUPT and NOTADB. */
const DAMAGE_CODES = new Set([1, 11, 26]);

/** One step of a write, in a transaction of its own. Returns whether there is more to do. */
export type WriteStep = (database: DatabaseSync) => boolean;

export class CatalogFile {
  readonly #ports: CatalogPorts;
  readonly #path: string;
  readonly #lockPath: string;
  /** What a read found; the next write mends it. */
  #isDamaged = false;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
    this.#path = join(ports.home, CATALOG_NAME);
    this.#lockPath = join(ports.home, 'catalog.lock');
  }

  get isThere(): boolean {
    return this.#ports.fileSystem.stat(this.#path) !== undefined;
  }

  /** What `query` finds; undefined if there is no catalogue that can be read. */
  async read<Result>(query: (database: DatabaseSync) => Result): Promise<Result | undefined> {
    return this.#attempt('read', async () => {
      if (!this.#isUsable() || !this.isThere) return undefined;
      return this.#whileOpen({ readOnly: true }, async (database) => {
        if (versionOf(database) !== CATALOG_NUMBER) throw new DamagedCatalog();
        return query(database);
      });
    });
  }

  /**
   * Runs `step` until it has nothing more to do, and lets others run between two of them. `erases`: what it removes is
   * taken out of the write-ahead log as well. Returns whether all of it was done.
   */
  async write(step: WriteStep, options: { readonly erases?: boolean } = {}): Promise<boolean> {
    const isStored = await this.#attempt('write', async () => {
      if (!this.#isUsable() || (this.#isDamaged && !this.#remove())) return false;
      try {
        return await this.#writeSteps(step, options);
      } catch (error) {
        if (!isDamage(error) || !this.#remove()) throw error;
        return await this.#writeSteps(step, options);
      }
    });
    return isStored ?? false;
  }

  async #writeSteps(step: WriteStep, { erases = false }): Promise<boolean> {
    this.#create();
    const isStored = await this.#whileOpen({ readOnly: false }, async (database) => {
      prepare(database);
      while (inTransaction(database, () => step(database))) await yieldToOthers();
      return !erases || database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
    });
    return isStored ?? false;
  }

  /** Undefined if another process is replacing the catalogue. */
  async #whileOpen<Result>(
    { readOnly }: { readonly readOnly: boolean },
    action: (database: DatabaseSync) => Promise<Result>,
  ): Promise<Result | undefined> {
    const lock = this.#lock('shared');
    if (lock === undefined) return undefined;
    try {
      const { DatabaseSync: Database } = await import('node:sqlite');
      const database = new Database(this.#path, { readOnly, timeout: BUSY_TIMEOUT_MS });
      try {
        return await action(database);
      } finally {
        database.close();
      }
    } finally {
      lock.close();
    }
  }

  /** Removes a damaged catalogue. False if another process has it open. */
  #remove(): boolean {
    const lock = this.#lock('exclusive');
    if (lock === undefined) return false;
    try {
      const { fileSystem } = this.#ports;
      for (const path of [this.#path, `${this.#path}-wal`, `${this.#path}-shm`]) {
        if (fileSystem.stat(path) !== undefined) fileSystem.unlink(path);
      }
      this.#isDamaged = false;
      return true;
    } finally {
      lock.close();
    }
  }

  /**
   * An empty file of ours alone, which SQLite takes for a new database. SQLite itself would make one that others may
   * read.
   */
  #create(): void {
    const { fileSystem, home } = this.#ports;
    if (this.isThere) return;
    fileSystem.makeDirectory(home);
    try {
      fileSystem.open(this.#path, 'create', 0o600).close();
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
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
   * Whether directory and file are ours alone, and on a disk of this machine: SQLite's shared memory does not work on
   * others.
   */
  #isUsable(): boolean {
    const { fileSystem, home, process } = this.#ports;
    if (fileSystemType(spaceAt(fileSystem, home)?.type ?? 0).kind === 'network') return false;
    const directory = fileSystem.stat(home);
    if (directory !== undefined && directory.kind !== 'directory') return false;
    const file = fileSystem.stat(this.#path);
    if (file !== undefined && (file.kind !== 'file' || file.links > 1)) return false;
    if (process.uid === undefined) return true;
    const isOwned = [directory, file].every((stat) => stat === undefined || stat.uid === process.uid);
    const isPrivate = ((directory?.mode ?? 0) & WRITABLE_BY_OTHERS) === 0 && ((file?.mode ?? 0) & OPEN_TO_OTHERS) === 0;
    return isOwned && isPrivate;
  }

  async #attempt<Result>(operation: string, action: () => Promise<Result>): Promise<Result | undefined> {
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
      return undefined;
    }
  }
}

class DamagedCatalog extends Error {}

function prepare(database: DatabaseSync): void {
  // The write-ahead log lets readers go on during a write. Nothing waits for the device: after a power failure the
  // catalogue may be damaged, and is made again. Deleted text is overwritten, so that it does not stay in the file.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
  const version = versionOf(database);
  if (version === CATALOG_NUMBER) return;
  if (version !== 0) throw new DamagedCatalog();
  inTransaction(database, () => {
    // Another process may have been first.
    if (versionOf(database) === 0) database.exec(SCHEMA);
  });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function inTransaction<Result>(database: DatabaseSync, action: () => Result): Result {
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

/** A number that is out of range was stored by nobody: a damaged row. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamagedCatalog || codeOf(error) === 'ERR_OUT_OF_RANGE') return true;
  const errcode = (error as { readonly errcode?: unknown }).errcode;
  return codeOf(error) === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && DAMAGE_CODES.has(errcode & 0xff);
}

function isRefusal(error: unknown): boolean {
  return isDamage(error) || codeOf(error) === 'ERR_SQLITE_ERROR' || systemErrorCode(error) !== undefined;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}
