// The journal of an import while its writer is open: new bytes of the source are kept, and its new events are appended
// after the stored ones. An import opens one for a moment, a run of the program for as long as it works. It never
// closes its writer. A source that contradicts the stored events is kept, and adds no events.
import type { Hash } from 'node:crypto';
import type { Agent, ForeignEvent, Source } from '../agents/agent.ts';
import type { Fidelity } from '../agents/fidelity.ts';
import { bytesOf } from '../agents/kept.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import type { TranslationCheckpoint } from '../agents/source-translation.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { JournalStore, JournalWriter, NewEvent, Receipt, StoredEvent } from '../journal/types.ts';
import { Lanes } from '../platform/lanes.ts';
import { isSameEvent } from './contradiction.ts';
import { importedEvent } from './import-events.ts';
import { endOf, isKept, type KeptPart, keptBytes } from './kept-bytes.ts';
import { type KeepOptions, type KeepOutcome, keepMore, keepSource, type SourceBytes } from './kept-source.ts';
import { translatedRecords } from './translated-records.ts';

/** What keeping the session of another program takes, and which one it is. */
export interface ImportWork {
  readonly store: JournalStore;
  readonly files: SourceFiles;
  /** Whether the bytes of the source are kept too: `hub.redact` is off. */
  readonly keepsSource: boolean;
  /** `retention.storeToolOutputs`. */
  readonly keepsOutputs: boolean;
  readonly agent: Agent;
  readonly source: Source;
  /** The id of the journal. */
  readonly id: string;
  readonly address: string;
  readonly fidelity?: Fidelity | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a journal says of the import that it holds. */
export interface Imported {
  readonly parts: readonly KeptPart[];
  /** The seq of each event that came from the source. */
  readonly stored: readonly number[];
  readonly created?: StoredEvent | undefined;
  /** The last title that it got here, and not from the source. */
  readonly titled?: { readonly title?: unknown; readonly by?: unknown } | undefined;
}

/**
 * - `same`: nothing is new
 * - `grown`: events were added, or bytes that give none yet
 * - `shrunk`: the source is empty now; the stored events stay
 * - `different`: it contradicts the stored events; its bytes were kept, and no event was appended
 */
export interface SourceGrowth {
  readonly kind: 'same' | 'grown' | 'shrunk' | 'different';
  /** How many were added. */
  readonly events: number;
  readonly kept: KeepOutcome;
}

/** The most that is appended together. */
const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;

export class ImportedJournal {
  readonly writer: JournalWriter;
  readonly parts: KeptPart[];
  readonly stored: number[];
  #work: ImportWork;
  readonly #before: Pick<Imported, 'created' | 'titled'>;
  /** Where the translation of the newest generation has come to. */
  #checkpoint: TranslationCheckpoint | undefined;
  /** Growing and appending, one after the other: each event is numbered by those before it. */
  readonly #changes = new Lanes(1);

  /** `checkpoint`: where the translation of `stored` ended. Default: it is translated from its beginning. */
  constructor(
    work: ImportWork,
    writer: JournalWriter,
    imported: Imported,
    checkpoint?: TranslationCheckpoint | undefined,
  ) {
    this.#work = work;
    this.writer = writer;
    this.parts = [...imported.parts];
    this.stored = [...imported.stored];
    this.#before = imported;
    this.#checkpoint = checkpoint;
  }

  /** Opens the journal of an import and reads all of it. @throws OllmError as `openWriter` */
  static async open(work: ImportWork, onEvent?: (event: StoredEvent) => void): Promise<ImportedJournal> {
    const noted: Noted = { parts: [], stored: [] };
    const writer = await work.store.openWriter(work.id, {
      onEvent(event) {
        note(noted, event);
        onEvent?.(event);
      },
    });
    return new ImportedJournal(work, writer, noted);
  }

  /** From here on it grows with this source, whose place was not known before. */
  follow(source: Source): void {
    this.#work = { ...this.#work, source };
  }

  get checkpoint(): TranslationCheckpoint | undefined {
    return this.#checkpoint;
  }

  set checkpoint(checkpoint: TranslationCheckpoint) {
    this.#checkpoint = checkpoint;
  }

  get created(): StoredEvent | undefined {
    return this.#before.created;
  }

  /** Appends events of ollm's own between those of the source, at level `disk`. */
  append(events: readonly NewEvent[]): Promise<readonly Receipt[]> {
    return this.#changes.run(() => this.writer.append(events, { durability: 'disk' }));
  }

