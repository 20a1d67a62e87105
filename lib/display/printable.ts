// Makes text safe where it is evidence, in exports and listings: control characters and marks that reorder text become
// visible signs, so that one sees that they were there. Line breaks and tabs stay. A conversation on the screen is read
// without them: sanitize.ts takes them out. The journal keeps what was said as it was.

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text with line breaks and tabs as its only controls. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, visibleSign).toWellFormed();
}

/** The same on one line, white space folded. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

function visibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return '\ufffd';
}
