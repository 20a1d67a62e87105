// Brings the texts of one session into the catalogue, from any conversation that can be read. Goes on where the last
// indexing ended as long as the source still begins as it did, else reads it again from its beginning. What a killed
// indexing left is removed first, so that the end is the same as that of one that was never killed.
import type { DatabaseSync } from 'node:sqlite';
import { isOllmError } from '../errors/index.ts';
import type { EventReader, JsonObject, Position } from '../journal/types.ts';
import { createReplayer, type Replayed, type Replayer, trimStates } from '../projections/replayer.ts';
import { rowOfSummary, type SummaryState, summaryFold } from '../projections/summary.ts';
import type { TakeOutSecrets } from './both-ends.ts';
import type { CatalogEdit } from './catalog-edit.ts';
import { type CallText, removeChanges, storeChanges } from './changes.ts';
import { CHANGES_VERSION } from './changes-version.ts';
import type { StoredMark } from './copies.ts';
import { removeCounted, storeCounted } from './counted.ts';
import { idBefore, lastIdBeside } from './message-id.ts';
import { packed, unpacked } from './packed-text.ts';
import { preparedText } from './prepared-text.ts';
import type { ChangeRow, ChangesFold } from './session-changes.ts';
import { COUNTS_VERSION, type CountRow, countsFold } from './session-counts.ts';
import { bytesOfShape } from './session-shape.ts';
import { keptText, TEXTS_VERSION, type TextRow, type TextsState, textsFold } from './session-texts.ts';

/** A file as it is now. Which one it is, and when it changed, as in `FileStat`. */
export interface SourceFile {
  readonly inode: bigint;
  readonly size: number;
  readonly changedNs: bigint;
}

/** A session that can be indexed, of any agent. */
export interface TextSource {
  /** `ollm`, or the name of another program. */
  readonly agent: string;
  /** Where sessions of the agent are, so that the same id at two places is two sessions. */
  readonly directory: string;
  readonly id: string;
  readonly path: string;
  /** Undefined where no file says whether the session has changed: then it is read each time. */
  readonly file: SourceFile | undefined;
  /** The version of the reader. If it changes, the same source may give other events. */
  readonly version: string;
  /** What no event says. */
  readonly parent?: string | undefined;
  /** For a second file with the id of another session: that session's id, and the difference between the two. */
  readonly copyOf?: { readonly id: string; contradiction(): Promise<string | undefined> } | undefined;
  /** The session of a subagent in the same file, by what `OpenTextSource.insides` says. */
  inside?(key: string): TextSource;
  /** Whether the source still exists. Asked before each write, so that a session purged meanwhile stays away. */
  isThere(): boolean;
  /** `saved`: what `checkpoint` of an earlier reading gave. */
  open(saved: JsonObject | undefined): Promise<OpenTextSource>;
}

export interface OpenTextSource {
  readonly reader: EventReader;
  /** Whether a reading may continue after this place. */
  holds(position: Position): Promise<boolean>;
  /** The session of which it began as a copy: its id where another program made the copy, its marks where ollm did. */
  copied(): { readonly forkedFrom?: string | undefined; readonly marks?: readonly StoredMark[] | undefined };
  /** The id that its program prints, where the address has another one. */
  programId(): string | undefined;
  /** Reads the attachment with the whole of an output that was cut; undefined if it is not there. */
  readBlob?(sha256: string): Promise<Uint8Array | undefined>;
  /** Once all was read: the subagents whose sessions are in the same file. */
  insides?(): readonly string[];
  /** Data for another process to continue after the last event, in addition to its position. */
  checkpoint(): JsonObject | undefined;
}

