// A few bytes for each line of a change, by which a change that has no line of a file is passed over without its lines.
import type { ChangedHunk } from './call-changes.ts';
import { folded, weightOf } from './match-lines.ts';

const BYTES = 3;
/** A longer change is always looked at: it would need more room than its lines, which are compressed. */
const MOST_LINES = 64;

/**
 * Marks of the telling lines of a change, of which a run that is claimed has at least one. Undefined: there are too
 * many, so that the change may have any line.
 */
export function marksOf(hunks: readonly ChangedHunk[]): Uint8Array | undefined {
  const marks = new Set<number>();
  for (const { text } of hunks.flat()) {
    if (weightOf(text) > 0) marks.add(markOf(folded(text)));
    if (marks.size > MOST_LINES) return undefined;
  }
  const bytes = Buffer.alloc(marks.size * BYTES);
  for (const [at, mark] of [...marks].entries()) bytes.writeUIntBE(mark, at * BYTES, BYTES);
  return bytes;
}

/** Equal for lines that differ in white space only. Lines without a weight have none. */
export function lineMarks(texts: readonly string[]): ReadonlySet<number> {
  return new Set(texts.filter((text) => weightOf(text) > 0).map((text) => markOf(folded(text))));
}

/** Whether a change with these marks can have one of the lines. False is sure; true is wrong once in 2^24 pairs. */
export function mayHaveLine(marks: Uint8Array | undefined, lines: ReadonlySet<number>): boolean {
  if (marks === undefined) return true;
  for (let at = 0; at < marks.length; at += BYTES) {
    if (lines.has((marks[at]! << 16) | (marks[at + 1]! << 8) | marks[at + 2]!)) return true;
  }
  return false;
}

/** FNV-1a over the characters, of which 24 bits are left. */
function markOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 24)) & 0xffffff;
}
