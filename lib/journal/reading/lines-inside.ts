// Finds whole lines among bytes that are none: what a lost LF welded together, or what a torn write left standing. A copy
// of a line that stands in the data of another is no event and is passed over.

import { CHECKSUM_TAIL_BYTES } from '../format.ts';
import { hasChecksum, readableSeq, readLine } from '../line/codec.ts';
import type { StoredEvent } from '../types.ts';
import type { FoundLine } from './lines.ts';

const LINE_START = Buffer.from('{"seq":');
const LINE_STOP = Buffer.from(',"xxh64":"');
/** How many bytes are hashed in search of whole lines inside a bad one, for each byte that it has. */
const SEARCH_FACTOR = 16;

export interface Inner {
  readonly event: StoredEvent;
  readonly start: number;
  readonly stop: number;
}

/** Every line that holds inside of a bad one, in order. */
export function linesInside(line: FoundLine, lastSeq: number): Inner[] {
  const { buffer } = line;
  const found: Inner[] = [];
  let budget = (line.stop - line.start) * SEARCH_FACTOR;
  let from = line.start;
  let above = lastSeq;
  for (const start of lineStarts(buffer, line.start, line.stop)) {
    if (start < from || readableSeq(buffer, start, line.stop) === undefined) continue;
    const looksNested = isNested(buffer, line.start, start);
    for (const stop of lineStops(buffer, start, line.stop)) {
      if (looksNested && !(stop === line.stop && line.terminated)) continue;
      budget -= stop - start;
      if (budget < 0) return found;
      const offset = line.offset + start - line.start;
      const event = readLine(buffer, start, stop, offset, stop === line.stop ? line.end : offset + stop - start);
      if (!event || event.seq <= above) continue;
      found.push({ event, start, stop });
      from = stop;
      above = event.seq;
      break;
    }
  }
  return found;
}

/** The highest seq that a beginning of a line among the bytes can be read to have. */
export function highestSeq(buffer: Buffer, start: number, stop: number): number | undefined {
  let highest: number | undefined;
  for (const at of lineStarts(buffer, start, stop)) {
    const seq = isNested(buffer, start, at) ? undefined : readableSeq(buffer, at, stop);
    if (seq !== undefined && seq > (highest ?? -1)) highest = seq;
  }
  return highest;
}

/** Where lines may begin. */
function* lineStarts(buffer: Buffer, start: number, stop: number): Generator<number, void, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(LINE_START, start); at >= 0; at = bytes.indexOf(LINE_START, at + 1)) yield at;
}

/** Where lines may end: behind a checksum, unless what follows is what JSON puts behind a nested object. */
function* lineStops(buffer: Buffer, start: number, stop: number): Generator<number, void, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(LINE_STOP, start); at >= 0; at = bytes.indexOf(LINE_STOP, at + 1)) {
    const lineStop = at + CHECKSUM_TAIL_BYTES;
    if (lineStop > stop || !hasChecksum(buffer, start, lineStop)) continue;
    if (lineStop === stop || !',}]'.includes(String.fromCharCode(buffer[lineStop]!))) yield lineStop;
  }
}

/** Whether `at` stands where JSON would nest an object: data may hold copies of lines, and they are no events. */
function isNested(buffer: Buffer, start: number, at: number): boolean {
  return at > start && ':,['.includes(String.fromCharCode(buffer[at - 1]!));
}
