// The data of a line without one long text in it, for those who have no use for that text: it is neither decoded nor
// parsed, and stands there empty. The rest is parsed as always, and a line in which the text is not where it is expected
// is left to be parsed as a whole. For lines whose checksum holds.
import { textAt } from './text-at.ts';
import type { JsonObject, LongText } from './types.ts';

/** A shorter text is parsed as quickly as it is found. */
const MIN_TEXT_BYTES = 256;
/** No more than this is gone over for the sake of finding the member. */
const MAX_SEARCHED_BYTES = 512;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/**
 * `before` and `after`: what stands around the text in the member's value, as JSON.
 *
 * @example
 * longText('result', '{"llmContent":"', '"}');
 */
export function longText(member: string, before: string, after: string): LongText {
  return { opening: Buffer.from(`${JSON.stringify(member)}:${before}`), closing: Buffer.from(`${after},"`) };
}

/** Undefined if the text is short, or not to be told from the rest by its bytes alone. `data` stands from `start` to `stop`. */
export function dataWithoutText(
  buffer: Buffer,
  start: number,
  stop: number,
  { opening, closing }: LongText,
): JsonObject | undefined {
  const textStart = behindOpening(buffer, start, stop, opening);
  const length = textStart < 0 ? -1 : buffer.subarray(textStart, stop).indexOf(closing);
  const textStop = textStart + length;
  if (length < MIN_TEXT_BYTES || buffer[textStop - 1] === BACKSLASH) return undefined;
  try {
    return JSON.parse(textAt(buffer, start, textStart) + textAt(buffer, textStop, stop)) as JsonObject;
  } catch {
    // What looked like the end of the value was none: the braces do not match.
    return undefined;
  }
}

/** The position behind `opening` where it is the beginning of a member of `data` itself; -1 if none begins so. */
function behindOpening(buffer: Buffer, start: number, stop: number, opening: Uint8Array): number {
  const limit = Math.min(stop, start + MAX_SEARCHED_BYTES);
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const byte = buffer[at];
    if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
    else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) depth -= 1;
    else if (byte === QUOTE) {
      const isFirst = depth === 1 && (buffer[at - 1] === BRACE_OPEN || buffer[at - 1] === COMMA);
      if (isFirst && standsAt(opening, buffer, at)) return at + opening.length;
      at = closingQuote(buffer, at, limit);
    }
  }
  return -1;
}

function standsAt(bytes: Uint8Array, buffer: Buffer, at: number): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (buffer[at + index] !== bytes[index]) return false;
  return true;
}

function closingQuote(buffer: Buffer, start: number, limit: number): number {
  let at = start + 1;
  while (at < limit && buffer[at] !== QUOTE) at += buffer[at] === BACKSLASH ? 2 : 1;
  return at;
}
