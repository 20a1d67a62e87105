// A catalogue that is filled without a sync: for searches over many messages, and as the floor of a sync.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Catalog, openCatalog } from '../lib/catalog/catalog.ts';
import { CATALOG_NAME, SCHEMA } from '../lib/catalog/schema.ts';
import { nodeFileSystem, silentLog, thisProcess } from '../lib/platform/index.ts';

const ROWS_AT_ONCE = 1_000;

export function catalogOf(home: string): Catalog {
  return openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('ollm bench'), log: silentLog });
}

export interface MessageRow {
  readonly id: number;
  readonly session: number;
  readonly seq: number;
  readonly role: string;
  readonly at: number;
  readonly kind: string;
  readonly tool?: string | null;
  readonly size: number;
  /** As it is stored. */
  readonly text: string | Uint8Array;
  /** As it is indexed. */
  readonly words: string;
}

/** A new one. `fill` adds its sessions by SQL, and its messages by `add`. */
export function writeCatalogue(
  home: string,
  fill: (database: DatabaseSync, add: (row: MessageRow) => void) => void,
): void {
  mkdirSync(home, { mode: 0o700, recursive: true });
  const path = join(home, CATALOG_NAME);
  closeSync(openSync(path, 'wx', 0o600));
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
  const message = database.prepare(
    'INSERT INTO messages (id, session, seq, role, at, kind, size, text, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  let rows = 0;
  database.exec('BEGIN');
  fill(database, ({ id, session, seq, role, at, kind, tool = null, size, text, words }) => {
    message.run(id, session, seq, role, at, kind, size, text, tool);
    index.run(id, words);
    if (++rows % ROWS_AT_ONCE === 0) database.exec('COMMIT; BEGIN');
  });
  database.exec('COMMIT');
}
