// The rows of the catalogue that say which call wrote which lines: by the name of the file, and by words of the lines.
import { posix } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import type { ChangedHunk } from '../blame/call-changes.ts';
import { lineMarks, marksOf, mayHaveLine } from '../blame/line-marks.ts';
import { partsOf } from './address-parts.ts';
import { livesIn } from './live-rows.ts';
import { compressed, roomFor, unpacked } from './packed-text.ts';
import { hasWords } from './prepared-text.ts';
import { IN_ROOTS, rootsOf } from './project-roots.ts';
import { matchExpression, parseQuery } from './query.ts';
import type { AskedChange, CallDecision, CalledChange, ChangeRow, ChangingCall } from './session-changes.ts';
import { DamagedCatalog } from './why-unusable.ts';

/** A change of a file by a call that ended well. */
export interface StoredChange {
  readonly agent: string;
  readonly id: string;
  /** Id of the session of which a call began this one, or of which it is a fork. */
  readonly parent: string | undefined;
  /** Whether it began as a copy of another one. */
  readonly isFork: boolean;
  /** The event of the request. */
  readonly seq: number;
  /** Milliseconds since 1970; undefined where the source has no time. */
  readonly atMs: number | undefined;
  readonly call: ChangingCall;
  readonly decision: CallDecision | undefined;
  readonly file: CalledChange;
  /** The user changed the arguments, or the turn was undone. */
  readonly isUnsure: boolean;
}

interface ChangesRequest {
  readonly agent?: string | undefined;
  /** Directories, absolute: sessions in them or below them. */
  readonly projects: readonly string[];
  /** Adds the sessions of each directory in which a session works on this repository: see gitRemote. */
  readonly remote?: string | undefined;
}

const INSERT = 'INSERT INTO changes (session, seq, call, name, at, state, marks, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
const CALL = "SELECT id, text FROM messages WHERE session = ? AND seq = ? AND kind = 'call'";
const PROMPT = `
  SELECT m.text FROM messages m JOIN sessions s ON s.number = m.session
  WHERE s.agent = ? AND s.id = ? AND m.seq = ? AND m.kind = 'text' AND m.role = 'user'`;
const SETTLE = 'UPDATE changes SET state = ?, decided = ? WHERE session = ? AND seq = ?';
const REMOVE = 'DELETE FROM changes WHERE session = ? AND seq BETWEEN ? AND ?';

/** The column `state`: the call has not ended well; it has; it has, with arguments that the user changed. */
const [OPEN, DONE, DONE_OTHERWISE] = [0, 1, 2];

const CHANGE = `
  SELECT c.seq, c.at, c.state, c.decided, c.body, m.text, s.agent, s.id, s.parent, s.forked_from AS fork, s.branches
  FROM changes c JOIN sessions s ON s.number = c.session JOIN messages m ON m.id = c.call`;
const WANTED = `
  WITH ${rootsOf('?3', '?4')},
  wanted AS MATERIALIZED (SELECT number FROM sessions WHERE (?2 IS NULL OR agent = ?2) AND ${IN_ROOTS})`;
const WITH_NAME = `
  ${WANTED} SELECT number, marks FROM changes
  WHERE name IN (SELECT value FROM json_each(?1)) AND state > 0 AND session IN wanted`;
/** A phrase is in few calls. */
const WITH_PHRASE = `
  SELECT c.number FROM words JOIN changes c ON c.call = words.rowid WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT 64`;
const BY_NUMBERS = `
  ${WANTED} ${CHANGE} WHERE c.number IN (SELECT value FROM json_each(?1)) AND c.state > 0 AND c.session IN wanted
  ORDER BY c.at, c.number`;
const OF_SESSION = `
  ${CHANGE} WHERE c.session IN (SELECT number FROM sessions WHERE agent = ? AND id = ?) AND c.state > 0 ORDER BY c.seq`;

/** A change as the table has it, or the end of its call. */
export type PreparedChange =
  | { readonly kind: 'asked'; readonly seq: number; readonly at: number; readonly files: readonly PreparedFile[] }
  | Extract<ChangeRow, { kind: 'ended' }>;

