// The code units of a text, piece by piece through one memory, and what each of them counts as where case does not matter.
// Whoever goes over a text unit by unit reads them there at a third of what it takes to ask the string for each of them,
// and folds them by a table, so that no text is made anew for it.
import { endianness } from 'node:os';

/** Longer texts come in several pieces. */
export const PIECE_UNITS = 20_000;

const bytes = Buffer.alloc(2 * PIECE_UNITS);
/** What `readUnits` read last. */
export const units = new Uint16Array(bytes.buffer, bytes.byteOffset, PIECE_UNITS);
const isBigEndian = endianness() === 'BE';

/** Puts the code units from `start` on into `units`, as many as there is room for, and returns how many. */
export function readUnits(text: string, start: number): number {
  const piece = text.length <= PIECE_UNITS ? text : text.slice(start, start + PIECE_UNITS);
  const written = bytes.write(piece, 'utf16le');
  if (isBigEndian) bytes.subarray(0, written).swap16();
  return written / 2;
}

export const SPACE = 0x20;
export const LINE_FEED = 0x0a;
/** White space, but for the space itself. */
export const BLANKS =
  '\t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Whether two codes are the same, as 1 or 0 and without a branch: for loops in which the processor cannot guess the answer. */
export function isEqual(one: number, other: number): number {
  return ((one ^ other) - 1) >>> 31;
}

/**
 * What each code unit counts as: its lower case where that is one unit too, but for what `change` makes otherwise. Made when it
 * is first asked for: who only starts the program should not pay for it.
 */
export function unitTable(change: (table: Uint16Array) => void): () => Uint16Array {
  let table: Uint16Array | undefined;
  return () => {
    if (table === undefined) {
      lowerCases ??= findLowerCases();
      table = lowerCases.slice();
      change(table);
    }
    return table;
  };
}

let lowerCases: Uint16Array | undefined;

const ALL_UNITS = 0x10000;
const BLOCK_UNITS = 256;

/** Block by block, because asking for each unit by itself takes 20 ms in a program that just started. */
function findLowerCases(): Uint16Array {
  const table = new Uint16Array(ALL_UNITS);
  for (let unit = 0; unit < ALL_UNITS; unit++) table[unit] = unit;
  const all = Buffer.from(table.buffer.slice(0));
  if (isBigEndian) all.swap16();
  const text = all.toString('utf16le');
  for (let start = 0; start < ALL_UNITS; start += BLOCK_UNITS) {
    if (hasNoCase(start)) continue;
    const block = text.slice(start, start + BLOCK_UNITS);
    const lower = block.toLowerCase();
    if (lower === block) continue;
    // Where one character becomes two, in a single block, each is asked for by itself.
    const isSplit = lower.length !== BLOCK_UNITS;
    for (let index = 0; index < BLOCK_UNITS; index++) {
      const folded = isSplit ? block.charAt(index).toLowerCase() : lower.charAt(index);
      if (folded.length === 1) table[start + index] = folded.charCodeAt(0);
    }
  }
  return table;
}

/** Ideographs, syllables, halves of pairs and private use: three quarters of all. */
function hasNoCase(unit: number): boolean {
  return (unit >= 0x2e00 && unit < 0xa600) || (unit >= 0xac00 && unit < 0xfb00);
}
