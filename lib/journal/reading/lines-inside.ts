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

/** Nothing was found yet: other work may run. */
export type Pause = readonly never[];
const PAUSE: Pause = [];

/** Candidates, or bytes that are looked at one by one, between two pauses: some hundredths of a second. */
const CANDIDATES = 16 * 1024;
const STEP_BYTES = 4 * 1024 * 1024;

/** Every line that holds inside of a bad one, in order. */
export function* linesInside(line: FoundLine): Generator<Pause, Inner[], void> {
  const found: Inner[] = [];
  const stops = lineStops(line);
  let stop = stops.next().value;
  let candidates = 0;

  // No line holds the beginning of another that is not nested: it ends before that.
  function* lookFrom(start: number, limit: number): Generator<Pause, void, void> {
    const hash = new HashedFrom(line.buffer, start);
    for (; stop !== undefined && stop <= limit; stop = stops.next().value) {
      if (++candidates % CANDIDATES === 0) yield PAUSE;
      if (stop <= start) continue;
      const span = spanInside(line, start, stop);
      const tail = tailOf(span);
      if (hash.upTo(stop - CHECKSUM_TAIL_BYTES) !== checksumIn(tail)) continue;
      const event = eventOf(span, tail);
      if (event === undefined) continue;
      found.push({ event, start, stop });
      return;
    }
  }

  let last: LineStart | undefined;
  for (const start of lineStarts(line.buffer, line.start, line.stop)) {
    if (++candidates % CANDIDATES === 0) yield PAUSE;
    if (start === undefined) continue;
    if (last && stop !== undefined && stop <= start.at) yield* lookFrom(last.at, start.at);
    last = start;
  }
  if (last) yield* lookFrom(last.at, line.stop);
  const nested = yield* lastObject(line, found.at(-1)?.stop ?? line.start, last);
  return nested === undefined ? found : [...found, nested];
}

/**
 * The line that the bad one ends with, if the byte before it looks as if the line were nested: a write that was torn
 * right after a colon or a comma. An older line than the one around it is a copy in its data.
 */
function* lastObject(
  line: FoundLine,
  from: number,
  around: LineStart | undefined,
): Generator<Pause, Inner | undefined, void> {
  if (!line.terminated || !hasChecksum(line)) return undefined;
  const start = yield* openingBrace(line.buffer, from, line.stop);
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
export function* highestSeq(buffer: Buffer, start: number, stop: number): Generator<Pause, number | undefined, void> {
  let highest: number | undefined;
  let candidates = 0;
  for (const found of lineStarts(buffer, start, stop)) {
    if (++candidates % CANDIDATES === 0) yield PAUSE;
    if (found !== undefined && found.seq > (highest ?? -1)) highest = found.seq;
  }
  return highest;
}

/** Where lines may begin: beginnings that can be read and are not nested. Undefined for each other beginning. */
function* lineStarts(buffer: Buffer, start: number, stop: number): Generator<LineStart | undefined, undefined, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(SEQ_NAME, start); at >= 0; at = bytes.indexOf(SEQ_NAME, at + 1)) {
    const isNested = at > start && BEFORE_NESTED.includes(buffer[at - 1]!);
    const seq = isNested ? undefined : readableSeq({ buffer, start: at, stop });
    yield seq === undefined ? undefined : { at, seq };
  }
}

/**
 * Where lines may end: after a checksum, unless it is followed by what JSON puts after a nested object. 0 for each
 * other checksum.
 */
function* lineStops({ buffer, start, stop }: FoundLine): Generator<number, undefined, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(CHECKSUM_BYTES, start); at >= 0; at = bytes.indexOf(CHECKSUM_BYTES, at + 1)) {
    const lineStop = at + CHECKSUM_TAIL_BYTES;
    const isWhole = lineStop <= stop && hasChecksum({ buffer, start, stop: lineStop });
    yield isWhole && (lineStop === stop || !AFTER_NESTED.includes(buffer[lineStop]!)) ? lineStop : 0;
  }
}

/**
 * Where the JSON object that ends at `stop` begins, if it is after `from`. Read from its end, where no text is open.
 */
function* openingBrace(buffer: Buffer, from: number, stop: number): Generator<Pause, number | undefined, void> {
  let depth = 0;
  let isText = false;
  for (let at = stop - 1; at >= from; at -= 1) {
    if ((stop - at) % STEP_BYTES === 0) yield PAUSE;
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