interface PreparedFile {
  readonly name: string;
  readonly marks: Uint8Array | undefined;
  readonly body: Uint8Array;
}

/** `calls`: the texts of the calls of this batch, by their seq. A change of another call is left out. */
export function preparedChanges(
  rows: readonly ChangeRow[],
  calls: ReadonlyMap<number, string>,
): readonly PreparedChange[] {
  return rows.flatMap((row): PreparedChange[] => {
    if (row.kind === 'ended') return [row];
    const text = calls.get(row.seq);
    return text === undefined ? [] : [{ kind: 'asked', seq: row.seq, at: row.at, files: preparedFiles(row, text) }];
  });
}

function preparedFiles({ call, files }: AskedChange, callText: string): readonly PreparedFile[] {
  return files.map((file) => ({
    name: posix.basename(file.whole),
    marks: marksOf(file.hunks),
    body: packedBody({ call, file }, callText),
  }));
}

/** `calls`: the calls of this batch among the messages, by their seq. */
export function storeChanges(
  database: DatabaseSync,
  session: number,
  { changes, calls }: { readonly changes: readonly PreparedChange[]; readonly calls: ReadonlyMap<number, number> },
): void {
  for (const change of changes) {
    if (change.kind === 'ended') settle(database, session, change);
    else insert(database, { ...change, session, message: calls.get(change.seq), state: OPEN });
  }
}

interface Insertion extends Omit<Extract<PreparedChange, { kind: 'asked' }>, 'kind'> {
  readonly session: number;
  /** The row of the call. */
  readonly message: number | undefined;
  readonly state: number;
}

function insert(database: DatabaseSync, { session, seq, at, files, message, state }: Insertion): void {
  if (message === undefined) return;
  const store = database.prepare(INSERT);
  for (const { name, marks, body } of files) store.run(session, seq, message, name, at, state, marks ?? null, body);
}

function settle(
  database: DatabaseSync,
  session: number,
  { seq, isOk, decision, changed }: Extract<ChangeRow, { kind: 'ended' }>,
): void {
  if (isOk && changed !== undefined) {
    removeBetween(database, { session, first: seq, last: seq });
    const row = database.prepare(CALL).get(session, seq);
    if (row !== undefined) {
      const files = preparedFiles(changed, unpacked(row.text));
      insert(database, { session, ...changed, files, message: Number(row.id), state: DONE_OTHERWISE });
    }
  }
  const state = !isOk ? OPEN : changed === undefined ? DONE : DONE_OTHERWISE;
  database.prepare(SETTLE).run(state, decision === undefined ? null : JSON.stringify(decision), session, seq);
}

/** Removes the rows of a session with a higher seq. */
export function removeChanges(database: DatabaseSync, session: number, seq: number): void {
  removeBetween(database, { session, first: seq + 1, last: Number.MAX_SAFE_INTEGER });
}

function removeBetween(
  database: DatabaseSync,
  { session, first, last }: { readonly session: number; readonly first: number; readonly last: number },
): void {
  database.prepare(REMOVE).run(session, first, last);
}

/**
 * Changes of files with one of these names that may have one of the lines, the oldest first. Of the others nothing but
 * their marks is read, so that a file of many changes costs as many as it still has lines of.
 */
export function changesOfFiles(
  database: DatabaseSync,
  { names, lines }: { readonly names: readonly string[]; readonly lines: readonly string[] },
  request: ChangesRequest,
): StoredChange[] {
  const known = lineMarks(lines);
  const rows = database.prepare(WITH_NAME).all(JSON.stringify(names), ...parametersOf(request));
  const maybe = rows.filter(({ marks }) => mayHaveLine((marks as Uint8Array | null) ?? undefined, known));
  return changesWithNumbers(
    database,
    maybe.map(({ number }) => Number(number)),
    request,
  );
}

/** Changes of any file by calls that have one of these lines, the oldest first. */
export function changesWithLines(
  database: DatabaseSync,
  lines: readonly string[],
  request: ChangesRequest,
): StoredChange[] {
  const find = database.prepare(WITH_PHRASE);
  const phrases = lines.filter(hasWords).map((line) => matchExpression(parseQuery(`"${line.replaceAll('"', ' ')}"`)));
  const numbers = phrases.flatMap((phrase) => find.all(phrase).map(({ number }) => Number(number)));
  return changesWithNumbers(database, numbers, request);
}

