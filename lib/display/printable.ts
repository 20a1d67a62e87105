// Makes text safe where it is evidence, in exports and listings: control characters and marks that reorder or hide text
// become visible signs. Line breaks and tabs stay. A conversation on the screen is read without them: sanitize.ts takes
// them out. The journal keeps the raw text.

// Controls; direction marks and overrides; zero-width and invisible characters, among them tags and the variation
// selectors that can smuggle bytes. U+FE0E and U+FE0F stay, they choose between text and emoji.
export const HIDDEN =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0d]|[\u{e0000}-\u{e0fff}]|[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]/gu;

// Between two pictures the joiner makes one of them; anywhere else it only hides.
export const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

const JOINER = 0x200d;

const CONTROL = /[\u000b\u000c]/g;

/** White space that is not one space already. */
const FOLDED = /\s{2,}|[^\S ]/g;

/** Nearly every text, and the sign that ends a cut text: nothing in it needs a search. */
const PLAIN = /^[\t\n\x20-\x7e\u2026]*$/;

/** A line without such characters. */
const PLAIN_LINE = /^[\x20-\x7e\u2026]*$/;

/** The text with line breaks and tabs as its only controls. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return signed(text.replace(/\r\n?/g, '\n').replace(CONTROL, visibleSign), visibleSign).toWellFormed();
}

/** Bold, dim and the colours of the foreground, which is all that we set ourselves. None of them can hide text. */
const COLOR = /(\x1b\[(?:0|1|2|22|3[0-79]|9[0-7])m)/;

/**
 * Like `printableLine` for a line that was composed for a terminal: its colours stay. The last check of each line, so
 * that a forgotten field cannot move the cursor.
 */
export function printableColored(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .split(COLOR)
    .map((piece, index) => (index % 2 === 1 ? piece : printable(piece)))
    .join('');
}

const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g;

/**
 * A name of a file as one line: no break in it begins another line. For a pipe nothing but control characters is
 * replaced, so that a program finds the file by all other names.
 */
export function printableName(name: string, { isTerminal }: { readonly isTerminal: boolean }): string {
  const line = PLAIN_LINE.test(name) ? name : name.replace(CONTROLS, visibleSign);
  return isTerminal ? printable(line) : line;
}

/** Code units of a piece: small enough that its copy costs little, large enough that there are few. */
const PIECE_LENGTH = 16 * 1024;

/** `printable` piece by piece: a long text is never held twice. */
export function* printablePieces(text: string, pieceLength: number = PIECE_LENGTH): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const stop = cutBehind(text, start + pieceLength);
    yield printable(text.slice(start, stop));
    start = stop;
  }
}

/**
 * The first place from there on where nothing that `printable` sees as one is parted: a pair, a line break, what a
 * joiner joins.
 */
function cutBehind(text: string, from: number): number {
  let at = from;
  while (at < text.length && !mayCut(text.charCodeAt(at - 1), text.charCodeAt(at))) at += 1;
  return Math.min(at, text.length);
}

function mayCut(before: number, behind: number): boolean {
  const isHighHalf = before >= 0xd800 && before <= 0xdbff;
  return !isHighHalf && before !== 0x0d && before !== JOINER && behind !== JOINER;
}

/** JSON for a terminal: the same value, with what would not show or would move the cursor as its number. */
export function printableJson(json: string): string {
  return signed(json, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function signed(text: string, sign: (character: string) => string): string {
  return text.replace(HIDDEN, sign).replace(STRAY_JOINER, sign);
}

/** Printable text on a single line, with white space folded. */
export function printableLine(text: string): string {
  if (PLAIN_LINE.test(text) && !text.includes('  ')) return text.trim();
  return printable(text).replace(FOLDED, ' ').trim();
}

function visibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return '\ufffd'.repeat(character.length);
}

/** A line of a list for a program: cells with tabs between them, each empty where it is undefined. */
export function tabbedLine(cells: readonly unknown[]): string {
  return `${cells.map((cell) => printableLine(String(cell ?? ''))).join('\t')}\n`;
}
