// One line → one event, and nothing else: no file, no neighbours. A line is read by position from its bytes; its data
// is parsed when it is asked for. Lines whose members stand in another order, or that have members which this version
// does not know, are parsed as a whole. The way back is line-buffer.ts.
import { OllmError } from '../errors/index.ts';
import { areDigits, checksum, holdsDigits } from './checksum.ts';
import { CHECKSUM_TAIL_BYTES } from './format.ts';
import { textAt } from './text-at.ts';
import { typeNameAt } from './type-names.ts';
import type { JsonObject, StoredEvent } from './types.ts';

/** `,"prev":"<16 hex>"` and the checksum's tail: the end of each line that has its members in order. */
export const TAIL_BYTES = 26 + CHECKSUM_TAIL_BYTES;
/** `{"seq":0,"ts":"…","type":"a.b","data":{}` */
const SHORTEST_HEAD_BYTES = 64;
const TIME_BYTES = 24;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE_CLOSE = 0x7d;
const LETTER_Z = 0x5a;

/** A piece of a line that never varies, as the 32-bit words that cover it: compared so, it costs next to nothing. */
class Token {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly secondAt: number;
  readonly last: number;

  constructor(text: string) {
    const bytes = new TextEncoder().encode(text);
    this.length = bytes.length;
    this.secondAt = Math.min(4, bytes.length - 4);
    this.first = wordAt(bytes, 0);
    this.second = wordAt(bytes, this.secondAt);
    this.last = wordAt(bytes, bytes.length - 4);
  }

