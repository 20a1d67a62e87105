// Makes text from models, files and other programs safe to put on a terminal: escape sequences, control characters, marks
// that reorder or hide text are taken out. What is left is visible, or one of LF and tab. Where they are evidence,
// printable.ts shows them instead. The journal keeps the raw text.

// Whole sequences first, so that no rest of them stays as litter. No class can match the start of another sequence, which
// keeps the time linear. What is unfinished loses its introducer by the last alternative and is shown as harmless text.
const SEQUENCE = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]', // CSI: colours, cursor, modes
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\n\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)', // OSC, DCS, PM, APC, SOS
    '\\x1b[ -/]*[0-~]', // two characters: reset, charset
  ].join('|'),
  'g',
);

const LINE_BREAK = /\r\n?|[\x0b\x0c\x85\u2028\u2029]/g;

// Controls; direction marks and overrides; zero-width and invisible characters, among them tags and the variation
// selectors that can smuggle bytes. U+FE0E and U+FE0F stay, they choose between text and emoji.
export const HIDDEN =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0d]|[\u{e0000}-\u{e0fff}]|[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]/gu;

// Between two pictures the joiner makes one of them; anywhere else it only hides.
export const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

const NEEDS_WORK = /[^\n\t\x20-\x7e]/;

/** The text with LF and tab as its only controls. */
export function sanitize(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  return text
    .toWellFormed()
    .replace(SEQUENCE, '')
    .replace(LINE_BREAK, '\n')
    .replace(HIDDEN, '')
    .replace(STRAY_JOINER, '');
}

/** The same on one line, for names and titles inside a sentence. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ').trim();
}
