// Makes text safe where it is evidence, in exports and listings: control characters and marks that reorder or hide text
// become visible signs, so that one sees that they were there. Line breaks and tabs stay. A conversation on the screen is read
// without them: sanitize.ts takes them out. The journal keeps what was said as it was.

import { HIDDEN, STRAY_JOINER } from './sanitize.ts';

const CONTROL = /[\u000b\u000c]/g;

/** The text with line breaks and tabs as its only controls. */
export function printable(text: string): string {
  return signed(text.replace(/\r\n?/g, '\n').replace(CONTROL, visibleSign), visibleSign).toWellFormed();
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

/** The same on one line, white space folded. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

function visibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return '\ufffd'.repeat(character.length);
}
