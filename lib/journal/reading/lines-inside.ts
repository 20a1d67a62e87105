// Finds whole lines among bytes that are not one: lines joined by a lost LF, or the rest of a torn write. A copy of a
// line in the data of another is not an event: JSON is on both sides of it. Reads only the bytes of the bad line, and
// each of them a bounded number of times, for any content.
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
  function* lookFrom(start: number, limit: number, before: LineStart | undefined): Generator<Pause, void, void> {
    const hash = new HashedFrom(line.buffer, start);
    for (; stop !== undefined && stop <= limit; stop = stops.next().value) {
      if (++candidates % CANDIDATES === 0) yield PAUSE;
      if (stop <= start) continue;
      const span = spanInside(line, start, stop);
      const tail = tailOf(span);
      if (hash.upTo(stop - CHECKSUM_TAIL_BYTES) !== checksumIn(tail)) continue;
      const event = eventOf(span, tail);
      if (event === undefined || (yield* isCopy(line, { start, stop, before }))) continue;
      found.push({ event, start, stop });
      return;
    }
  }

  let [before, last]: (LineStart | undefined)[] = [];
  for (const start of lineStarts(line.buffer, line.start, line.stop)) {
    if (++candidates % CANDIDATES === 0) yield PAUSE;
    if (start === undefined) continue;
    if (last && stop !== undefined && stop <= start.at) yield* lookFrom(last.at, start.at, before);
    before = last;
    last = start;
  }
  if (last) yield* lookFrom(last.at, line.stop, before);
  const nested = yield* lastObject(line, found.at(-1)?.stop ?? line.start, last);
  return nested === undefined ? found : [...found, nested];
}

/**
 * Whether a line that holds, and that nothing before it shows to be nested, is one in the data of another: JSON follows
 * it, and an object or a list is open where it begins. A line that begins where the bad one begins is not.
 */
function* isCopy(
  { buffer, start: first }: FoundLine,
  { start, stop, before }: Pick<Inner, 'start' | 'stop'> & { readonly before: LineStart | undefined },
): Generator<Pause, boolean, void> {
  if (start === first || !AFTER_NESTED.includes(buffer[stop] ?? 0)) return false;
  return before === undefined || (yield* openingBrace(buffer, before.at, start)) !== undefined;
}

/**
 * The line that the bad one ends with, if the byte before it looks as if the line were nested: a write that was torn
 * right after a colon or a comma. An older line than the one around it is a copy in its data, if JSON puts a value
 * there.
 */
function* lastObject(
  line: FoundLine,
  from: number,
  around: LineStart | undefined,
): Generator<Pause, Inner | undefined, void> {
  if (!line.terminated || !hasChecksum(line)) return undefined;
  const { buffer, stop } = line;
  const start = yield* openingBrace(buffer, from, stop - 1);
  const seq = start === undefined ? undefined : readableSeq({ buffer, start, stop });
  if (start === undefined || seq === undefined) return undefined;
  if (around !== undefined && seq < around.seq && (yield* isValue(buffer, around.at, start))) return undefined;
  const event = readLine(spanInside(line, start, stop));
  return event && { event, start, stop };
}

/** Whether JSON that begins at `from` may have a value at `at`: a member of a list, or of an object after its name. */
function* isValue(buffer: Buffer, from: number, at: number): Generator<Pause, boolean, void> {
  const open = yield* openingBrace(buffer, from, at);
  return open !== undefined && (buffer[open] === 0x5b || buffer[at - 1] === 0x3a);
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

/** Where lines may end: after a checksum. 0 for each that cannot be one. */
function* lineStops({ buffer, start, stop }: FoundLine): Generator<number, undefined, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(CHECKSUM_BYTES, start); at >= 0; at = bytes.indexOf(CHECKSUM_BYTES, at + 1)) {
    const lineStop = at + CHECKSUM_TAIL_BYTES;
    const isWhole = lineStop <= stop && hasChecksum({ buffer, start, stop: lineStop });
    yield isWhole ? lineStop : 0;
  }
}

/** Where the innermost JSON object or list begins that is open at `end`, where no text is. Not before `from`. */
function* openingBrace(buffer: Buffer, from: number, end: number): Generator<Pause, number | undefined, void> {
  let depth = 1;
  let isText = false;
  for (let at = end - 1; at >= from; at -= 1) {
    if ((end - at) % STEP_BYTES === 0) yield PAUSE;
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
