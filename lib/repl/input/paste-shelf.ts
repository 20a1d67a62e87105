// How pasted text is shown in the line that is being edited: short text as it is, line breaks as “␤”; for long text,
// which is put aside, the line shows a label. The message always has the text as it was pasted.
import { sanitize } from '../../display/sanitize.ts';

/** A line break inside the line editor, which knows only one line. */
export const LINE_BREAK_SIGN = '␤';

const LONGEST_IN_LINE = 1000;

export interface PasteShelf {
  /** What to put into the line for a paste. `atStart`: there is nothing before it in the line. */
  put(text: string, options: { readonly atStart: boolean }): string;
  /** The line with everything in place of its labels and signs. */
  expand(line: string): string;
  /** Forgets the pasted texts: the message is sent. */
  clear(): void;
}

export function createPasteShelf(): PasteShelf {
  const shelf = new Map<string, string>();
  return {
    put(pasted, { atStart }) {
      // The Enter that was copied along with one line is not part of it.
      const text = /^[^\n]*\n$/.test(pasted) ? pasted.slice(0, -1) : pasted;
      // A block that begins with a slash or an exclamation mark is a message, never a command with the rest behind it.
      const looksLikeCommand = atStart && /^[/!]/.test(text) && text.includes('\n');
      if (text.length <= LONGEST_IN_LINE && !looksLikeCommand && isShownAsIs(text)) return toLine(text);
      const label = `[pasted ${shelf.size + 1}: ${describeSize(text)}]`;
      shelf.set(label, text);
      return label;
    },
    expand(line) {
      const labels = [...shelf.keys()].map((label) => label.replace(/[[\]]/g, '\\$&'));
      const places = new RegExp([...labels, LINE_BREAK_SIGN].join('|'), 'g');
      return line.replace(places, (place) => shelf.get(place) ?? '\n');
    },
    clear() {
      shelf.clear();
    },
  };
}

/** A text on one line, as the editor shows it. */
export function toLine(text: string): string {
  return text.replaceAll('\n', LINE_BREAK_SIGN);
}

/** Whether the line can show a text unchanged: nothing is hidden in it, and no line break sign. */
export function isShownAsIs(text: string): boolean {
  return sanitize(text) === text && !text.includes(LINE_BREAK_SIGN);
}

function describeSize(text: string): string {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > 1) return `${lines} lines`;
  return text.length < 10_000 ? `${text.length} characters` : `${Math.round(text.length / 1000)}k characters`;
}
