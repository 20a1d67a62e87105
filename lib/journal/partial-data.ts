// The data of a line without one long text in it, for those who have no use for that text: it is neither decoded nor
// parsed, and stands there empty. The rest is parsed as always, and a line in which the text is not where it is expected
// is left to be parsed as a whole. For lines whose checksum holds.
import { CHECKSUM_TAIL_BYTES } from './format.ts';
import type { JsonObject } from './types.ts';

/** A text in an object in `data`: the names of both. */
export type TextPath = readonly [object: string, text: string];

/** `,"prev":"<16 hex>"` and the checksum's tail. */
const TAIL_BYTES = 26 + CHECKSUM_TAIL_BYTES;
/** A shorter text is parsed as quickly as it is found. */
const MIN_TEXT_BYTES = 256;
const BACKSLASH = 0x5c;

const DATA = Buffer.from(',"data":{');
const PREVIOUS = Buffer.from(',"prev":"');
/** The end of the text and of its object. Inside of a text each quote has a backslash before it, the last one too. */
const TEXT_STOP = Buffer.from('"},"');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined if the text is short, or not to be told from the rest by its bytes alone. `raw` is a line without LF. */
export function dataWithoutText(raw: Uint8Array, path: TextPath): JsonObject | undefined {
  const line = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength - TAIL_BYTES);
  const dataStart = line.indexOf(DATA) + DATA.length - 1;
  const opening = openingOf(path);
  const textStart = line.indexOf(opening, dataStart) + opening.length;
  const textStop = line.indexOf(TEXT_STOP, textStart);
  if (dataStart < DATA.length || textStart < opening.length || textStop - textStart < MIN_TEXT_BYTES) return undefined;
  if (line[textStop - 1] === BACKSLASH || !hasTail(raw)) return undefined;
  try {
    const head = utf8.decode(line.subarray(dataStart, textStart));
    return JSON.parse(head + utf8.decode(line.subarray(textStop))) as JsonObject;
  } catch {
    // What looked like the end of the object was none: the braces do not match.
    return undefined;
  }
}

function hasTail(raw: Uint8Array): boolean {
  return PREVIOUS.every((byte, index) => raw[raw.length - TAIL_BYTES + index] === byte);
}

const openings = new WeakMap<TextPath, Buffer>();

function openingOf(path: TextPath): Buffer {
  const known = openings.get(path);
  if (known) return known;
  const opening = Buffer.from(`${JSON.stringify(path[0])}:{${JSON.stringify(path[1])}:"`);
  openings.set(path, opening);
  return opening;
}
