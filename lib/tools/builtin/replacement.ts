// Replaces a text inside a file's bytes. Pure. Every byte outside the replaced places stays as it is, whatever its
// encoding; in a file whose lines all end in CRLF, the texts of the edit do too. A file in UTF-16 stays one.
import { isUtf8 } from 'node:buffer';
import { decodeText } from '../kind-of-bytes.ts';
import { decodeUtf16, encodeUtf16, utf16Of } from '../text-encoding.ts';
import { ToolFailure } from '../tool.ts';

interface Replacement {
  readonly old: string;
  readonly next: string;
  /** Every place; else there must be exactly one. */
  readonly all: boolean;
}

export interface Replaced {
  readonly bytes: Uint8Array;
  readonly places: number;
  /** Line in which the first place begins, from 1. */
  readonly line: number;
}

const MAX_LISTED_LINES = 10;
const MAX_SIMILAR_CHARACTERS = 1000;
const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** @throws ToolFailure if the text is not there, or there more than once without `all` */
export function replaceIn(content: Uint8Array, { old, next, all }: Replacement, shown: string): Replaced {
  if (old === '')
    throw new ToolFailure('old_string is empty. Give the text to be replaced; file_write makes a new file.');
  if (old === next) throw new ToolFailure('old_string and new_string are the same. Nothing would change.');
  if (!old.isWellFormed() || !next.isWellFormed())
    throw new ToolFailure('The texts hold half of a surrogate pair, which no file can keep. Leave it out.');
  const utf16 = utf16Of(content);
  if (utf16 !== undefined) {
    const { bytes, ...places } = replaceIn(inUtf8(content, utf16, shown), { old, next, all }, shown);
    return { ...places, bytes: encodeUtf16(decodeText(bytes), utf16) };
  }
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.includes(0)) throw new ToolFailure(`${shown} is not a text file in UTF-8, and is not edited.`);
  if (!isUtf8(bytes) && /[^\0-\x7f]/.test(next))
    throw new ToolFailure(`${shown} is not in UTF-8, so only ASCII can be put into it.`);

  const isCrlf = endsInCarriageReturns(bytes);
  const inFile = isCrlf ? withCarriageReturns : (text: string) => text;
  const needle = Buffer.from(inFile(old));
  const places = placesOf(bytes, needle);
  const [first] = places;
  if (isCrlf && inFile(old) === inFile(next))
    throw new ToolFailure(
      `The texts differ in line ends only, and each line of ${shown} ends in CRLF, which edits keep. Nothing was changed. A program can change the line ends of a whole file.`,
    );
  if (first === undefined) throw new ToolFailure(notFound(bytes, old, shown));
  if (places.length > 1 && !all) throw new ToolFailure(ambiguous(bytes, places, shown));

  const replacement = Buffer.from(inFile(next));
  const pieces: Uint8Array[] = [];
  let from = 0;
  let replaced = 0;
  for (const at of places) {
    // Places may overlap: “aa” in “aaa”.
    if (at < from) continue;
    pieces.push(bytes.subarray(from, at), replacement);
    from = at + needle.length;
    replaced += 1;
  }
  pieces.push(bytes.subarray(from));
  return { bytes: Buffer.concat(pieces), places: replaced, line: lineAt(bytes, first) };
}

function inUtf8(content: Uint8Array, encoding: 'utf-16le' | 'utf-16be', shown: string): Uint8Array {
  try {
    return Buffer.from(decodeUtf16(content, encoding));
  } catch {
    throw new ToolFailure(`${shown} begins like a text in UTF-16 and is not valid to its end, so it is not edited.`);
  }
}

function placesOf(bytes: Buffer, needle: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** Whether there are line ends, and all of them are CRLF. */
export function endsInCarriageReturns(bytes: Buffer): boolean {
  let ends = 0;
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) {
    if (bytes[at - 1] !== CARRIAGE_RETURN) return false;
    ends += 1;
  }
  return ends > 0;
}

export function withCarriageReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function lineAt(bytes: Buffer, position: number): number {
  let line = 1;
  for (let at = bytes.indexOf(LINE_END); at !== -1 && at < position; at = bytes.indexOf(LINE_END, at + 1)) line += 1;
  return line;
}

function ambiguous(bytes: Buffer, places: readonly number[], shown: string): string {
  const lines = [...new Set(places.slice(0, MAX_LISTED_LINES).map((at) => lineAt(bytes, at)))].join(', ');
  const more = places.length > MAX_LISTED_LINES ? ', …' : '';
  return `old_string occurs ${places.length} times in ${shown}, in lines ${lines}${more}. Nothing was changed. Add lines around it so that it is meant only once, or set replace_all.`;
}

function notFound(bytes: Buffer, old: string, shown: string): string {
  const advice = 'It must be exactly what is in the file, with its white space. Nothing was changed.';
  if (/^\s*\d+\t/.test(old))
    return `old_string is not in ${shown}. It seems to hold the line numbers that file_read puts before each line: leave them out. ${advice}`;
  const text = bytes.toString('utf8');
  if (text.includes(old.replace(/\r\n/g, '\n')) || text.replace(/\r\n/g, '\n').includes(old.replace(/\r\n/g, '\n')))
    return `old_string is not in ${shown}: its line ends differ. Some lines of the file end in CRLF and others in LF. ${advice} Replace fewer lines at once.`;
  if (text.normalize().includes(old.normalize()))
    return `old_string is not in ${shown}: the file writes the same characters by other code points (Unicode normalization). ${advice} Leave out the letters with accents.`;
  const similar = similarPlace(text, old);
  if (similar === undefined) return `old_string is not in ${shown}. ${advice} Read the file again.`;
  return `old_string is not in ${shown}. ${advice} From line ${similar.line} on there is, with other white space:\n${similar.text}`;
}

/** The lines that would be the same if white space did not count. */
function similarPlace(text: string, old: string): { readonly line: number; readonly text: string } | undefined {
  const bare = (line: string) => line.replace(/\s+/g, '');
  const sought = old.split('\n').map(bare);
  while (sought.length > 1 && sought.at(-1) === '') sought.pop();
  while (sought.length > 1 && sought[0] === '') sought.shift();
  if (sought.every((line) => line === '')) return undefined;
  const lines = text.split('\n');
  const bareLines = lines.map(bare);
  const at = bareLines.findIndex((_, index) => sought.every((line, offset) => bareLines[index + offset] === line));
  if (at === -1) return undefined;
  const found = lines.slice(at, at + sought.length).join('\n');
  return found.length <= MAX_SIMILAR_CHARACTERS ? { line: at + 1, text: found } : undefined;
}