  standsAt(bytes: Uint8Array, at: number): boolean {
    return (
      wordAt(bytes, at) === this.first &&
      wordAt(bytes, at + this.secondAt) === this.second &&
      (this.length <= 8 || wordAt(bytes, at + this.length - 4) === this.last)
    );
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

// 7 to 12 bytes each, which is what three words can cover.
const SEQ = new Token('{"seq":');
const TIME = new Token(',"ts":"');
const TYPE = new Token('","type":"');
const TURN = new Token(',"turn":');
const ID = new Token(',"id":"');
const DATA = new Token(',"data":{');
const PREVIOUS = new Token(',"prev":"');
const CHECKSUM = new Token(',"xxh64":"');
// ,"ignorable":true is longer: two pieces.
const IGNORABLE_START = new Token(',"ignora');
const IGNORABLE_STOP = new Token('ble":true');

/** Where the members of a line stand: positions in the buffer that it was read from. Filled again for each line. */
export class LinePositions {
  start = 0;
  /** Behind the last byte, LF not counted. */
  stop = 0;
  seq = 0;
  time = 0;
  type = 0;
  typeStop = 0;
  /** 0 if there is none. */
  turn = 0;
  /** Of the string with its quotes; 0 if there is none. */
  id = 0;
  idStop = 0;
  ignorable = false;
  data = 0;
  previous = 0;
  /** What the line's checksum was computed to be, once it was found to hold. */
  hash = 0n;
}

/** Whether the bytes end as a line does, with the checksum of what is before it. Leaves the hash in `positions`. */
export function checksumHolds(buffer: Buffer, start: number, stop: number, positions: LinePositions): boolean {
  if (!endsLikeLine(buffer, start, stop)) return false;
  // Half as dear as `subarray`, which makes a Buffer; this runs once per line.
  const covered = new Uint8Array(buffer.buffer, buffer.byteOffset + start, stop - start - CHECKSUM_TAIL_BYTES);
  const hash = checksum(covered);
  positions.hash = hash;
  return holdsDigits(buffer, stop - 18, hash);
}

/** Whether the bytes end with `,"xxh64":"<16 hex>"}`, be it right or wrong. */
export function hasChecksum(buffer: Buffer, start: number, stop: number): boolean {
  return endsLikeLine(buffer, start, stop) && areDigits(buffer, stop - 18);
}

function endsLikeLine(buffer: Buffer, start: number, stop: number): boolean {
  const tail = stop - CHECKSUM_TAIL_BYTES;
  return (
    tail > start && buffer[stop - 1] === BRACE_CLOSE && buffer[stop - 2] === QUOTE && CHECKSUM.standsAt(buffer, tail)
  );
}

/**
 * Finds the beginning and the end of a line: seq, time, where the type begins, prev. That is all there is to check once
 * a checksum holds; what stands between is as it was written. Says nothing about the checksum, nor whether `prev` is
 * made of digits.
 */
export function findFrame(buffer: Buffer, start: number, stop: number, found: LinePositions): boolean {
  const previous = stop - TAIL_BYTES;
  if (previous < start + SHORTEST_HEAD_BYTES || !SEQ.standsAt(buffer, start)) return false;
  let at = start + SEQ.length;
  const seqStart = at;
  let seq = 0;
  for (let digit = buffer[at]! - 0x30; digit >= 0 && digit <= 9; digit = buffer[++at]! - 0x30) seq = seq * 10 + digit;
  if (at === seqStart || at - seqStart > 15 || (buffer[seqStart] === 0x30 && at - seqStart > 1)) return false;
  if (!TIME.standsAt(buffer, at)) return false;
  at += TIME.length;
  found.time = at;
  at += TIME_BYTES;
  if (buffer[at - 1] !== LETTER_Z || !TYPE.standsAt(buffer, at)) return false;
  if (buffer[previous - 1] !== BRACE_CLOSE || !PREVIOUS.standsAt(buffer, previous)) return false;
  if (buffer[previous + 25] !== QUOTE) return false;
  found.start = start;
  found.stop = stop;
  found.seq = seq;
  found.type = at + TYPE.length;
  found.previous = previous + PREVIOUS.length;
  return true;
}

/**
 * Finds the members of a line that has them in their order and no others. False if it does not: it may still be a
 * line, see `parseLine`. Says as little about checksums as `findFrame`.
 */
export function findMembers(buffer: Buffer, start: number, stop: number, found: LinePositions): boolean {
  if (!findFrame(buffer, start, stop, found)) return false;
  const previous = stop - TAIL_BYTES;
  let at = found.type;
  for (let byte = buffer[at]!; (byte >= 0x61 && byte <= 0x7a) || byte === 0x2e || byte === 0x2d; ) byte = buffer[++at]!;
  found.typeStop = at;
  if (at === found.type || buffer[at] !== QUOTE) return false;
  at += 1;

  found.turn = 0;
  found.id = 0;
  found.ignorable = false;
  if (!DATA.standsAt(buffer, at)) {
    if (TURN.standsAt(buffer, at)) {
      at += TURN.length;
      const turnStart = at;
      let turn = 0;
      for (let digit = buffer[at]! - 0x30; digit >= 0 && digit <= 9; digit = buffer[++at]! - 0x30) {
        turn = turn * 10 + digit;
      }
      if (turn === 0 || at - turnStart > 15) return false;
      found.turn = turn;
    }
    if (ID.standsAt(buffer, at)) {
      found.id = at + ID.length - 1;
      at = stringStop(buffer, found.id, previous);
      found.idStop = at;
    }
    if (IGNORABLE_START.standsAt(buffer, at) && IGNORABLE_STOP.standsAt(buffer, at + IGNORABLE_START.length)) {
      at += IGNORABLE_START.length + IGNORABLE_STOP.length;
      found.ignorable = true;
    }
    if (!DATA.standsAt(buffer, at)) return false;
  }
  found.data = at + DATA.length - 1;
  return found.data < previous - 1;
}

/** What of a line does not depend on its place in the journal: everything from `,"ts":` up to `,"prev":`. */
export function bytesBetweenSeqAndPrev(buffer: Buffer, found: LinePositions): Buffer {
  return buffer.subarray(found.time - TIME.length, found.previous - PREVIOUS.length);
}

/** The time of a line whose members were found. */
export function timeAt(buffer: Buffer, found: LinePositions): string {
  return buffer.toString('latin1', found.time, found.time + TIME_BYTES);
}

/** The event of a line whose members were found and whose checksum holds. `offset` and `end` are places in the file. */
export function eventAt(buffer: Buffer, found: LinePositions, offset: number, end: number): StoredEvent {
  return new LineEvent(buffer, found, offset, end);
}

/** The event of a line whose checksum holds but whose members are not in order; undefined if it is no line at all. */
export function parseLine(
  buffer: Buffer,
  start: number,
  stop: number,
  offset: number,
  end: number,
): StoredEvent | undefined {
  const raw = buffer.subarray(start, stop);
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
  return {
    seq,
    ts,
    type,
    ...(typeof turn === 'number' ? { turn } : {}),
    ...(typeof id === 'string' ? { id } : {}),
    ...(ignorable === true ? { ignorable } : {}),
    data,
    prev,
    xxh64,
    offset,
    end,
    raw,
  };
}

/** The event of bytes that are a line and nothing else; undefined if they are not. */
export function readLine(
  buffer: Buffer,
  start: number,
  stop: number,
  offset: number,
  end: number,
): StoredEvent | undefined {
  const positions = new LinePositions();
  if (!checksumHolds(buffer, start, stop, positions)) return undefined;
  return findMembers(buffer, start, stop, positions) && areDigits(buffer, positions.previous)
    ? eventAt(buffer, positions, offset, end)
    : parseLine(buffer, start, stop, offset, end);
}

/** The seq at the beginning of what may be the rest of a line; undefined if it cannot be read. */
export function readableSeq(buffer: Buffer, start: number, stop: number): number | undefined {
  if (!SEQ.standsAt(buffer, start)) return undefined;
  const beginning = buffer.toString(
    'latin1',
    start + SEQ.length,
    Math.min(stop, start + SEQ.length + 15 + TIME.length),
  );
  const digits = /^(\d{1,15}),"ts":"/.exec(beginning)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

// The envelope is there at once, because nearly everybody reads it; data, checksums and bytes wait until asked for.
class LineEvent implements StoredEvent {
  /** As `Examiner.held`. */
  static readonly held: unknown = new LineEvent(Buffer.alloc(0), new LinePositions(), 0, 0);
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn: number | undefined;
  readonly id: string | undefined;
  readonly ignorable: true | undefined;
  readonly offset: number;
  readonly end: number;
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #stop: number;
  readonly #dataStart: number;
  #data: JsonObject | undefined;

  constructor(buffer: Buffer, found: LinePositions, offset: number, end: number) {
    this.seq = found.seq;
    this.ts = timeAt(buffer, found);
    this.type = typeNameAt(buffer, found.type, found.typeStop);
    this.turn = found.turn === 0 ? undefined : found.turn;
    this.id = found.id === 0 ? undefined : readString(buffer, found.id, found.idStop);
    this.ignorable = found.ignorable ? true : undefined;
    this.offset = offset;
    this.end = end;
    this.#buffer = buffer;
    this.#start = found.start;
    this.#stop = found.stop;
    this.#dataStart = found.data;
  }

  get prev(): string {
    return this.#buffer.toString('latin1', this.#stop - 45, this.#stop - 29);
  }

  get xxh64(): string {
    return this.#buffer.toString('latin1', this.#stop - 18, this.#stop - 2);
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
      return JSON.parse(textAt(this.#buffer, this.#dataStart, this.#stop - TAIL_BYTES)) as JsonObject;
    } catch (cause) {
      // Members that this version does not know may stand behind data.
      const event = parseLine(this.#buffer, this.#start, this.#stop, this.offset, this.end);
      if (event) return event.data;
      throw new OllmError(
        'JOURNAL_DAMAGED',
        `The line at byte ${this.offset} (seq ${this.seq}) has a checksum that holds, but its data is no JSON object in UTF-8.`,
        { hint: 'Whatever wrote it did not write JSON. "ollm verify" shows the rest of the journal.', cause },
      );
    }
  }
}

function readString(buffer: Buffer, start: number, stop: number): string {
  try {
    return JSON.parse(textAt(buffer, start, stop)) as string;
  } catch {
    return buffer.toString('latin1', start + 1, stop - 1);
  }
}

/** The position behind a JSON string that begins at `start`. */
function stringStop(buffer: Uint8Array, start: number, limit: number): number {
  let at = start + 1;
  while (at < limit && buffer[at] !== QUOTE) at += buffer[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}
