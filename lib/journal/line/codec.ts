// One line → one event, and nothing else: no file, no neighbours. A line is read by position from its bytes; its data
// is parsed when it is asked for. Lines whose members stand in another order, or that have members which this version
// does not know, are parsed as a whole. The way back is line-buffer.ts.
import { OllmError } from '../../errors/index.ts';
import { CHECKSUM_TAIL_BYTES } from '../format.ts';
import type { JsonObject, StoredEvent } from '../types.ts';
import { LinePositions } from './line-positions.ts';
import { dataWithLongTexts } from './long-texts.ts';
import { type Scanner, scannerFor } from './scanner.ts';
import { textAt } from './text-at.ts';
import { typeNameAt } from './type-names.ts';

const SEQ = Buffer.from('{"seq":');
const TIME_NAME_BYTES = 7;
const TIME_BYTES = 24;
const PREVIOUS_NAME_BYTES = 9;
const CHECKSUM_TAIL = /^,"xxh64":"[0-9a-f]{16}"\}$/;
const QUOTE = 0x22;
const BRACE_CLOSE = 0x7d;

/** Whether the bytes end as a line does, with the checksum of what is before it. */
export function checksumHolds(buffer: Buffer, start: number, stop: number): boolean {
  return endsLikeLine(buffer, start, stop) && loadedScanner(buffer, start, stop).holds(stop - start);
}

/** Whether the bytes end with `,"xxh64":"<16 hex>"}`, be it right or wrong. */
export function hasChecksum(buffer: Buffer, start: number, stop: number): boolean {
  return (
    endsLikeLine(buffer, start, stop) && CHECKSUM_TAIL.test(buffer.toString('latin1', stop - CHECKSUM_TAIL_BYTES, stop))
  );
}

/** Spares what is no line from being copied. */
function endsLikeLine(buffer: Buffer, start: number, stop: number): boolean {
  return stop - start > CHECKSUM_TAIL_BYTES && buffer[stop - 1] === BRACE_CLOSE && buffer[stop - 2] === QUOTE;
}

/**
 * Finds the members of a line that has them in their order and no others. False if it does not: it may still be a
 * line, see `parseLine`. Says nothing about its checksum.
 */
export function findMembers(buffer: Buffer, start: number, stop: number, found: LinePositions): boolean {
  const scanner = loadedScanner(buffer, start, stop);
  if (!scanner.members(stop - start)) return false;
  found.take(scanner, 1, start);
  return true;
}

function loadedScanner(buffer: Buffer, start: number, stop: number): Scanner {
  const scanner = scannerFor(stop - start);
  scanner.load(buffer, start, stop);
  return scanner;
}

/** What of a line does not depend on its place in the journal: everything from `,"ts":` up to `,"prev":`. */
export function bytesBetweenSeqAndPrev(buffer: Buffer, found: LinePositions): Buffer {
  return buffer.subarray(found.time - TIME_NAME_BYTES, found.previous - PREVIOUS_NAME_BYTES);
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
  if (!endsLikeLine(buffer, start, stop)) return undefined;
  const scanner = loadedScanner(buffer, start, stop);
  if (!scanner.holds(stop - start)) return undefined;
  if (!scanner.members(stop - start)) return parseLine(buffer, start, stop, offset, end);
  const positions = new LinePositions();
  positions.take(scanner, 1, start);
  return eventAt(buffer, positions, offset, end);
}

/** The seq at the beginning of what may be the rest of a line; undefined if it cannot be read. */
export function readableSeq(buffer: Buffer, start: number, stop: number): number | undefined {
  if (buffer.compare(SEQ, 0, SEQ.length, start, Math.min(stop, start + SEQ.length)) !== 0) return undefined;
  const digitsStart = start + SEQ.length;
  const beginning = buffer.toString('latin1', digitsStart, Math.min(stop, digitsStart + 15 + TIME_NAME_BYTES));
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
  readonly #dataStop: number;
  #data: JsonObject | undefined;

  constructor(buffer: Buffer, found: LinePositions, offset: number, end: number) {
    this.seq = found.seq;
    this.ts = timeAt(buffer, found);
    this.type = typeNameAt(buffer, found.type, found.typeStop);
    this.turn = found.turn === 0 ? undefined : found.turn;
    this.id = found.hasId ? readString(buffer, found.id, found.idStop) : undefined;
    this.ignorable = found.ignorable ? true : undefined;
    this.offset = offset;
    this.end = end;
    this.#buffer = buffer;
    this.#start = found.start;
    this.#stop = found.stop;
    this.#dataStart = found.data;
    this.#dataStop = found.dataStop;
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
      return parsedData(this.#buffer, this.#dataStart, this.#dataStop);
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

function parsedData(buffer: Buffer, start: number, stop: number): JsonObject {
  return dataWithLongTexts(buffer, start, stop) ?? (JSON.parse(textAt(buffer, start, stop)) as JsonObject);
}

function readString(buffer: Buffer, start: number, stop: number): string {
  try {
    return JSON.parse(textAt(buffer, start, stop)) as string;
  } catch {
    return buffer.toString('latin1', start + 1, stop - 1);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}