  /** Takes in the source as it is now. One that does not exist, or not yet, adds nothing. */
  async grow(): Promise<SourceGrowth> {
    const bytes = sourceBytes(this.#work);
    return this.take(isReadable(bytes) ? bytes : undefined);
  }

  /**
   * Keeps the new bytes, and appends their events; without bytes, the events of the kept ones that are not stored yet.
   * `mayAppend`: false where the source is to be translated again as a whole; then it is `different`.
   * @throws OllmError IO_FAILED, SESSION_NOT_FOUND, JOURNAL_*; the reason of `signal`
   */
  take(bytes: SourceBytes | undefined, mayAppend: (kept: KeepOutcome) => boolean = () => true): Promise<SourceGrowth> {
    return this.#changes.run(() => this.#grow(bytes, mayAppend));
  }

  /**
   * Takes in bytes that follow the kept ones, where the caller has them and no file. `hash` has taken in the kept ones,
   * and takes in these. Returns how many events were added.
   */
  takeMore(bytes: Buffer, hash: Hash): Promise<number> {
    return this.#changes.run(async () => {
      const options = keeping(this.#work, this.parts, async () => this.writer);
      await keepMore(bytes, hash, { ...options, last: this.parts.at(-1), form: 'file' });
      if (!this.#canContinue()) this.#checkpoint = undefined;
      return appendTranslated(this.#work, undefined, this);
    });
  }

  /** Appends the events of the kept bytes that are not stored yet. Returns their number. */
  catchUp(bytes: SourceBytes | undefined): Promise<number> {
    return this.#changes.run(() => appendTranslated(this.#work, bytes, this));
  }

  async #grow(bytes: SourceBytes | undefined, mayAppend: (kept: KeepOutcome) => boolean): Promise<SourceGrowth> {
    const before = [...this.parts];
    const kept = bytes === undefined ? 'same' : await keep(this.#work, bytes, this.parts, this.writer);
    if (kept === 'shrunk') return { kind: 'shrunk', events: 0, kept };
    const isSameStory = async () =>
      !mayDiffer(kept, this.parts) ||
      beginsAsBefore(this.#work, bytes, { parts: before, stored: this.stored }, this.parts);
    if (!mayAppend(kept) || !(await isSameStory())) return { kind: 'different', events: 0, kept };
    if (kept === 'rewritten' || !this.#canContinue()) this.#checkpoint = undefined;
    const events = await appendTranslated(this.#work, bytes, this);
    if (kept === 'rewritten') await this.#noteTitle(bytes);
    return { kind: kept === 'same' && events === 0 ? 'same' : 'grown', events, kept };
  }

  /** A document is one record, whatever of it is new. */
  #canContinue(): boolean {
    const { agent, source } = this.#work;
    return agent.stored(source).kind !== 'document' && this.#checkpoint?.translator.seq === this.stored.length;
  }

  /** Title and model of the first record, where the journal was made before the source. */
  noteBeginning(): Promise<void> {
    return this.#changes.run(async () => {
      const { title, model, provider } = (await firstEvent(this.#work, undefined, this.parts))?.data ?? {};
      const events: NewEvent[] = [];
      if (typeof title === 'string' && title !== '') {
        events.push({ type: 'session.titled', data: { title, by: 'derived' } });
      }
      if (typeof model === 'string' && typeof provider === 'string' && model !== '') {
        events.push({ type: 'model.changed', data: { model, provider } });
      }
      if (events.length > 0) await this.writer.append(events);
    });
  }

  /** Programs change a title later, and only the first line has it where no event does. */
  async #noteTitle(bytes: SourceBytes | undefined): Promise<void> {
    const { created, titled } = this.#before;
    const { title } = (await firstEvent(this.#work, bytes, this.parts))?.data ?? {};
    const isSame = title === (titled ?? created?.data)?.title;
    if (typeof title !== 'string' || isSame || titled?.by === 'user') return;
    await this.writer.append({ type: 'session.titled', data: { title, by: 'derived' } });
  }
}

type Noted = { -readonly [Member in keyof Imported]: Imported[Member] } & {
  parts: KeptPart[];
  stored: number[];
};

function note(imported: Noted, event: StoredEvent): void {
  if (event.type === 'session.titled' && event.data.origin === undefined) imported.titled = { ...event.data };
  if (event.type === 'source.kept') imported.parts.push(structuredClone(event.data) as unknown as KeptPart);
  else if (event.type === 'session.created') {
    imported.created = { ...event, data: structuredClone(event.data) };
    imported.stored.push(event.seq);
  } else if (event.data.origin !== undefined) imported.stored.push(event.seq);
}

export function sourceBytes({ agent, source, files }: Pick<ImportWork, 'agent' | 'source' | 'files'>): SourceBytes {
  const form = agent.stored(source).kind === 'rows' ? 'rows' : 'file';
  return { form, chunks: () => bytesOf(agent, source, files) };
}

/** False for one that is gone. @throws OllmError IO_FAILED */
export function isReadable(bytes: SourceBytes): boolean {
  try {
    for (const _ of bytes.chunks()) return true;
    return true;
  } catch (error) {
    if (isOllmError(error, 'SESSION_NOT_FOUND')) return false;
    throw error;
  }
}

/** Keeps the new bytes of the source: the parts are added, and events say so. */
export async function keep(
  work: ImportWork,
  bytes: SourceBytes,
  parts: KeptPart[],
  writer: JournalWriter,
): Promise<KeepOutcome> {
  const { store } = work;
  return keepSource(bytes, {
    ...keeping(work, parts, async () => writer),
    last: parts.at(-1),
    before: (generation) => {
      const isWhole = parts.every((part) => part.generation !== generation || isKept(part));
      return isWhole ? keptBytes(store, parts, generation) : undefined;
    },
  });
}

/** `open`: called for each part, once its bytes are safe. */
export function keeping(
  { store, id, agent, keepsSource, signal }: ImportWork,
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

export function keptEvent(part: KeptPart): NewEvent {
  return { type: 'source.kept', data: part, ignorable: true };
}

interface Target {
  readonly parts: readonly KeptPart[];
  readonly stored: number[];
  readonly writer: JournalWriter;
  /** Where the translation begins; afterwards, where it ended. */
  checkpoint?: TranslationCheckpoint | undefined;
}

/** Appends the events after the stored ones: whole records, many at a time. Returns their number. */
async function appendTranslated(work: ImportWork, bytes: SourceBytes | undefined, target: Target): Promise<number> {
  const { signal, id, store, keepsOutputs } = work;
  const { parts, stored, writer, checkpoint: from } = target;
  const known = stored.length;
  let waiting: NewEvent[] = [];
  let waitingBytes = 0;
  let number = from?.translator.seq ?? 0;
  let next = writer.head.seq + 1;
  const flush = async () => {
    signal?.throwIfAborted();
    if (waiting.length > 0) await writer.append(waiting);
    waiting = [];
    waitingBytes = 0;
  };
  for await (const record of translatedRecords(work.agent, work.source, piecesOf(work, bytes, parts, from?.offset), {
    form: parts.at(-1)?.form ?? 'file',
    fidelity: work.fidelity,
    from,
    onEnd: (checkpoint) => {
      target.checkpoint = checkpoint;
    },
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
 * Whether a rewritten source still begins with the stored events, as a file does that is written whole each time, or
 * has only lost its end. It is compared with the newest generation that has all of the stored events.
 */
async function beginsAsBefore(
  work: ImportWork,
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
  { signal }: ImportWork,
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
  { agent, source }: ImportWork,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  parts: readonly KeptPart[],
): EventIterator {
  const form = parts.at(-1)?.form ?? 'file';
  for await (const { events } of translatedRecords(agent, source, pieces, { form })) yield* events;
}

/** The bytes of the newest generation: as they are kept, or those of the source where they are not. */
function piecesOf(
  { store, address }: ImportWork,
  bytes: SourceBytes | undefined,
  parts: readonly KeptPart[],
  from = 0,
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

export function newest(parts: readonly KeptPart[]): readonly KeptPart[] {
  const generation = parts.at(-1)?.generation;
  return parts.filter((part) => part.generation === generation);
}

export async function firstEvent(
  work: ImportWork,
  bytes: SourceBytes | undefined,
  parts: readonly KeptPart[] = [],
): Promise<ForeignEvent | undefined> {
  const pieces = parts.length === 0 && bytes !== undefined ? bytes.chunks() : piecesOf(work, bytes, parts);
  const form = bytes?.form ?? parts.at(-1)?.form ?? 'file';
  for await (const { events } of translatedRecords(work.agent, work.source, pieces, { form })) return events[0];
  return undefined;
}
