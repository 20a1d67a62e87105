// Finds the place of a seq in a journal without reading what is before it: by halves, a line at a time.
import { readLine } from '../line/codec.ts';
import type { Anchor, StoredEvent } from '../types.ts';
import { ForwardLines } from './lines.ts';
import { inOneGo, type JournalSource, type Steps } from './scan.ts';

/** What is read through rather than halved again. */
const NEAR_BYTES = 32 * 1024;
const CHUNK_BYTES = 8 * 1024;

/**
 * The end of an intact line with a lower seq, not far before the line of `seq`. Undefined where the beginning is not
 * far before it. Damage leads further back, never too far on.
 */
export function placeBefore(source: JournalSource, seq: number): Anchor | undefined {
  return inOneGo(placeBeforeInSteps(source, seq));
}

export function* placeBeforeInSteps(source: JournalSource, seq: number): Steps<Anchor | undefined> {
  let found: Anchor | undefined;
  let low = 0;
  let high = source.stat().size;
  while (high - low > NEAR_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const event = yield* firstLineBehind(source, middle, high);
    if (event === undefined || event.seq >= seq) high = middle;
    else {
      found = { seq: event.seq, offset: event.end, xxh64: event.xxh64 };
      low = event.end;
    }
  }
  return found;
}

/** The first intact line that begins behind `from` and ends before `to`. */
function* firstLineBehind(source: JournalSource, from: number, to: number): Steps<StoredEvent | undefined> {
  const lines = new ForwardLines(source, from, to, { chunkBytes: CHUNK_BYTES });
  // The first one is the rest of a line that began before.
  for (let isRest = true, step = lines.step(); step !== 'end'; step = lines.step()) {
    if (step === 'line' && lines.terminated && !isRest) {
      const event = readLine(lines);
      if (event !== undefined) return event;
    }
    if (step !== 'passing') isRest = false;
    else yield;
  }
  return undefined;
}
