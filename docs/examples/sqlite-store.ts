// A store of your own: the sessions of one SQLite database. It is a file system of 14 calls over three tables;
// journals, recovery, archive, trash and attachments come from ollm. Node has the database.
// docs/own-store.md is the guide.
import { mkdirSync, statfsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { FileHandle, FileKind, FileStat, FileSystem, OpenMode } from 'ollm/store';

const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;      -- a commit is on the device: an append at the level disk needs nothing more
  PRAGMA busy_timeout = 10000;
  CREATE TABLE IF NOT EXISTS file (
    inode INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    size INTEGER NOT NULL DEFAULT 0, links INTEGER NOT NULL DEFAULT 0, modified REAL NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS entry (path TEXT PRIMARY KEY, parent TEXT NOT NULL, inode INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS entry_parent ON entry (parent);
  CREATE TABLE IF NOT EXISTS chunk (inode INTEGER, start INTEGER, bytes BLOB, PRIMARY KEY (inode, start)) STRICT;
  INSERT OR IGNORE INTO file (inode, kind, mode, links, modified) VALUES (1, 'directory', 448, 1, 0);
  INSERT OR IGNORE INTO entry VALUES ('/', '', 1);
`;

interface FileRow {
  readonly inode: number;
  readonly kind: FileKind;
  readonly mode: number;
  readonly size: number;
  readonly links: number;
  readonly modified: number;
}

/**
 * The file system of a database. Close it when its store is not used any more.
 *
 * @example
 * using files = sqliteFileSystem('./sessions.sqlite');
 * const sessions = openSessionStore(openStoreOver(files));
 */
export function sqliteFileSystem(databasePath: string): FileSystem & Disposable {
  const locks = `${databasePath}-locks`;
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(databasePath);
  database.exec(TABLES);
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const run = (sql: string, ...values: SQLInputValue[]) => statement(sql).run(...values);
  const get = <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).get(...values) as Row | undefined;
  const all = <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).all(...values) as Row[];
  /** Whole or not at all, also where the process is killed in it. */
  const atomically = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };

  const rowAt = (path: string) =>
    get<FileRow>('SELECT file.* FROM entry JOIN file USING (inode) WHERE path = ?', posix.normalize(path));
  const existing = (path: string, call: string): FileRow => {
    const row = rowAt(path);
    if (row === undefined) throw systemError('ENOENT', call, path);
    return row;
  };
  const directory = (path: string, call: string): FileRow => {
    const row = existing(path, call);
    if (row.kind !== 'directory') throw systemError('ENOTDIR', call, path);
    return row;
  };
  const add = (path: string, inode: number | bigint): void => {
    directory(posix.dirname(path), 'open');
    run('INSERT INTO entry VALUES (?, ?, ?)', path, posix.dirname(path), inode);
    run('UPDATE file SET links = links + 1 WHERE inode = ?', inode);
  };
  const make = (path: string, kind: FileKind, mode: number): void => {
    const insert = 'INSERT INTO file (kind, mode, modified) VALUES (?, ?, ?)';
    add(path, run(insert, kind, mode, Date.now()).lastInsertRowid);
  };
  const remove = (path: string, { inode, links }: FileRow): void => {
    run('DELETE FROM entry WHERE path = ?', path);
    run('UPDATE file SET links = links - 1 WHERE inode = ?', inode);
    if (links > 1) return;
    run('DELETE FROM chunk WHERE inode = ?', inode);
    run('DELETE FROM file WHERE inode = ?', inode);
  };

  function open(path: string, mode: OpenMode, permissions = 0o600): FileHandle {
    const { inode } = atomically(() => {
      const row = rowAt(path);
      if (row !== undefined && mode === 'create') throw systemError('EEXIST', 'open', path);
      if (row?.kind === 'directory') throw systemError('EISDIR', 'open', path);
      if (row === undefined && (mode === 'create' || mode === 'lock')) make(path, 'file', permissions);
      return existing(path, 'open');
    });
    let lock: DatabaseSync | undefined;
    const now = (call: string): FileRow => {
      const row = get<FileRow>('SELECT * FROM file WHERE inode = ?', inode);
      // The last name of the file was removed.
      if (row === undefined) throw systemError('ENOENT', call, path);
      return row;
    };
    return {
      path,
      write: (bytes) =>
        atomically(() => {
          if (mode === 'read') throw systemError('EBADF', 'write', path);
          const { size } = now('write');
          if (bytes.length > 0) run('INSERT INTO chunk VALUES (?, ?, ?)', inode, size, bytes);
          run('UPDATE file SET size = ?, modified = ? WHERE inode = ?', size + bytes.length, Date.now(), inode);
          return bytes.length;
        }),
      read(target, position) {
        const found = all<{ readonly start: number; readonly bytes: Uint8Array }>(
          `SELECT start, bytes FROM chunk WHERE inode = ? AND start < ?
           AND start >= (SELECT coalesce(max(start), 0) FROM chunk WHERE inode = ? AND start <= ?) ORDER BY start`,
          ...[inode, position + target.length, inode, position],
        );
        let end = position;
        for (const { start, bytes } of found) {
          const part = bytes.subarray(Math.max(0, position - start), position + target.length - start);
          target.set(part, Math.max(0, start - position));
          if (part.length > 0) end = Math.max(start, position) + part.length;
        }
        return end - position;
      },
      stat: () => statOf(now('fstat')),
      truncate: (length) =>
        atomically(() => {
          run('DELETE FROM chunk WHERE inode = ? AND start >= ?', inode, length);
          const cut =
            'UPDATE chunk SET bytes = substr(bytes, 1, ? - start) WHERE inode = ? AND start + length(bytes) > ?';
          run(cut, length, inode, length);
          run('UPDATE file SET size = ?, modified = ? WHERE inode = ?', length, Date.now(), inode);
        }),
      sync: async () => {},
      dataSync: async () => {},
      tryLock(wanted = 'exclusive') {
        if (lock !== undefined) return true;
        lock = lockOn(join(locks, String(inode)), wanted);
        return lock !== undefined;
      },
      close,
      [Symbol.dispose]: close,
    };

    function close(): void {
      lock?.close();
      lock = undefined;
    }
  }

  return {
    open,
    stat(path) {
      const row = rowAt(path);
      return row && statOf(row);
    },
    readDirectory(path) {
      directory(path, 'scandir');
      const rows = all<{ readonly path: string; readonly kind: FileKind }>(
        'SELECT path, kind FROM entry JOIN file USING (inode) WHERE parent = ? ORDER BY path',
        posix.normalize(path),
      );
      return rows.map(({ path, kind }) => ({ name: posix.basename(path), kind }));
    },
    readNames(path) {
      directory(path, 'scandir');
      const rows = all<{ readonly path: string }>(
        'SELECT path FROM entry WHERE parent = ? ORDER BY path',
        posix.normalize(path),
      );
      return rows.map((row) => posix.basename(row.path));
    },
    makeDirectory: (path, permissions = 0o700) =>
      atomically(() => {
        const steps = posix.normalize(path).split('/').filter(Boolean);
        for (const [index] of steps.entries()) {
          const each = `/${steps.slice(0, index + 1).join('/')}`;
          if (rowAt(each) === undefined) make(each, 'directory', permissions);
          directory(each, 'mkdir');
        }
      }),
    rename: (from, to) =>
      atomically(() => {
        const moved = existing(from, 'rename');
        const covered = rowAt(to);
        if (covered?.inode === moved.inode) return;
        directory(posix.dirname(to), 'rename');
        if (covered?.kind === 'directory' && get('SELECT 1 FROM entry WHERE parent = ?', to))
          throw systemError('ENOTEMPTY', 'rename', to);
        if (covered !== undefined) remove(to, covered);
        run('UPDATE entry SET path = ?, parent = ? WHERE path = ?', to, posix.dirname(to), from);
        if (moved.kind !== 'directory') return;
        const below = `UPDATE entry SET path = ?1 || substr(path, length(?2) + 1), parent = ?1 || substr(parent, length(?2) + 1)
          WHERE substr(path, 1, length(?2) + 1) = ?2 || '/'`;
        run(below, to, from);
      }),
    link: (from, to) =>
      atomically(() => {
        const { inode } = existing(from, 'link');
        if (rowAt(to) !== undefined) throw systemError('EEXIST', 'link', to);
        add(to, inode);
      }),
    unlink: (path) =>
      atomically(() => {
        const row = existing(path, 'unlink');
        if (row.kind === 'directory') throw systemError('EISDIR', 'unlink', path);
        remove(path, row);
      }),
    removeDirectory: (path) =>
      atomically(() => {
        const row = directory(path, 'rmdir');
        if (get('SELECT 1 FROM entry WHERE parent = ?', path)) throw systemError('ENOTEMPTY', 'rmdir', path);
        remove(path, row);
      }),
    changeMode: (path, permissions) => {
      run('UPDATE file SET mode = ? WHERE inode = ?', permissions, existing(path, 'chmod').inode);
    },
    syncDirectory: async () => {},
    realPath(path) {
      existing(path, 'realpath');
      return posix.normalize(path);
    },
    space() {
      const { bavail, blocks, bsize, type } = statfsSync(dirname(databasePath));
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, type };
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/**
 * Undefined if another handle holds it. SQLite's own lock on an empty database: the system releases it with the
 * process.
 */
function lockOn(path: string, wanted: 'exclusive' | 'shared'): DatabaseSync | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec(wanted === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT * FROM sqlite_schema');
    return lock;
  } catch (error) {
    lock.close();
    if (/locked|busy/.test(String(error))) return undefined;
    throw error;
  }
}

function statOf({ inode, kind, mode, size, links, modified }: FileRow): FileStat {
  const uid = process.getuid?.() ?? 0;
  return { kind, size, mode, links, uid, device: 1n, inode: BigInt(inode), modifiedMs: modified };
}

/** An error as the operating system gives it. */
function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}
