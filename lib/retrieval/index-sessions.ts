// Brings sessions from the catalogue into the index of passages: messages of people and models, and results of tools.
// It has no text that the catalogue lacks, except errors in the middle of a long output. Undone turns are left out, and
// texts that repeat others: results of searches and of reading, answers of the offline provider, injected text,
// thoughts of a model.
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogEdit } from '../catalog/catalog-edit.ts';
import type { CatalogOutcome } from '../catalog/derived-file.ts';
import { livesIn } from '../catalog/live-rows.ts';
import { unpacked } from '../catalog/packed-text.ts';
import { isSearchAnswer } from '../ranking/search-notice.ts';
import { cutText } from './cut-text.ts';
import type { IndexedSources, IndexingOptions } from './index-files.ts';
import { aboutOutput, outputSlices } from './output-slices.ts';
import {
  addPassages,
  numberOfSource,
  type PassageSource,
  type PlacedPassage,
  removePassages,
  removeSource,
  stampSource,
  withoutColours,
} from './passages.ts';

export interface SessionIndexing extends IndexingOptions {
  /** Reads the catalogue. */
  readonly ask: <Result>(query: (database: DatabaseSync) => Result) => Promise<CatalogOutcome<Result>>;
  /** Reads an attachment of a session of ollm; undefined if it does not exist. */
  readonly readBlob?: ((name: string) => Promise<Uint8Array | undefined>) | undefined;
}

interface CataloguedSource extends PassageSource {
  readonly session: number;
  readonly lastSeq: number;
  /** Whether the message at this seq counts, and was not undone. */
  readonly isLive: (seq: number) => boolean;
  readonly stamp: string;
}

interface MessageRow {
  readonly id: number;
  readonly seq: number;
  readonly key: string | null;
  readonly role: string;
  readonly kind: string;
  readonly at: number;
  /** As the catalogue has packed it. */
  readonly text: unknown;
  readonly tool: string | null;
  readonly about: string | null;
  readonly blob: string | null;
}

const SESSIONS = `
  SELECT s.number AS session, s.agent, s.directory, s.id, s.project, s.branches, r.reader, r.seq, r.size, r.changed
  FROM sessions s JOIN sources r ON r.session = s.number`;
const SAID = `
  session = ? AND seq <= ? AND ((kind = 'text' AND role IN ('user', 'assistant')) OR kind = 'output')`;
const PLACES = `SELECT id, seq, size FROM messages WHERE ${SAID}`;
const ROWS = `
  SELECT id, seq, key, role, kind, at, text, tool, about, blob FROM messages
  WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`;
const MESSAGES_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;
const CHARACTERS_PER_WEIGHT = 512;
/** The bytes of a larger attachment that are read. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024;
/** A shorter message, such as “go on”, answers no question. */
const LEAST_CHARACTERS = 24;
/**
 * Tools that repeat text found elsewhere: those that read files and past sessions, and those that search. Tools of any
 * agent, with the name of a server before it or without.
 */
const REPEATS =
  /^(?:.*__)?(?:file_?read|read(?:_?(?:file|many_?files|text_file|notebook))?|view(?:_file)?|cat|open_file|notebook_?read|ls|list(?:_?(?:files|dir(?:ectory)?))?|glob|find(?:_files)?|grep(?:_search)?|rg|search(?:_?files|_?code|_?text)?|codebase_search|ripgrep|recall|history_read|tool_?search|todo_?(?:read|write))$/i;

/** @throws the reason of `signal`; passages stored before that stay */
export async function indexSessions(edit: CatalogEdit, options: SessionIndexing): Promise<IndexedSources> {
  const { ask, signal, hasTime = () => true, onProgress } = options;
  const listed = await ask(sessionsIn);
  // If the catalogue cannot be read, the passages stay as they are.
  if (listed.kind === 'refused') return { read: 0, left: 0 };
  const sessions = listed.kind === 'done' ? listed.value : [];
  const known = new Map(
    edit.database
      .prepare("SELECT number, home, name, stamp FROM sources WHERE kind = 'session'")
      .all()
      .map(({ number, home, name, stamp }) => [`${home}\0${name}`, { number: Number(number), stamp: String(stamp) }]),
  );
  const stale: CataloguedSource[] = [];
  for (const session of sessions) {
    const place = `${session.home}\0${session.name}`;
    if (known.get(place)?.stamp !== session.stamp) stale.push(session);
    known.delete(place);
  }
  for (const { number } of known.values()) await edit.add(100, (database) => removeSource(database, number));
  let read = 0;
  for (const session of stale) {
    signal?.throwIfAborted();
    if (!hasTime()) break;
    onProgress?.({ done: read, total: stale.length, name: session.name });
    await indexSession(edit, session, options);
    read += 1;
  }
  await edit.flush();
  return { read, left: stale.length - read };
}

