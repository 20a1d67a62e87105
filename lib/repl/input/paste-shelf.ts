// How pasted text is shown in the line that is being edited: short text as it is, with its line breaks; for long text,
// which is put aside, the line shows a label. The message always has the text as it was pasted.
import { sanitize } from '../../display/sanitize.ts';

const LONGEST_IN_LINE = 1000;

interface PasteShelf {
  /** What to put into the line for a paste. `atStart`: there is nothing before it in the line. */
  put(text: string, options: { readonly atStart: boolean }): string;
  /** The line with everything in place of its labels. */
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
      // A block that begins with a slash or an exclamation mark is a message, never a command with the rest as its
      // text.
      const looksLikeCommand = atStart && /^[/!]/.test(text) && text.includes('\n');
      if (text.length <= LONGEST_IN_LINE && !looksLikeCommand && isShownAsIs(text)) return text;
      const label = `[pasted ${shelf.size + 1}: ${describeSize(text)}]`;
      shelf.set(label, text);
      return label;
    },
    expand(line) {
      if (shelf.size === 0) return line;
      const labels = [...shelf.keys()].map((label) => label.replace(/[[\]]/g, '\\$&'));
      return line.replace(new RegExp(labels.join('|'), 'g'), (place) => shelf.get(place)!);
    },
    clear() {
      shelf.clear();
    },
  };
}

/** Whether the line can show a text unchanged: nothing is hidden in it. */
export function isShownAsIs(text: string): boolean {
  return sanitize(text) === text;
}

function describeSize(text: string): string {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > 1) return `${lines} lines`;
  return text.length < 10_000 ? `${text.length} characters` : `${Math.round(text.length / 1000)}k characters`;
}