export interface IndexOptions {
  readonly clean: TakeOutSecrets;
  /** Whether outputs of tools are stored. */
  readonly outputs: boolean;
  readonly signal?: AbortSignal | undefined;
  /** A name of the repository that a directory is a clone of, for sessions that store none. */
  readonly remoteOf?: ((directory: string) => string | undefined) | undefined;
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

type Folds = {
  readonly summary: typeof summaryFold;
  readonly texts: ReturnType<typeof textsFold>;
  readonly counts: ReturnType<typeof countsFold>;
  readonly changes: ChangesFold;
};

interface Saved {
  readonly seq: number;
  readonly progress: string;
}

interface Progress {
  readonly checkpoint: JsonObject | undefined;
  readonly replayed: Replayed<Folds>;
}

const KNOWN = `
  SELECT id, path, number, state, inode, size, changed, reader FROM sessions LEFT JOIN sources ON session = number
  WHERE agent = ? AND directory = ?`;
const SAVED = `
  SELECT reader, seq, progress FROM sessions JOIN sources ON session = number
  WHERE agent = ? AND directory = ? AND id = ?`;
/** Tokens beyond which the summary keeps only sums. An undo that goes further back reads the session again. */
const KEPT_TOKENS = 4096;
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
  const progress = saved && (JSON.parse(saved.progress) as Progress);
  const open = await source.open(progress?.checkpoint);
  try {
    const position = progress?.replayed.position;
    const continued = position !== undefined && (await open.holds(position));
    const from = continued ? progress?.replayed : undefined;
    // Only a command that indexes compares lines.
    const { changesFold } = await import('./session-changes.ts');
    const folds: Folds = {
      ...{ summary: summaryFold, texts: textsFold(options) },
      ...{ counts: countsFold(options), changes: changesFold(options) },
    };
    const replayer = createReplayer(folds, { from });
    const session: { number: number | undefined } = { number: undefined };
    await edit.add(1, (database) => {
      if (source.isThere()) session.number = numberOf(database, source);
    });
    if (!isNew) await removeRows(edit, session, continued ? saved!.seq : -1);
    const rows = await addAll(edit, { source, session, replayer, open, signal: options.signal, clean: options.clean });
    if (continued && replayer.states.summary.timeline.incomplete) return undefined;
    // A session is stored as read once those in its file are.
    let inside = 0;
    for (const key of open.insides?.() ?? []) {
      if (source.inside !== undefined) inside += (await indexSession(edit, source.inside(key), options)).rows;
    }
    await save(edit, {
      source,
      session,
      replayer,
      open,
      reader,
      isSettled: options.isSettled,
      remoteOf: options.remoteOf,
    });
    return { rows: rows + inside, damaged: replayer.counts.damaged, continued };
  } finally {
    open.reader.close();
  }
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
  readonly replayer: Replayer<Folds>;
  readonly open: OpenTextSource;
}

