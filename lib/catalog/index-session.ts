// Brings the texts of one session into the catalogue, from any conversation that can be read. Goes on where the last
// indexing ended as long as the source still begins as it did, else reads it again from its beginning. What a killed
// indexing left is removed first, so that the end is the same as that of one that was never killed.
import type { DatabaseSync } from 'node:sqlite';
import { summaryFold } from '../projections/summary.ts';
import type { CatalogEdit } from './catalog-edit.ts';
import { removeChanges, storeChanges } from './changes.ts';
import { CHANGES_VERSION } from './changes-version.ts';
import { removeCounted, storeCounted } from './counted.ts';
import { idBefore, lastIdBeside } from './message-id.ts';
import { unpacked } from './packed-text.ts';
import { COUNTS_VERSION } from './session-counts.ts';
import { TEXTS_VERSION } from './session-texts.ts';
import type {
  PreparedRow,
  SessionEnd,
  SessionPart,
  SessionReading,
  SourceFile,
  TextReadingOptions,
  TextSource,
} from './text-source.ts';

export interface IndexOptions extends TextReadingOptions {
  /** A name of the repository that a directory is a clone of, for sessions that store none. */
  readonly remoteOf?: ((directory: string) => string | undefined) | undefined;
  /** The reading of a session that another thread reads ahead; undefined for one that it does not read. */
  readonly readAhead?: ((source: TextSource) => SessionReading | undefined) | undefined;
  /** Whether the file is as it will be found if nothing changes it. */
  readonly isSettled?: ((file: SourceFile) => boolean) | undefined;
}

/** What an indexing did. */
interface IndexReport {
  readonly rows: number;
  /** Places that could not be read. */
  readonly damaged: number;
  /** Whether it continued where an earlier one had ended. */
  readonly continued: boolean;
}

interface Saved {
  readonly seq: number;
  readonly progress: string;
}

const KNOWN = `
  SELECT id, path, number, state, inode, size, changed, reader, content FROM sessions LEFT JOIN sources ON session = number
  WHERE agent = ? AND directory = ?`;
const SAVED = `
  SELECT reader, seq, progress FROM sessions JOIN sources ON session = number
  WHERE agent = ? AND directory = ? AND id = ?`;
const ROWS_PER_DELETION = 500;
const CHARACTERS_PER_WEIGHT = 512;

/** The catalogue's facts about a session at one place. */
export interface KnownSession {
  readonly number: number;
  readonly path: string | null;
  readonly state: string;
  readonly inode: number | null;
  readonly size: number | null;
  readonly changed: number | null;
  readonly reader: string | null;
  readonly content: string | null;
}