function sessionsIn(database: DatabaseSync): CataloguedSource[] {
  return database
    .prepare(SESSIONS)
    .all()
    .map(({ session, agent, directory, id, project, branches, reader, seq, size, changed }) => ({
      kind: 'session',
      home: String(directory),
      name: `${agent}:${id}`,
      project: project === null ? undefined : String(project),
      session: Number(session),
      lastSeq: Number(seq),
      isLive: livesIn(branches),
      stamp: [session, reader, seq, size, changed].join(' '),
    }));
}

/** Takes in the rows that are new, and removes those that are gone. Killed half-way, the next run continues. */
async function indexSession(edit: CatalogEdit, source: CataloguedSource, options: SessionIndexing): Promise<void> {
  const { ask } = options;
  const found = await ask((database) => database.prepare(PLACES).all(source.session, source.lastSeq));
  if (found.kind !== 'done') return;
  await edit.flush();
  let number = 0;
  await edit.add(1, (database) => {
    number = numberOfSource(database, source);
  });
  await edit.flush();
  const live = found.value.filter(({ seq }) => source.isLive(Number(seq)));
  const there = new Set(live.map(({ id, size }) => `${id} ${size}`));
  const known = edit.database.prepare('SELECT DISTINCT message, size FROM places WHERE source = ?').all(number);
  const gone = known.filter(({ message, size }) => !there.has(`${message} ${size}`)).map((row) => Number(row.message));
  const kept = new Set(known.map(({ message, size }) => `${message} ${size}`));
  const fresh = live.filter(({ id, size }) => !kept.has(`${id} ${size}`));
  if (gone.length > 0) await edit.add(gone.length, (database) => removePassages(database, number, gone));
  for (const some of readTogether(fresh)) {
    options.signal?.throwIfAborted();
    const ids = JSON.stringify(some);
    const rows = await ask((database) => database.prepare(ROWS).all(ids) as unknown as MessageRow[]);
    if (rows.kind !== 'done') return;
    for (const row of rows.value) {
      const passages = await passagesOf(row, options);
      if (passages.length === 0) continue;
      const weight = passages.reduce((sum, { text }) => sum + 2 + text.length / CHARACTERS_PER_WEIGHT, 0);
      await edit.add(weight, (database) => addPassages(database, number, passages));
    }
  }
  await edit.add(1, (database) => stampSource(database, number, source.stamp));
}

/** Ids of messages that are read together: not too many, and not too much text. */
function* readTogether(messages: readonly Readonly<Record<string, unknown>>[]): Generator<number[]> {
  let ids: number[] = [];
  let characters = 0;
  for (const { id, size } of messages) {
    if (ids.length === MESSAGES_AT_ONCE || characters >= CHARACTERS_AT_ONCE) {
      yield ids;
      [ids, characters] = [[], 0];
    }
    ids.push(Number(id));
    characters += Number(size);
  }
  if (ids.length > 0) yield ids;
}

async function passagesOf(row: MessageRow, options: SessionIndexing): Promise<PlacedPassage[]> {
  const { id, seq, key, at } = row;
  const text = unpacked(row.text);
  const record = { key: key ?? String(seq), message: id, size: text.length, at };
  if (row.kind === 'output') {
    const { tool, about } = row;
    if (REPEATS.test(tool ?? '')) return [];
    const slices = outputSlices(await wholeOutput(row.blob, text, options));
    return slices
      .filter((slice) => slice.text.trim().length >= LEAST_CHARACTERS)
      .map(({ text: body, hasFailure }, index) => ({
        about: aboutOutput({ tool, about, hasFailure }),
        // Each line of a list would be an answer to the words of the command that printed it.
        isFoundByText: index > 0 && !hasFailure,
        text: body,
        record,
      }));
  }
  if (text.trim().length < LEAST_CHARACTERS || (row.role === 'assistant' && isSearchAnswer(text))) return [];
  return cutText(text, { isMarkdown: true }).map(({ headings, text: body }) => ({
    about: headings.join(' › '),
    text: body,
    record,
  }));
}

/** All of an output that was cut, where its attachment can be read. */
async function wholeOutput(blob: string | null, text: string, { readBlob, clean }: SessionIndexing): Promise<string> {
  const bytes = blob === null ? undefined : await readBlob?.(blob);
  if (bytes === undefined || bytes.subarray(0, MAX_BLOB_BYTES).includes(0)) return text;
  return clean(withoutColours(new TextDecoder().decode(bytes.subarray(0, MAX_BLOB_BYTES))));
}
