// Finds whole lines among bytes that are not one: what a lost LF welded together, or what a torn write left. A copy of
// a line in the data of another is not an event. Looks only at the bytes of the bad line, and at each of them a bounded
// number of times, whatever they are.
import { CHECKSUM_TAIL_BYTES } from '../format.ts';
import { RunningChecksum } from '../line/checksum.ts';
import { eventOf, readLine } from '../line/codec.ts';
import { CHECKSUM_BYTES, checksumIn, hasChecksum, readableSeq, SEQ_NAME, tailOf } from '../line/envelope.ts';
import type { StoredEvent } from '../types.ts';
import type { FoundLine } from './lines.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What JSON puts before and after an object inside another. */
const BEFORE_NESTED = ':,['.split('').map((character) => character.charCodeAt(0));
const AFTER_NESTED = ',}]'.split('').map((character) => character.charCodeAt(0));

export interface Inner {
  readonly event: StoredEvent;
  readonly start: number;
  readonly stop: number;
}

interface LineStart {
  readonly at: number;
  readonly seq: number;
}

/** Every line that holds inside of a bad one, in order. */
export function linesInside(line: FoundLine): Inner[] {
  const found: Inner[] = [];
  const stops = lineStops(line);
  let stop = stops.next().value;
  let last: LineStart | undefined;
  const starts = lineStarts(line.buffer, line.start, line.stop);
  for (let start = starts.next().value, next: LineStart | undefined; start !== undefined; start = next) {
    // No line holds the beginning of another that is not nested: it ends before that.
    next = starts.next().value;
    const limit = next?.at ?? line.stop;
    const hash = new HashedFrom(line.buffer, start.at);
    for (; stop !== undefined && stop <= limit; stop = stops.next().value) {
      if (stop <= start.at) continue;
      const span = spanInside(line, start.at, stop);
      const tail = tailOf(span);
      if (hash.upTo(stop - CHECKSUM_TAIL_BYTES) !== checksumIn(tail)) continue;
      const event = eventOf(span, tail);
      if (event === undefined) continue;
      found.push({ event, start: start.at, stop });
      break;
    }
    last = start;
  }
  const nested = lastObject(line, found.at(-1)?.stop ?? line.start, last);
  return nested === undefined ? found : [...found, nested];
}

/**
 * The line that the bad one ends with, if the byte before it looks as if the line were nested: a write that was torn
 * right after a colon or a comma. An older line than the one around it is a copy in its data.
 */
function lastObject(line: FoundLine, from: number, around: LineStart | undefined): Inner | undefined {
  if (!line.terminated || !hasChecksum(line)) return undefined;
  const start = openingBrace(line.buffer, from, line.stop);
  const seq = start === undefined ? undefined : readableSeq({ buffer: line.buffer, start, stop: line.stop });
  if (start === undefined || seq === undefined || seq < (around?.seq ?? 0)) return undefined;
  const event = readLine(spanInside(line, start, line.stop));
  return event && { event, start, stop: line.stop };
}

function spanInside(line: FoundLine, start: number, stop: number) {
  const offset = line.offset + start - line.start;
  return { buffer: line.buffer, start, stop, offset, end: stop === line.stop ? line.end : offset + stop - start };
}

/** The highest seq that can be read in the bytes. */
export function highestSeq(buffer: Buffer, start: number, stop: number): number | undefined {
  let highest: number | undefined;
  for (const { seq } of lineStarts(buffer, start, stop)) if (seq > (highest ?? -1)) highest = seq;
  return highest;
}

/** Where lines may begin: beginnings that can be read and are not nested. */
function* lineStarts(buffer: Buffer, start: number, stop: number): Generator<LineStart, undefined, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(SEQ_NAME, start); at >= 0; at = bytes.indexOf(SEQ_NAME, at + 1)) {
    if (at > start && BEFORE_NESTED.includes(buffer[at - 1]!)) continue;
    const seq = readableSeq({ buffer, start: at, stop });
    if (seq !== undefined) yield { at, seq };
  }
}

/** Where lines may end: after a checksum, unless it is followed by what JSON puts after a nested object. */
function* lineStops({ buffer, start, stop }: FoundLine): Generator<number, undefined, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(CHECKSUM_BYTES, start); at >= 0; at = bytes.indexOf(CHECKSUM_BYTES, at + 1)) {
    const lineStop = at + CHECKSUM_TAIL_BYTES;
    if (lineStop > stop || !hasChecksum({ buffer, start, stop: lineStop })) continue;
    if (lineStop === stop || !AFTER_NESTED.includes(buffer[lineStop]!)) yield lineStop;
  }
}

/**
 * Where the JSON object that ends at `stop` begins, if it is after `from`. Read from its end, where no text is open.
 */
function openingBrace(buffer: Buffer, from: number, stop: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = stop - 1; at >= from; at -= 1) {
    const byte = buffer[at]!;
    if (byte === QUOTE) {
      let escapes = at;
      while (buffer[escapes - 1] === BACKSLASH && escapes > from) escapes -= 1;
      if ((at - escapes) % 2 === 0) isText = !isText;
    } else if (isText) continue;
    else if (byte === 0x7d || byte === 0x5d) depth += 1;
    else if ((byte === 0x7b || byte === 0x5b) && --depth === 0) return at;
  }
  return undefined;
}

/** Checksums of bytes that all begin at one place, each of them longer than the one before. */
class HashedFrom {
  readonly #buffer: Buffer;
  #hashedTo: number;
  #hash: RunningChecksum | undefined;

  constructor(buffer: Buffer, start: number) {
    this.#buffer = buffer;
    this.#hashedTo = start;
  }

  upTo(stop: number): string {
    this.#hash ??= new RunningChecksum();
    this.#hash.add(this.#buffer.subarray(this.#hashedTo, Math.max(stop, this.#hashedTo)));
    this.#hashedTo = Math.max(stop, this.#hashedTo);
    return this.#hash.digits;
  }
}