/** Every session of an agent at one place that the catalogue knows, by its id. */
export function knownSessions(
  database: DatabaseSync,
  { agent, directory }: Pick<TextSource, 'agent' | 'directory'>,
): Map<string, KnownSession> {
  const rows = database.prepare(KNOWN).all(agent, directory) as unknown as (KnownSession & { readonly id: string })[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the catalogue has all of it already. */
export function isIndexed(
  known: KnownSession | undefined,
  source: TextSource,
  options: Pick<IndexOptions, 'outputs'>,
): boolean {
  const { file } = source;
  if (known === undefined || file === undefined || known.state !== 'here') return false;
  const isSame =
    known.inode === Number(file.inode) && known.size === file.size && known.changed === Number(file.changedNs);
  return isSame && known.reader === readerOf(source, options);
}

/** Whether the catalogue has all of it, though its file has changed: another session in the file did. */
export function isAsRead(
  known: KnownSession | undefined,
  source: TextSource,
  options: Pick<IndexOptions, 'outputs'>,
): boolean {
  if (known === undefined || known.content === null || known.state !== 'here' || source.file === undefined)
    return false;
  return known.reader === readerOf(source, options) && source.content?.() === known.content;
}

/** Notes that the catalogue has all of a session as its file is now. */
export async function noteFile(edit: CatalogEdit, number: number, file: SourceFile): Promise<void> {
  await edit.add(1, (database) => {
    database
      .prepare('UPDATE sources SET inode = ?, size = ?, changed = ? WHERE session = ?')
      .run(...stampOf(file), number);
    // A list compares the file, and takes the session again if it was revised.
    database.prepare('UPDATE sessions SET state = state WHERE number = ?').run(number);
  });
}

function stampOf({ inode, size, changedNs }: SourceFile): [number, number, number] {
  return [Number(inode), size, Number(changedNs)];
}

/** Whether an indexing begins at the beginning of the source. */
export function isReadWhole(
  known: KnownSession | undefined,
  source: TextSource,
  options: Pick<IndexOptions, 'outputs'>,
): boolean {
  return known?.reader !== readerOf(source, options);
}

/** @throws the errors of the reader; rows written before that stay until the next indexing */
export async function indexSession(edit: CatalogEdit, source: TextSource, options: IndexOptions): Promise<IndexReport> {
  return (await tryIndex(edit, source, options, true)) ?? (await tryIndex(edit, source, options, false))!;
}

/** Undefined if it has to begin at the beginning after all. */
async function tryIndex(
  edit: CatalogEdit,
  source: TextSource,
  options: IndexOptions,
  mayContinue: boolean,
): Promise<IndexReport | undefined> {
  const { agent, directory, id } = source;
  // A new session waits for no other one, so that many small ones are stored in one transaction.
  const isNew = numbersOf(edit.database, { agent, directory, ids: [id] }).length === 0;
  if (!isNew) await edit.flush();
  const reader = readerOf(source, options);
  const saved = mayContinue && !isNew ? savedFor(edit.database, source, reader) : undefined;
  const reading = (isNew ? options.readAhead?.(source) : undefined) ?? (await read(source, options, saved?.progress));
  try {
    const session: { number: number | undefined } = { number: undefined };
    await edit.add(1, (database) => {
      if (!source.isThere()) return;
      session.number = numberOf(database, source);
      // From here on its rows may be others.
      database.prepare('UPDATE sources SET content = NULL WHERE session = ?').run(session.number);
    });
    if (!isNew) await removeRows(edit, session, reading.continued ? saved!.seq : -1);
    let rows = 0;
    for await (const part of reading.parts()) {
      rows += part.rows.length;
      await storePart(edit, { source, session }, part);
    }
    const end = await reading.end();
    if (reading.continued && end.isIncomplete) return undefined;
    // A session is stored as read once those in its file are.
    let inside = 0;
    for (const key of end.insides) {
      if (source.inside !== undefined) inside += (await indexSession(edit, source.inside(key), options)).rows;
    }
    await save(edit, { source, session, end, reader, isSettled: options.isSettled, remoteOf: options.remoteOf });
    return { rows: rows + inside, damaged: end.damaged, continued: reading.continued };
  } finally {
    reading.close();
  }
}

/** Only a command that indexes loads the folds. */
async function read(source: TextSource, options: IndexOptions, progress: string | undefined): Promise<SessionReading> {
  return (await import('./session-reading.ts')).readSession(source, options, progress);
}

/** The numbers of these sessions in the catalogue, of those that are there. */
export function numbersOf(
  database: DatabaseSync,
  { agent, directory, ids }: { readonly agent: string; readonly directory: string; readonly ids: readonly string[] },
): number[] {
  return database
    .prepare('SELECT number FROM sessions WHERE agent = ? AND directory = ? AND id IN (SELECT value FROM json_each(?))')
    .all(agent, directory, JSON.stringify(ids))
    .map(({ number }) => Number(number));
}

/** Removes the index of a session, and the session. Returns whether it had text. */
export async function removeSession(edit: CatalogEdit, number: number): Promise<boolean> {
  const hadText = (await removeRows(edit, { number }, -1)) > 0;
  await edit.add(1, (database) => {
    database.prepare('DELETE FROM sources WHERE session = ?').run(number);
    database.prepare('DELETE FROM names WHERE rowid = ?').run(number);
    database.prepare('DELETE FROM sessions WHERE number = ?').run(number);
  });
  await edit.flush();
  return hadText;
}

interface Work {
  readonly source: TextSource;
  readonly session: { readonly number: number | undefined };
}

async function storePart(
  edit: CatalogEdit,
  { source, session }: Work,
  { rows, changes, counts }: SessionPart,
): Promise<void> {
  const least = changes.length + counts.length;
  const weight = rows.reduce((sum, { size }) => sum + 1 + size / CHARACTERS_PER_WEIGHT, least);
  await edit.add(weight, (database, index) => {
    const { number } = session;
    if (number === undefined || !source.isThere()) return;
    const insert = database.prepare(INSERT);
    const calls = new Map<number, number>();
    for (const row of rows) {
      const there = row.replaces ? replaced(database, number, row) : row;
      if (there === undefined || row.size === 0) continue;
      const { seq, key, message, role, at, kind, tool = null, about = null, blob = null } = there;
      const before = idBefore(at || 0);
      const values = [
        number,
        seq,
        message ?? null,
        key ?? null,
        role,
        at || 0,
        kind,
        row.size,
        row.text,
        tool,
        about,
        blob,
        row.isCut ? 1 : null,
      ] as const;
      const { lastInsertRowid } = insert.run(before, lastIdBeside(before), before, ...values);
      index(Number(lastInsertRowid), row.words);
      if (kind === 'call') calls.set(seq, Number(lastInsertRowid));
    }
    storeChanges(database, number, { changes, calls });
    if (counts.length > 0) storeCounted(database, number, counts);
  });
}

const INSERT = `
  INSERT INTO messages VALUES (
    coalesce((SELECT id FROM messages WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1), ?) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  )`;

/** Removes what a message said before. What replaces it has its place, its role and its key. */
function replaced(database: DatabaseSync, session: number, row: PreparedRow): PreparedRow | undefined {
  const found = database
    .prepare("SELECT * FROM messages WHERE session = ? AND message = ? AND kind <> 'call' ORDER BY seq, id")
    .all(session, row.message ?? null);
  const first = found.find(({ kind }) => kind !== 'reasoning');
  removeMessages(
    database,
    found.map(({ id }) => Number(id)),
  );
  if (first === undefined) return row;
  const { seq, key, role, kind } = first;
  return { ...row, seq: Number(seq), key: key === null ? undefined : String(key), role, kind } as PreparedRow;
}

/** Removes the rows of a session after a seq. Returns their number. */
async function removeRows(
  edit: CatalogEdit,
  session: { readonly number: number | undefined },
  seq: number,
): Promise<number> {
  await edit.flush();
  const { number } = session;
  if (number === undefined) return 0;
  await edit.add(1, (database) => {
    removeCounted(database, number, seq);
    removeChanges(database, number, seq);
  });
  const ids = edit.database
    .prepare('SELECT id FROM messages WHERE session = ? AND seq > ? ORDER BY id')
    .all(number, seq)
    .map(({ id }) => Number(id));
  for (let start = 0; start < ids.length; start += ROWS_PER_DELETION) {
    const some = ids.slice(start, start + ROWS_PER_DELETION);
    await edit.add(some.length, (database) => removeMessages(database, some));
  }
  return ids.length;
}

function removeMessages(database: DatabaseSync, ids: readonly number[]): void {
  for (const [table, column] of [
    ['words', 'rowid'],
    ['messages', 'id'],
  ]) {
    database
      .prepare(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(ids));
  }
}

function savedFor(database: DatabaseSync, { agent, directory, id }: TextSource, reader: string): Saved | undefined {
  const row = database.prepare(SAVED).get(agent, directory, id);
  if (row === undefined || row.reader !== reader) return undefined;
  return { seq: Number(row.seq), progress: unpacked(row.progress) };
}

function numberOf(database: DatabaseSync, { agent, directory, id, path }: TextSource): number {
  database
    .prepare("INSERT OR IGNORE INTO sessions (agent, directory, id, path, state) VALUES (?, ?, ?, ?, 'here')")
    .run(agent, directory, id, path);
  const row = database
    .prepare('SELECT number FROM sessions WHERE agent = ? AND directory = ? AND id = ?')
    .get(agent, directory, id);
  return Number(row?.number);
}

async function save(
  edit: CatalogEdit,
  {
    source,
    session,
    end,
    reader,
    isSettled,
    remoteOf,
  }: Work & { end: SessionEnd; reader: string } & Pick<IndexOptions, 'isSettled' | 'remoteOf'>,
): Promise<void> {
  const { project } = end;
  const remote = end.remote ?? (project === undefined ? undefined : remoteOf?.(project));
  const { file } = source;
  const settled = file !== undefined && (isSettled?.(file) ?? true) ? file : undefined;
  await edit.add(1, (database) => {
    const { number } = session;
    if (number === undefined || !source.isThere()) return;
    database.prepare(UPDATE_SESSION).run(remote ?? null, ...end.row, number);
    database.prepare('DELETE FROM names WHERE rowid = ?').run(number);
    database
      .prepare('INSERT INTO names (rowid, title, prompt, project, branch) VALUES (?, ?, ?, ?, ?)')
      .run(number, ...end.names);
    const stamp = settled ? stampOf(settled) : [null, null, null];
    const { content, lastSeq, progress } = end;
    const hash = content !== undefined && (content.isCertain || settled) ? content.hash : null;
    database
      .prepare('INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(number, ...stamp, reader, lastSeq, progress, hash);
  });
}

const UPDATE_SESSION = `
  UPDATE sessions SET remote = coalesce(?, remote), path = ?, title = ?, project = ?, model = ?, started = ?,
    last_activity = ?, messages = ?, tokens = ?, cost = ?, branch = ?, parent = ?, forked_from = ?, copied = ?,
    program_id = ?, state = 'here', shape = ?, said = ?, said_by = ?, branches = ? WHERE number = ?`;

/** What made the rows: other versions or settings make other rows. */
function readerOf({ version }: TextSource, { outputs }: Pick<IndexOptions, 'outputs'>): string {
  const versions = [summaryFold.version, TEXTS_VERSION, COUNTS_VERSION, CHANGES_VERSION];
  return [...versions, version, outputs ? 'outputs' : 'no outputs'].join(' ');
}
