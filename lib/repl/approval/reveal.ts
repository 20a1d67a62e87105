// Text that the user decides on: nothing in it is left out because it does not show. A character that would be hidden,
// would reorder the text or would move the cursor is shown as its number, ⟨U+202E⟩, so that one sees that it is there
// and where.
import { sanitize } from '../../display/sanitize.ts';

interface Revealed {
  /** With LF as its only control. */
  readonly text: string;
  /** Whether something in it would not have shown. */
  readonly hasHidden: boolean;
}

const LINE_BREAK = /\r\n/g;
/** Where nothing can hide. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Blanks that a shell does not part words at: what seems to be two of them is one. */
const JOINING_BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/;

/** `isShell`: a line for a shell, in which each blank counts. */
export function reveal(raw: string, { isShell = false }: { readonly isShell?: boolean } = {}): Revealed {
  const text = raw.replace(LINE_BREAK, '\n');
  if (PLAIN.test(text)) return { text: text.replaceAll('\t', '    '), hasHidden: false };
  let hasHidden = false;
  const shown = Array.from(text, (character) => {
    if (character === '\n') return character;
    if (character === '\t') return '    ';
    if (sanitize(character) === character && !(isShell && JOINING_BLANK.test(character))) return character;
    hasHidden = true;
    return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  return { text: shown.join(''), hasHidden };
}

/** The text on a single line: a line break shows as its number too, so that no text begins a line of its own. */
export function revealLine(raw: string): string {
  return reveal(raw).text.replaceAll('\n', '⟨U+000A⟩');
}
