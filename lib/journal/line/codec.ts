// A line → an event. Knows no file and no neighbours. The envelope is read by position, `data` is parsed when it is
// first asked for. A line with members in another order, or with members that this version does not know, is parsed as
// a whole. buffer.ts does the reverse.
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import { CHECKSUM_TAIL_BYTES, LINE_TAIL_BYTES, MAX_DATA_DEPTH } from '../format.ts';
import type { Anchor, JsonObject, StoredEvent } from '../types.ts';
import { checksum } from './checksum.ts';
import { type Bytes, checksumIn, headOf, prevIn, SEQ_NAME, statesChecksum, tailOf } from './envelope.ts';

/** A line at its place in the file. */
export interface LineSpan extends Bytes {
  /** Where `start` is in the file. */
  readonly offset: number;
  /** Where the next line begins in the file. */
  readonly end: number;
}

const REPLACEMENT = '\ufffd';
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The event of a line; undefined if its checksum does not hold or it is not a line. */
export function readLine(span: LineSpan): StoredEvent | undefined {
  const tail = validTail(span);
  return tail === undefined ? undefined : eventOf(span, tail);
}

/** The event of a line whose checksum is known to match. */
export function eventOf(span: LineSpan, tail = tailOf(span)): StoredEvent | undefined {
  const head = headOf(span, tail);
  return head ? new LineEvent(span, head, tail) : parseLine(span);
}

/** The tail of a line, if it states the right checksum of the preceding bytes. */
export function validTail(bytes: Bytes): string | undefined {
  const tail = tailOf(bytes);
  if (!statesChecksum(tail)) return undefined;
  const { buffer, start, stop } = bytes;
  return checksum(buffer.subarray(start, stop - CHECKSUM_TAIL_BYTES)) === checksumIn(tail) ? tail : undefined;
}

/** Everything from `,"ts":` up to `,"prev":`: what does not depend on a line's place in the journal. */
export function bytesBetweenSeqAndPrev(line: Buffer): Buffer | undefined {
  const seq = headOf({ buffer: line, start: 0, stop: line.length })?.[1];
  return seq === undefined ? undefined : line.subarray(SEQ_NAME.length + seq.length, -LINE_TAIL_BYTES);
}

/** Bytes as text. @throws TypeError where the bytes are not UTF-8 */
export function textAt(buffer: Buffer, start: number, stop: number): string {
  // The strict decoder takes twice as long for a short text, so it is asked only where a replacement shows.
  const text = buffer.toString('utf8', start, stop);
  return text.includes(REPLACEMENT) ? strictUtf8.decode(buffer.subarray(start, stop)) : text;
}

// `data` and `raw` are made on demand.
class LineEvent implements StoredEvent {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn: number | undefined;
  readonly id: string | undefined;
  readonly ignorable: true | undefined;
  readonly prev: string;
  readonly xxh64: string;
  readonly offset: number;
  readonly end: number;
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #stop: number;
  readonly #dataStart: number;
  #data: JsonObject | undefined;

  constructor(span: LineSpan, [head, seq, ts = '', type = '', turn, id, ignorable]: RegExpExecArray, tail: string) {
    this.seq = Number(seq);
    this.ts = ts;
    this.type = type;
    this.turn = turn === undefined ? undefined : Number(turn);
    this.id = id === undefined ? undefined : textOf(id);
    this.ignorable = ignorable === undefined ? undefined : true;
    this.prev = prevIn(tail);
    this.xxh64 = checksumIn(tail);
    this.offset = span.offset;
    this.end = span.end;
    this.#buffer = span.buffer;
    this.#start = span.start;
    this.#stop = span.stop;
    this.#dataStart = span.start + head.length - 1;
  }

  get position(): Anchor {
    return { seq: this.seq, offset: this.end, xxh64: this.xxh64 };
  }

  get raw(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#stop);
  }

  get data(): JsonObject {
    this.#data ??= this.#parseData();
    return this.#data;
  }

  #parseData(): JsonObject {
    try {
      const json = textAt(this.#buffer, this.#dataStart, this.#stop - LINE_TAIL_BYTES);
      return checkedDepth(JSON.parse(json) as JsonObject, this);
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
  for (const member of Object.values(value) as unknown[]) {
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
function parseLine({ buffer, start, stop, offset, end }: LineSpan): StoredEvent | undefined {
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

/** The value of a JSON string, given in Latin-1; the characters between its quotes if it is not JSON in UTF-8. */
function textOf(string: string): string {
  const bytes = Buffer.from(string, 'latin1');
  try {
    return JSON.parse(textAt(bytes, 0, bytes.length)) as string;
  } catch {
    return string.slice(1, -1);
  }
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}