async function addAll(
  edit: CatalogEdit,
  { source, session, replayer, open, signal, clean }: Work & Pick<IndexOptions, 'signal' | 'clean'>,
): Promise<number> {
  let count = 0;
  for await (const batch of open.reader.outcomes({ after: replayer.position, signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') replayer.seeDamage();
      else replayer.see(outcome.event);
    }
    const rows = await withWholeOutputs(replayer.states.texts.rows.splice(0), open, clean);
    count += rows.length;
    const changes = replayer.states.changes.rows.splice(0);
    if (rows.length + changes.length > 0) await addRows(edit, { source, session }, { rows, changes });
    await addCounts(edit, { source, session }, replayer.states.counts.rows.splice(0));
  }
  return count;
}

/** A model got both ends of a long output; a search finds all of it. */
async function withWholeOutputs(
  rows: readonly TextRow[],
  open: OpenTextSource,
  clean: TakeOutSecrets,
): Promise<readonly TextRow[]> {
  if (open.readBlob === undefined || rows.every(({ blob }) => blob === undefined)) return rows;
  const whole: TextRow[] = [];
  for (const row of rows) {
    const bytes = row.blob === undefined ? undefined : await readWhole(open, row.blob);
    whole.push(bytes === undefined || bytes.includes(0) ? row : { ...row, ...keptText(DECODER.decode(bytes), clean) });
  }
  return whole;
}

const DECODER = new TextDecoder();

/** A damaged attachment costs only the middle of its output. */
async function readWhole(open: OpenTextSource, sha256: string): Promise<Uint8Array | undefined> {
  try {
    return await open.readBlob?.(sha256);
  } catch (error) {
    if (isOllmError(error)) return undefined;
    throw error;
  }
}

async function addCounts(
  edit: CatalogEdit,
  { source, session }: Pick<Work, 'source' | 'session'>,
  rows: readonly CountRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await edit.add(rows.length, (database) => {
    const { number } = session;
    if (number !== undefined && source.isThere()) storeCounted(database, number, rows);
  });
}

async function addRows(
  edit: CatalogEdit,
  { source, session }: Pick<Work, 'source' | 'session'>,
  { rows, changes }: { readonly rows: readonly TextRow[]; readonly changes: readonly ChangeRow[] },
): Promise<void> {
  const prepared = rows.map(({ text }) => ({ text: packed(text), words: preparedText(text) }));
  const weight = rows.reduce((sum, { text }) => sum + 1 + text.length / CHARACTERS_PER_WEIGHT, changes.length);
  await edit.add(weight, (database, index) => {
    const { number } = session;
    if (number === undefined || !source.isThere()) return;
    const insert = database.prepare(INSERT);
    const calls = new Map<number, CallText>();
    rows.forEach((row, place) => {
      const there = row.replaces ? replaced(database, number, row) : row;
      if (there === undefined || row.text === '') return;
      const { seq, key, message, role, at, kind, tool = null, about = null, blob = null } = there;
      const { text, words } = prepared[place]!;
      const before = idBefore(at || 0);
      const values = [
        number,
        seq,
        message ?? null,
        key ?? null,
        role,
        at || 0,
        kind,
        row.text.length,
        text,
        tool,
        about,
        blob,
        row.isCut ? 1 : null,
      ] as const;
      const { lastInsertRowid } = insert.run(before, lastIdBeside(before), before, ...values);
      index(Number(lastInsertRowid), words);
      if (kind === 'call') calls.set(seq, { id: Number(lastInsertRowid), text: row.text });
    });
    storeChanges(database, number, { rows: changes, calls });
  });
}

const INSERT = `
  INSERT INTO messages VALUES (
    coalesce((SELECT id FROM messages WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1), ?) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  )`;

/** Removes what a message said before. What replaces it has its place, its role and its key. */
function replaced(database: DatabaseSync, session: number, row: TextRow): TextRow | undefined {
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
  return { ...row, seq: Number(seq), key: key === null ? undefined : String(key), role, kind } as TextRow;
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
    replayer,
    open,
    reader,
    isSettled,
    remoteOf,
  }: Work & { reader: string } & Pick<IndexOptions, 'isSettled' | 'remoteOf'>,
): Promise<void> {
  const { states, lastSeq, position, format, counts } = replayer;
  trimStates({ summary: summaryFold }, { summary: states.summary }, KEPT_TOKENS);
  const replayed = { states: { ...states, summary: withoutText(states.summary) }, lastSeq, position, format, counts };
  // A session without events has nothing to continue, and its checkpoint could hold a title that was not redacted.
  const checkpoint = position === undefined ? undefined : open.checkpoint();
  const saved = packed(JSON.stringify({ checkpoint, replayed } satisfies Progress));
  const { project } = states.texts;
  const remote = states.texts.remote ?? (project === undefined ? undefined : remoteOf?.(project));
  const row = sessionRow(source, { ...states, ...open.copied(), remote, programId: open.programId() });
  const names = namesOf(states.texts);
  const { file } = source;
  const settled = file !== undefined && (isSettled?.(file) ?? true) ? file : undefined;
  await edit.add(1, (database) => {
    const { number } = session;
    if (number === undefined || !source.isThere()) return;
    database.prepare(UPDATE_SESSION).run(...row, number);
    database.prepare('DELETE FROM names WHERE rowid = ?').run(number);
    database
      .prepare('INSERT INTO names (rowid, title, prompt, project, branch) VALUES (?, ?, ?, ?, ?)')
      .run(number, ...names);
    const stamp = settled ? [Number(settled.inode), settled.size, Number(settled.changedNs)] : [null, null, null];
    database
      .prepare('INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(number, ...stamp, reader, lastSeq, saved);
  });
}

const UPDATE_SESSION = `
  UPDATE sessions SET path = ?, title = ?, project = ?, model = ?, started = ?, last_activity = ?, messages = ?,
    tokens = ?, cost = ?, branch = ?, remote = coalesce(?, remote), parent = ?, forked_from = ?, copied = ?, program_id = ?, state = 'here', shape = ?,
    said = ?, said_by = ?, branches = ? WHERE number = ?`;

function sessionRow(
  { path, parent }: TextSource,
  {
    summary,
    texts,
    forkedFrom,
    marks = [],
    remote,
    programId,
  }: {
    readonly summary: SummaryState;
    readonly texts: TextsState;
    readonly forkedFrom?: string | undefined;
    readonly marks?: readonly StoredMark[] | undefined;
    readonly remote: string | undefined;
    readonly programId: string | undefined;
  },
) {
  const row = rowOfSummary(summary);
  const { branches } = summary.timeline;
  return [
    path,
    texts.title ?? texts.firstPrompt ?? null,
    texts.project ?? null,
    row.model || null,
    Date.parse(row.startTime) || null,
    Date.parse(row.lastActivity) || null,
    row.messageCount,
    texts.used ?? null,
    texts.cost ?? null,
    texts.branch ?? null,
    remote ?? null,
    row.parent?.sessionId ?? parent ?? null,
    forkedFrom ?? null,
    marks.length === 0 ? null : JSON.stringify(marks),
    programId ?? null,
    bytesOfShape(texts.shape),
    texts.last?.text ?? null,
    texts.last?.by ?? null,
    branches.jumps.length === 0 ? null : JSON.stringify(branches),
  ] as const;
}

/** As the columns of `names`. A title that repeats how the first prompt begins says no more than that. */
function namesOf({ title, firstPrompt, project, branch }: TextsState): readonly string[] {
  const isPrompt = title === undefined || (firstPrompt ?? '').startsWith(title.replace(/(?:…|\.{3})$/u, '').trimEnd());
  const [named, prompt] = isPrompt ? [undefined, title ?? firstPrompt] : [title, undefined];
  return [named, prompt, project, branch].map((each) => preparedText(each ?? ''));
}

/** A secret may be in the text of a summary, cut so that it no longer looks like one. */
function withoutText(summary: SummaryState): SummaryState {
  const isText = (key: string) => ['title', 'excerpt', 'firstPrompt', 'lastMessage'].includes(key);
  return JSON.parse(JSON.stringify(summary, (key, value) => (isText(key) ? undefined : value))) as SummaryState;
}

/** What made the rows: other versions or settings make other rows. */
function readerOf({ version }: TextSource, { outputs }: Pick<IndexOptions, 'outputs'>): string {
  const versions = [summaryFold.version, TEXTS_VERSION, COUNTS_VERSION, CHANGES_VERSION];
  return [...versions, version, outputs ? 'outputs' : 'no outputs'].join(' ');
}
