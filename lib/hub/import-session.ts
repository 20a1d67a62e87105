// Imports one session of another program: its bytes first, then the events that they give, into a journal of its own.
// How far an import has come is said by its journal alone, so one that was killed continues, and one that is repeated
// adds nothing. What the source no longer holds stays. The program's own files are only read.
import { formatAddress, importedId } from '../agents/address.ts';
import type { Agent, ForeignEvent, Source } from '../agents/agent.ts';
import { Fidelity, type FidelityReport } from '../agents/fidelity.ts';
import { bytesOf } from '../agents/kept.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { JournalStore, JournalWriter, NewEvent, StoredEvent } from '../journal/types.ts';
import { type Continuation, isOfSource, readContinuation, writeContinuation } from './continuation.ts';
import { isSameEvent } from './contradiction.ts';
import { importedEvent, timeOfEvent } from './import-events.ts';
import { countSpans, endOf, isKept, type KeptPart, keptBytes } from './kept-bytes.ts';
import {
  compareSource,
  type KeepOptions,
  type KeepOutcome,
  keepGrown,
  keepSource,
  type SourceBytes,
} from './kept-source.ts';
import { type TranslationCursor, translatedRecords } from './translated-records.ts';

export interface ImportOptions {
  readonly store: JournalStore;
  readonly files: SourceFiles;
  /** Whether the bytes of the source are kept too: `hub.redact` is off. */
  readonly keepsSource: boolean;
  /** `retention.storeToolOutputs`. */
  readonly keepsOutputs: boolean;
  /** Translate what is imported already once more; the old journal goes to archive/. */
  readonly again?: boolean | undefined;
  /** Make the fidelity report: about all of the source, also where there is nothing new in it. */
  readonly report?: boolean | undefined;
  /** Whether this may be stored beside the journal: it holds no secret. Default: nothing may. */
  readonly mayStore?: ((value: object) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * - `imported`: there was none
 * - `grown`: events were added
 * - `unchanged`: there is nothing new
 * - `again`: translated once more; `archive` is the old journal
 * - `vanished`: the source is gone, and what was imported stays
 * - `empty`: nothing in it is a conversation
 */
export interface ImportedSession {
  readonly kind: 'imported' | 'grown' | 'unchanged' | 'again' | 'vanished' | 'empty';
  /** Of the journal. */
  readonly id: string;
  readonly address: string;
  /** How many events were added. */
  readonly events: number;
  /** Where a report was asked for, and there is a source. */
  readonly fidelity?: FidelityReport | undefined;
  readonly archive?: string | undefined;
  /** The file became shorter than it was at the last import, in bytes. What it had then is kept. */
  readonly shrunk?: { readonly from: number; readonly to: number; readonly generation: number } | undefined;
}

/** What a journal says of the import that it holds. */
interface Imported {
  readonly parts: readonly KeptPart[];
  /** The seq of each event that came from the source. */
  readonly stored: readonly number[];
  readonly created?: StoredEvent | undefined;
  /** The last title that it got here, and not from the source. */
  readonly titled?: { readonly title?: unknown; readonly by?: unknown } | undefined;
}

type Work = ImportOptions & {
  readonly agent: Agent;
  readonly source: Source;
  readonly id: string;
  readonly address: string;
  readonly fidelity: Fidelity | undefined;
};

/** So many events, or bytes of records, are appended together. */
const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;
/** Places that a generation may be in before the next one is kept whole. */
const MAX_SPANS = 2000;
/** A part of the name of an archive. */
const REWRITTEN = 'rewritten';

/**
 * @example
 * const { id, events } = await importSession(await loadAgent('claude'), source, { store, files, ...settings });
 * @throws OllmError SESSION_NOT_FOUND (neither source nor import is there), IO_FAILED, JOURNAL_*; the reason of
 * `signal`
 */
export async function importSession(agent: Agent, source: Source, options: ImportOptions): Promise<ImportedSession> {
  const id = importedId(agent.name, source.id);
  const address = formatAddress({ agent: agent.name, id: source.id });
  const fidelity = options.report ? new Fidelity(agent) : undefined;
  const work: Work = { ...options, agent, source, id, address, fidelity };
  const isThere = (await options.store.has(id)) && (await holdsImport(work));
  const bytes = sourceBytes(work);
  if (!isThere) return importNew(work, bytes);
  if (!isReadable(bytes)) return goOn(work, undefined);
  const known = options.again || options.report ? undefined : await readContinuation(options.store, id, agent);
  const continued = known && (await continueFrom(work, bytes, known));
  if (continued !== undefined) return continued;
  const { last } = await endOfImport(work);
  const isSame = last !== undefined && (await compareSource(bytes, last)) === 'same';
  if (!isSame || options.again) return goOn(work, bytes);
  if (options.report) await count(work, bytes);
  return done(work, 'unchanged', 0);
}

/** Undefined if the source was rewritten, or another process has written into the journal: then all is read again. */
async function continueFrom(work: Work, bytes: SourceBytes, known: Continuation): Promise<ImportedSession | undefined> {
  const parts = [...known.parts];
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  let writer: JournalWriter | undefined;
  try {
    const kept = await keepGrown(bytes, {
      ...keeping(work, parts, async () => {
        writer ??= await openBehind(work, known);
        return writer;
      }),
      last,
    });
    if (kept === 'same') return done(work, 'unchanged', 0);
    if (writer === undefined) return undefined;
    const stored = [...known.stored];
    const { position, translator } = known;
    const cursor = { position, translator };
    const events = await append(work, bytes, { parts, stored, writer, cursor });
    await finish(work, { parts, stored, writer, cursor });
    return done(work, 'grown', events);
  } catch (error) {
    if (error === CHANGED) return undefined;
    throw error;
  } finally {
    await writer?.close();
  }
}

const CHANGED = new Error('The journal does not end where the last import did.');

/** @throws CHANGED */
async function openBehind({ store, id }: Work, { anchor, epoch }: Continuation): Promise<JournalWriter> {
  let isSame = true;
  const onEvent = (event: StoredEvent) => {
    if (isOfSource(event)) isSame = false;
  };
  const writer = await store.openWriter(id, { anchor, anchorEpoch: epoch, onEvent });
  if (isSame && writer.report.anchored && writer.report.damage.length === 0) return writer;
  await writer.close();
  throw CHANGED;
}

/** Reads the source for the report alone. */
async function count({ agent, source, fidelity, signal }: Work, bytes: SourceBytes): Promise<void> {
  for await (const _ of translatedRecords(agent, source, bytes.chunks(), { form: bytes.form, fidelity })) {
    signal?.throwIfAborted();
  }
}

function sourceBytes({ agent, source, files }: Work): SourceBytes {
  const form = agent.stored(source).kind === 'rows' ? 'rows' : 'file';
  return { form, chunks: () => bytesOf(agent, source, files) };
}

/** False for one that is gone. @throws OllmError IO_FAILED */
function isReadable(bytes: SourceBytes): boolean {
  try {
    for (const _ of bytes.chunks()) return true;
    return true;
  } catch (error) {
    if (isOllmError(error, 'SESSION_NOT_FOUND')) return false;
    throw error;
  }
}

async function importNew(work: Work, bytes: SourceBytes): Promise<ImportedSession> {
  const first = await firstEvent(work, bytes);
  if (first === undefined) return done(work, 'empty', 0);
  const writer = await work.store.create(work.id, createdBy(first));
  const parts: KeptPart[] = [];
  const stored = [writer.head.seq];
  try {
    await keep(work, bytes, parts, writer);
    const cursor: TranslationCursor = { position: 0 };
    const events = await append(work, bytes, { parts, stored, writer, cursor });
    await finish(work, { parts, stored, writer, cursor });
    return done(work, 'imported', events);
  } finally {
    await writer.close();
  }
}

/** `bytes`: undefined once the source is gone. */
async function goOn(work: Work, bytes: SourceBytes | undefined): Promise<ImportedSession> {
  const { store, id, agent, again = false } = work;
  if (bytes === undefined && !again && (await endOfImport(work)).last !== undefined) return done(work, 'vanished', 0);
  const before: Noted = { parts: [], stored: [] };
  const writer = await store.openWriter(id, { onEvent: (event) => note(before, event) });
  let kept: KeepOutcome = 'same';
  let mustReplace: boolean;
  const parts = [...before.parts];
  try {
    if (bytes !== undefined) kept = await keep(work, bytes, parts, writer);
    const isOutdated = parts.some(({ translator }) => translator !== agent.version);
    mustReplace = again || (isOutdated && kept !== 'same' && kept !== 'shrunk');
    const isSameStory = !mayDiffer(kept, parts) || (await beginsAsBefore(work, bytes, before, parts));
    if (!mustReplace && isSameStory && kept !== 'shrunk') {
      const stored = [...before.stored];
      const cursor: TranslationCursor = { position: 0 };
      const events = await append(work, bytes, { parts, stored, writer, cursor });
      if (kept === 'rewritten') await noteTitle(work, bytes, { ...before, parts }, writer);
      await finish(work, { parts, stored, writer, cursor });
      const session = done(work, bytes === undefined ? 'vanished' : 'grown', events);
      return { ...session, ...shrinking(work, kept, before.parts, parts) };
    }
    await closeInOrder(writer);
    if (kept === 'shrunk') return { ...done(work, 'vanished', 0), ...shrinking(work, kept, before.parts, parts) };
  } finally {
    await writer.close();
  }
  const session = await replace(work, bytes, { ...before, parts }, { isRewritten: !mustReplace });
  return { ...session, ...shrinking(work, kept, before.parts, parts) };
}

/** Not of a document, which is written anew each time. */
function shrinking(
  { agent, source }: Work,
  kept: KeepOutcome,
  before: readonly KeptPart[],
  parts: readonly KeptPart[],
): Pick<ImportedSession, 'shrunk'> {
  const last = before.at(-1);
  if ((kept !== 'rewritten' && kept !== 'shrunk') || last === undefined) return {};
  const [from, to] = [endOf(last), kept === 'shrunk' ? 0 : endOf(parts.at(-1))];
  if (agent.stored(source).kind !== 'lines' || to >= from) return {};
  return { shrunk: { from, to, generation: last.generation } };
}

/**
 * What is there becomes an archive, and a new journal takes its place, with all that was kept. A source that is
 * rewritten again and again leaves one archive: what the earlier ones said follows from what is kept.
 */
async function replace(
  work: Work,
  bytes: SourceBytes | undefined,
  before: Imported,
  { isRewritten }: { readonly isRewritten: boolean },
): Promise<ImportedSession> {
  const { store, id, agent } = work;
  const first = await firstEvent(work, bytes, before.parts);
  // A source that holds no conversation any more takes nothing away from what was imported.
  if (first === undefined) return done(work, 'vanished', 0);
  const { encryption, previous } = before.created?.data ?? {};
  const { archive: earlier } = (previous ?? {}) as { readonly archive?: unknown };
  const isSuperseded = isRewritten && typeof earlier === 'string' && earlier.endsWith(`.${REWRITTEN}.jsonl`);
  let events = 0;
  const archive = await store.replace(id, {
    suffix: isRewritten ? REWRITTEN : 'import',
    supersedes: isSuperseded && before.parts.every(isKept) ? earlier : undefined,
    created: (name) => ({
      ...createdBy(first),
      ...(encryption === undefined ? {} : { encryption }),
      previous: { archive: name, reason: 'rebuild' },
    }),
    async fill(writer) {
      const parts = before.parts.map((part) => ({ ...part, translator: agent.version }));
      await writer.append(parts.map(keptEvent));
      events = await append(work, bytes, { parts, stored: [0], writer });
    },
  });
  return { ...done(work, 'again', events), archive };
}

/** Keeps what is new of the source: the parts are added, and events say so. */
async function keep(work: Work, bytes: SourceBytes, parts: KeptPart[], writer: JournalWriter): Promise<KeepOutcome> {
  const { store } = work;
  const last = parts.at(-1);
  return keepSource(bytes, {
    ...keeping(work, parts, async () => writer),
    last,
    before: last && canBeTakenFrom(parts, last) ? () => keptBytes(store, parts, last.generation) : undefined,
  });
}

/** `open`: called for each part, once its bytes are safe. */
function keeping(
  { store, id, agent, keepsSource, signal }: Work,
  parts: KeptPart[],
  open: () => Promise<JournalWriter>,
): Omit<KeepOptions, 'last' | 'before'> {
  return {
    translator: agent.version,
    put: keepsSource ? (part) => store.putBlob(part, id) : undefined,
    signal,
    async onPart(part) {
      const writer = await open();
      await writer.append(keptEvent(part));
      parts.push(part);
    },
  };
}

/** Not one that is in very many places: its bytes are kept together again. */
function canBeTakenFrom(parts: readonly KeptPart[], { generation }: KeptPart): boolean {
  return newest(parts).every(isKept) && countSpans(parts, generation) <= MAX_SPANS;
}

function keptEvent(part: KeptPart): NewEvent {
  return { type: 'source.kept', data: part, ignorable: true };
}

interface Target {
  readonly parts: readonly KeptPart[];
  readonly stored: number[];
  readonly writer: JournalWriter;
  /** Where the translation begins; afterwards, where it ended. */
  readonly cursor?: TranslationCursor | undefined;
}

/** Appends the events behind those that are stored: whole records, many at a time. Returns how many. */
async function append(
  work: Work,
  bytes: SourceBytes | undefined,
  { parts, stored, writer, cursor }: Target,
): Promise<number> {
  const { signal, id, store, keepsOutputs } = work;
  const known = stored.length;
  let waiting: NewEvent[] = [];
  let waitingBytes = 0;
  let number = cursor?.translator?.seq ?? 0;
  let next = writer.head.seq + 1;
  const flush = async () => {
    signal?.throwIfAborted();
    if (waiting.length > 0) await writer.append(waiting);
    waiting = [];
    waitingBytes = 0;
  };
  for await (const record of translatedRecords(work.agent, work.source, piecesOf(work, bytes, parts, cursor), {
    form: parts.at(-1)?.form ?? 'file',
    fidelity: work.fidelity,
    cursor,
  })) {
    for (const event of record.events) {
      number += 1;
      if (number <= known) continue;
      waiting.push(await importedEvent(event, { id, store, keepsOutputs, stored, next }));
      stored.push(next);
      next += 1;
    }
    waitingBytes += record.bytes;
    if (waiting.length >= MAX_EVENTS || (waitingBytes >= MAX_BYTES && waiting.length > 0)) await flush();
  }
  await flush();
  return stored.length - known;
}

/** Not of a file that was only ever appended to. */
function mayDiffer(kept: KeepOutcome, parts: readonly KeptPart[]): boolean {
  return kept === 'rewritten' || (kept === 'grown' && (parts.at(-1)?.generation ?? 0) > 0);
}

/**
 * Whether a rewritten source continues from what is stored, as a file does that is written whole each time, or has only
 * lost its end. It is compared with the newest generation that says all that is stored.
 */
async function beginsAsBefore(
  work: Work,
  bytes: SourceBytes | undefined,
  { parts: oldParts, stored }: Imported,
  parts: readonly KeptPart[],
): Promise<boolean> {
  for (let left = [...oldParts]; left.length > 0; left = left.slice(0, left.length - newest(left).length)) {
    const generation = newest(left);
    if (!generation.every(isKept)) return false;
    const verdict = await compareEvents(work, {
      before: eventsIn(work, keptBytes(work.store, oldParts, generation[0]!.generation), generation),
      now: eventsIn(work, piecesOf(work, bytes, parts), parts),
      count: stored.length,
    });
    if (verdict !== 'unknown') return verdict === 'same';
  }
  return false;
}

/** `unknown`: this generation does not say all that is stored. */
async function compareEvents(
  { signal }: Work,
  { before, now, count }: { readonly before: EventIterator; readonly now: EventIterator; readonly count: number },
): Promise<'same' | 'different' | 'unknown'> {
  try {
    let hasEnded = false;
    for (let left = count; left > 0; left -= 1) {
      signal?.throwIfAborted();
      const old = await before.next();
      if (old.done) return 'unknown';
      const other: IteratorResult<ForeignEvent, void> | undefined = hasEnded ? undefined : await now.next();
      if (other === undefined) continue;
      hasEnded = other.done === true;
      if (!other.done && !isSameEvent(old.value, other.value)) return 'different';
    }
    return 'same';
  } finally {
    await before.return();
    await now.return();
  }
}

type EventIterator = AsyncGenerator<ForeignEvent, void, void>;

async function* eventsIn(
  { agent, source }: Work,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  parts: readonly KeptPart[],
): EventIterator {
  const form = parts.at(-1)?.form ?? 'file';
  for await (const { events } of translatedRecords(agent, source, pieces, { form })) yield* events;
}

/** The bytes of the newest generation: as they are kept, or those of the source where they are not. */
function piecesOf(
  { store, address }: Work,
  bytes: SourceBytes | undefined,
  parts: readonly KeptPart[],
  { position: from }: Pick<TranslationCursor, 'position'> = { position: 0 },
): AsyncIterable<Buffer> | Iterable<Buffer> {
  const generation = newest(parts);
  const [first] = generation;
  if (generation.every(isKept)) {
    return keptBytes(store, parts, first?.generation ?? 0, from - (first?.offset ?? 0));
  }
  if (bytes !== undefined) return within(bytes.chunks(), from, endOf(generation.at(-1)));
  throw new OllmError('SESSION_NOT_FOUND', `The source of ${address} is gone, and was not kept (hub.redact).`, {
    hint: 'What was imported is there, and stays as it is.',
    data: { address },
  });
}

function* within(chunks: Iterable<Buffer>, from: number, limit: number): Generator<Buffer, void, void> {
  let passed = 0;
  for (const chunk of chunks) {
    if (passed + chunk.length > from) yield chunk.subarray(Math.max(0, from - passed), limit - passed);
    passed += chunk.length;
    if (passed >= limit) return;
  }
}

function newest(parts: readonly KeptPart[]): readonly KeptPart[] {
  const generation = parts.at(-1)?.generation;
  return parts.filter((part) => part.generation === generation);
}

async function firstEvent(
  work: Work,
  bytes: SourceBytes | undefined,
  parts: readonly KeptPart[] = [],
): Promise<ForeignEvent | undefined> {
  const pieces = parts.length === 0 && bytes !== undefined ? bytes.chunks() : piecesOf(work, bytes, parts);
  const form = bytes?.form ?? parts.at(-1)?.form ?? 'file';
  for await (const { events } of translatedRecords(work.agent, work.source, pieces, { form })) return events[0];
  return undefined;
}

/** The journal itself adds what it knows of the file. */
function createdBy(event: ForeignEvent): object {
  const { format: _, sessionId: __, ...created } = event.data;
  return { ...created, ...timeOfEvent(event), imported: true };
}

/** A title that no event says is in the first line alone, and programs change it later. */
async function noteTitle(
  work: Work,
  bytes: SourceBytes | undefined,
  { parts, created, titled }: Imported,
  writer: JournalWriter,
): Promise<void> {
  const { title } = (await firstEvent(work, bytes, parts))?.data ?? {};
  const isSame = title === (titled ?? created?.data)?.title;
  if (typeof title !== 'string' || isSame || titled?.by === 'user') return;
  await writer.append({ type: 'session.titled', data: { title, by: 'derived' } });
}

type Noted = { -readonly [Member in keyof Imported]: Imported[Member] } & { parts: KeptPart[]; stored: number[] };

function note(imported: Noted, event: StoredEvent): void {
  if (event.type === 'session.titled' && event.data.origin === undefined) imported.titled = { ...event.data };
  if (event.type === 'source.kept') imported.parts.push(structuredClone(event.data) as unknown as KeptPart);
  else if (event.type === 'session.created') {
    imported.created = { ...event, data: structuredClone(event.data) };
    imported.stored.push(event.seq);
  } else if (event.data.origin !== undefined) imported.stored.push(event.seq);
}

/** The last part of an import that came to its end: found from the end, so that one that is up to date costs little. */
async function endOfImport({ store, id }: Work): Promise<{ readonly last?: KeptPart }> {
  const reader = store.openReader(id);
  try {
    let isLast = true;
    for await (const batch of reader.backwards()) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage' || (isLast && outcome.event.type !== 'session.closed')) return {};
        isLast = false;
        const { type, data } = outcome.event;
        if (type === 'source.kept') return { last: data as unknown as KeptPart };
      }
    }
    return {};
  } finally {
    reader.close();
  }
}

