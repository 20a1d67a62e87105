// Makes text from models, files and other programs safe to put on a terminal: escape sequences, control characters,
// marks that reorder or hide text are taken out. The remaining characters are visible, or LF and tab. Where the others
// are evidence, printable.ts shows them. The journal keeps the raw text.
import { HIDDEN, STRAY_JOINER } from './printable.ts';

// Whole sequences first, so that no rest of them stays as litter. No class can match the start of another sequence,
// which keeps the time linear. An unfinished one loses its introducer by the last alternative and is shown as harmless
// text.
const SEQUENCE = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]', // CSI: colours, cursor, modes
    // OSC, DCS, PM, APC, SOS
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\n\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]*[0-~]', // two characters: reset, charset
  ].join('|'),
  'g',
);

const LINE_BREAK = /\r\n?|[\x0b\x0c\x85\u2028\u2029]/g;

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

/** Sanitized text on a single line, for names and titles inside a sentence. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ').trim();
}
