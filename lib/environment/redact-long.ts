// Takes the secrets out of a text of any length without holding up the process: in slices, with other work between
// them. A text is cut only where that changes nothing: where both sides, redacted separately, give the same result as
// together.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Redaction, RedactionCount, Redactor } from './redact.ts';

/** Characters that are read at once. */
const SLICE = 256 * 1024;
/** Characters on each side of a cut that are looked at: more than a private key has. */
const MARGIN = 32 * 1024;
/** Line ends that are tried for a cut before a slice is made longer. */
const TRIES = 4;

/** `redactor.redact` for a text that may be long. */
export async function redactLong(redactor: Redactor, text: string): Promise<Redaction> {
  if (text.length <= SLICE + MARGIN) return redactor.redact(text);
  await breathe();
  const pieces: string[] = [];
  const counts = new Map<RedactionCount['kind'], number>();
  for (let start = 0; start < text.length; ) {
    const end = await sliceEnd(redactor, text, start);
    const { text: clean, found } = redactor.redact(text.slice(start, end));
    pieces.push(clean);
    for (const { kind, count } of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
    start = end;
    await breathe();
  }
  // An unchanged text need not be joined again, which takes a while for megabytes.
  if (counts.size === 0) return { text, found: [] };
  return { text: pieces.join(''), found: [...counts].map(([kind, count]) => ({ kind, count })) };
}

async function sliceEnd(redactor: Redactor, text: string, start: number): Promise<number> {
  for (let from = start + SLICE; from + MARGIN < text.length; from += SLICE) {
    let at = from;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const cut = lineStart(text, at, start + 1);
      if (isSafeCut(redactor, text, cut)) return cut;
      await breathe();
      at = cut - 1;
    }
  }
  return text.length;
}

/** The nearest beginning of a line before, as long as lines are of an ordinary length. */
function lineStart(text: string, at: number, least: number): number {
  const from = Math.max(least, at - MARGIN);
  const found = text.slice(from, at).lastIndexOf('\n');
  return found < 0 ? at : from + found + 1;
}

/** Whether both sides of a cut, redacted separately, give the same result as together. */
export function isSafeCut(redactor: Redactor, text: string, cut: number): boolean {
  const before = text.slice(Math.max(0, cut - MARGIN), cut);
  const after = text.slice(cut, cut + MARGIN);
  return redactor.redact(before + after).text === redactor.redact(before).text + redactor.redact(after).text;
}
