// One line → one event. Knows no file and no neighbours. The envelope is read by position, `data` is parsed when it is
// first asked for. A line with members in another order, or with members that this version does not know, is parsed as
// a whole. buffer.ts does the reverse.
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import { CHECKSUM_TAIL_BYTES, MAX_DATA_DEPTH } from '../format.ts';
import type { Anchor, JsonObject, StoredEvent } from '../types.ts';
import { checksum } from './checksum.ts';
import { type Bytes, type Envelope, endsLikeLine, envelopeOf, HASH_DIGITS, TIME_BYTES } from './envelope.ts';

/** A line at its place in the file. */
export interface Span extends Bytes {
  /** Where `start` is in the file. */
  readonly offset: number;
  /** Where the next line begins in the file. */
  readonly end: number;
}

/** `"}` follow the digits. */
const DIGITS_FROM_STOP = HASH_DIGITS + 2;

const REPLACEMENT = '\ufffd';
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The event of a line; undefined if its checksum does not hold or it is not a line. */
export function readLine(span: Span): StoredEvent | undefined {
  const xxh64 = validChecksum(span);
  return xxh64 === undefined ? undefined : eventOf(span, xxh64);
}

/** The same for a line whose checksum is known to hold. */
export function eventOf(span: Span, xxh64: string): StoredEvent | undefined {
  const envelope = envelopeOf(span);
  return envelope === undefined ? parseLine(span) : new LineEvent(span, envelope, xxh64);
}

/** The checksum at the end of the bytes, if it is that of what comes before it. */
export function validChecksum({ buffer, start, stop }: Bytes): string | undefined {
  if (!endsLikeLine({ buffer, start, stop })) return undefined;
  const stated = statedChecksum(buffer, stop);
  return checksum(buffer.subarray(start, stop - CHECKSUM_TAIL_BYTES)) === stated ? stated : undefined;
}

/** The digits at the end of a line that ends at `stop`. */
export function statedChecksum(buffer: Buffer, stop: number): string {
  return buffer.toString('latin1', stop - DIGITS_FROM_STOP, stop - 2);
}

/** Everything from `,"ts":` up to `,"prev":`: what does not depend on a line's place in the journal. */
export function bytesBetweenSeqAndPrev(line: Buffer): Buffer | undefined {
  const envelope = envelopeOf({ buffer: line, start: 0, stop: line.length });
  return envelope && line.subarray(envelope.afterSeq, envelope.dataStop);
}

/** Bytes as text. @throws TypeError where the bytes are not UTF-8 */
export function textAt(buffer: Buffer, start: number, stop: number): string {
  // The strict decoder takes twice as long for a short text, so it is asked only where a replacement shows.
  const text = buffer.toString('utf8', start, stop);
  return text.includes(REPLACEMENT) ? strictUtf8.decode(buffer.subarray(start, stop)) : text;
}

// Members that nearly every reader needs are properties; `data`, `prev` and `raw` are made on demand.
class LineEvent implements StoredEvent {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn: number | undefined;
  readonly id: string | undefined;
  readonly ignorable: true | undefined;
  readonly xxh64: string;
  readonly offset: number;
  readonly end: number;
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #stop: number;
  readonly #envelope: Envelope;
  #data: JsonObject | undefined;

  constructor({ buffer, start, stop, offset, end }: Span, envelope: Envelope, xxh64: string) {
    const { seq, time, type, typeStop, turn, id, idStop, isIgnorable } = envelope;
    this.seq = seq;
    this.ts = buffer.toString('latin1', time, time + TIME_BYTES);
    this.type = buffer.toString('latin1', type, typeStop);
    this.turn = turn;
    this.id = id === 0 ? undefined : stringAt(buffer, id, idStop);
    this.ignorable = isIgnorable || undefined;
    this.xxh64 = xxh64;
    this.offset = offset;
    this.end = end;
    this.#buffer = buffer;
    this.#start = start;
    this.#stop = stop;
    this.#envelope = envelope;
  }

  get position(): Anchor {
    return { seq: this.seq, offset: this.end, xxh64: this.xxh64 };
  }

  get prev(): string {
    const { prev } = this.#envelope;
    return this.#buffer.toString('latin1', prev, prev + HASH_DIGITS);
  }

  get raw(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#stop);
  }

  get data(): JsonObject {
    this.#data ??= this.#parseData();
    return this.#data;
  }

  #parseData(): JsonObject {
    const { data, dataStop } = this.#envelope;
    try {
      return checkedDepth(JSON.parse(textAt(this.#buffer, data, dataStop)) as JsonObject, this);
    } catch (cause) {
      if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
      // Members that this version does not know may follow data.
      const { offset, end } = this;
      const event = parseLine({ buffer: this.#buffer, start: this.#start, stop: this.#stop, offset, end });
      if (event) return event.data;
      throw unreadable(this, 'is not a JSON object in UTF-8', cause);
    }
  }
}

/** Deeper data than a writer may write would overflow the stack of any program that walks through it. */
function checkedDepth(data: JsonObject, line: Pick<StoredEvent, 'offset' | 'seq'>): JsonObject {
  if (nestsDeeper(data, MAX_DATA_DEPTH)) throw unreadable(line, `nests more than ${MAX_DATA_DEPTH} deep`);
  return data;
}

function nestsDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const name in value) {
    const member: unknown = value[name as keyof typeof value];
    if (typeof member === 'object' && member !== null && nestsDeeper(member, levels - 1)) return true;
  }
  return false;
}

function unreadable({ offset, seq }: Pick<StoredEvent, 'offset' | 'seq'>, fault: string, cause?: unknown): OllmError {
  return new OllmError(
    'JOURNAL_DAMAGED',
    `The line at byte ${offset} (seq ${seq}) has a checksum that holds, but its data ${fault}.`,
    { hint: 'It was not written by ollm. "ollm verify --deep" names each such line.', data: { offset, seq }, cause },
  );
}

/**
 * The event of a line whose checksum holds but whose members are not in order; undefined if it is not a line at all.
 */
function parseLine({ buffer, start, stop, offset, end }: Span): StoredEvent | undefined {
  let line: unknown;
  try {
    line = JSON.parse(textAt(buffer, start, stop));
  } catch {
    return undefined;
  }
  if (!isObject(line)) return undefined;
  const { seq, ts, type, turn, id, ignorable, data, prev, xxh64 } = line;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return undefined;
  if (typeof ts !== 'string' || typeof type !== 'string' || !isObject(data)) return undefined;
  if (!isHex(prev) || !isHex(xxh64)) return undefined;
  if (nestsDeeper(data, MAX_DATA_DEPTH)) return undefined;
  return {
    seq,
    ts,
    type,
    ...(typeof turn === 'number' ? { turn } : {}),
    ...(typeof id === 'string' ? { id } : {}),
    ...(ignorable === true ? { ignorable } : {}),
    data,
    position: { seq, offset: end, xxh64 },
    prev,
    xxh64,
    offset,
    end,
    raw: buffer.subarray(start, stop),
  };
}

/** The value of a JSON string; the characters between its quotes if it is not JSON in UTF-8. */
function stringAt(buffer: Buffer, start: number, stop: number): string {
  try {
    return JSON.parse(textAt(buffer, start, stop)) as string;
  } catch {
    return buffer.toString('latin1', start + 1, stop - 1);
  }
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}