/** False for what a crash left of a journal before its first line was whole. @throws OllmError SESSION_EXISTS */
async function holdsImport({ store, id, address }: Work): Promise<boolean> {
  const reader = store.openReader(id);
  try {
    for await (const batch of reader.outcomes()) {
      const first = batch.find((outcome) => outcome.kind === 'event');
      if (first === undefined) continue;
      const { origin, imported } = first.event.data as { readonly origin?: { address?: unknown }; imported?: true };
      if (imported === true && origin?.address === address) return true;
      throw new OllmError(
        'SESSION_EXISTS',
        `There is a session ${id} already, and it is not an import of ${address}.`,
        {
          hint: `Move it out of the way with "ollm delete ${id}", then import again.`,
          data: { id, address },
        },
      );
    }
    return false;
  } finally {
    reader.close();
  }
}

/** The next import of this process continues from here, unless the journal says more than the source. */
async function finish(
  { id, agent, source, store, mayStore }: Work,
  { parts, stored, writer, cursor }: Target,
): Promise<void> {
  await closeInOrder(writer);
  const { position = 0, translator } = cursor ?? {};
  const isDocument = agent.stored(source).kind === 'document';
  const isCurrent = parts.every((part) => part.translator === agent.version);
  if (isDocument || !isCurrent || translator === undefined || translator.seq !== stored.length) return;
  if (mayStore?.(translator) !== true) return;
  const end = { anchor: writer.head, epoch: writer.report.epoch };
  await writeContinuation(store, id, { ...end, parts: newest(parts), stored, position, translator });
}

/** An import that did not come here is continued by the next one. */
async function closeInOrder(writer: JournalWriter): Promise<void> {
  await writer.append({ type: 'session.closed', data: { reason: 'exit' } }, { durability: 'disk' });
}

function done({ id, address, fidelity }: Work, kind: ImportedSession['kind'], events: number): ImportedSession {
  return { kind, id, address, events, ...(fidelity === undefined ? {} : { fidelity: fidelity.report() }) };
}
