// Control and bidirectional characters as escapes: the screen must show every character of a text.

const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;

/** The text with each character that would show nothing, or turn the rest around, written as an escape. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Characters that show nothing by themselves, and spaces that only look like one: a permission must hide nothing. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u3000\u3164\uffa0]/gu;

/** As `visible`, for texts of a permission: also characters that belong to words and emoji elsewhere. */
export function exact(text: string): string {
  return visible(text).replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** As `visible`, in one line. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

/** As `oneLine`, without the marks of Markdown at headings, bold words and code: for the beginning of an answer. */
export function saidInOneLine(markdown: string): string {
  return oneLine(oneLine(markdown).replace(MARKS, '$1'));
}

/** Two stars next to a slash belong to a path. */
const MARKS = /(?<!\/)\*\*(?!\/)|`+|(^|\s)#{1,6}(?=\s)/g;

/** A link that may be followed; undefined for any other scheme. */
export function safeLink(target: string): string | undefined {
  try {
    const url = new URL(target);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