function changesWithNumbers(
  database: DatabaseSync,
  numbers: readonly number[],
  request: ChangesRequest,
): StoredChange[] {
  if (numbers.length === 0) return [];
  const rows = database.prepare(BY_NUMBERS).all(JSON.stringify([...new Set(numbers)]), ...parametersOf(request));
  return rows.map(changeIn);
}

/** From the second on. */
function parametersOf({ agent, projects, remote }: ChangesRequest): readonly (string | null)[] {
  return [agent ?? null, JSON.stringify(projects), remote ?? null];
}

/** The prompts of these calls, whole and without secrets; undefined for one that is not in the catalogue. */
export function promptsOf(
  database: DatabaseSync,
  calls: readonly { readonly session: string; readonly promptSeq: number | undefined }[],
): (string | undefined)[] {
  const find = database.prepare(PROMPT);
  return calls.map(({ session, promptSeq }) => {
    const row = promptSeq === undefined ? undefined : find.get(...partsOf(session), promptSeq);
    return row && unpacked(row.text);
  });
}

/** The changes of one session, `agent:id`, in their order. */
export function changesOfSession(database: DatabaseSync, address: string): StoredChange[] {
  return database
    .prepare(OF_SESSION)
    .all(...partsOf(address))
    .map(changeIn);
}

function changeIn(row: Readonly<Record<string, unknown>>): StoredChange {
  const { agent, id, parent, fork, seq, at, state, decided, branches } = row;
  return {
    ...{ agent: String(agent), id: String(id), parent: parent === null ? undefined : String(parent) },
    ...{ isFork: fork !== null, seq: Number(seq), atMs: Number(at) || undefined },
    ...bodyIn(row.body, unpacked(row.text)),
    decision: typeof decided === 'string' ? (JSON.parse(decided) as CallDecision) : undefined,
    isUnsure: state === DONE_OTHERWISE || !livesIn(branches)(Number(seq)),
  };
}

type Body = Pick<StoredChange, 'call' | 'file'>;
/** Everything but the lines. */
interface Head extends ChangingCall, Pick<CalledChange, 'path' | 'whole'> {
  /** For each hunk the number of lines, and how many follow each other as context and as added, in turns. */
  readonly hunks: readonly { readonly lines: number; readonly turns: readonly number[] }[];
}

/** The text of the call, which has the lines too, is the dictionary: the body then takes little room. */
function packedBody({ call, file: { path, whole, hunks } }: Body, callText: string): Uint8Array {
  const head: Head = { ...call, path, whole, hunks: hunks.map(shapeOf) };
  const lines = hunks.flatMap((hunk) => hunk.map(({ text }) => text));
  const text = [JSON.stringify(head), ...lines].join('\n');
  return compressed(text, callText);
}

/** @throws DamagedCatalog */
function bodyIn(column: unknown, callText: string): Body {
  try {
    const bytes = column as Uint8Array;
    const options = { dictionary: Buffer.from(callText), chunkSize: roomFor(bytes) };
    const text = zstdDecompressSync(bytes, options).toString();
    const [first = '', ...lines] = text.split('\n');
    const { path, whole, hunks, ...call } = JSON.parse(first) as Head;
    return { call, file: { path, whole, hunks: hunks.map((shape) => hunkOf(shape, lines.splice(0, shape.lines))) } };
  } catch (cause) {
    throw new DamagedCatalog('A change cannot be unpacked.', { cause });
  }
}

function shapeOf(hunk: ChangedHunk): Head['hunks'][number] {
  const turns = [0];
  for (const { isAdded } of hunk) {
    if (isAdded !== (turns.length % 2 === 0)) turns.push(0);
    turns[turns.length - 1]! += 1;
  }
  return { lines: hunk.length, turns };
}

function hunkOf({ turns }: Head['hunks'][number], lines: readonly string[]): ChangedHunk {
  const added = turns.flatMap((count, turn) => new Array<boolean>(count).fill(turn % 2 === 1));
  return lines.map((text, index) => ({ text, isAdded: added[index] ?? false }));
}
