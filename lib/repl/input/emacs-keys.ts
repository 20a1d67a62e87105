// The usual keys of line editing, as emacs and readline have them: a table from the name of a key to its effect on the
// buffer. Pure. Keys that need the screen or the history (up, down) are not among them.
import { type EditBuffer, kill, move, redo, remove, type as typeText, undo, yank, yankEarlier } from './buffer.ts';
import type { TypedKey } from './keys.ts';
import { after, before, lineEnd, lineStart, nextWord, wordBefore } from './text-places.ts';

type Edit = (buffer: EditBuffer) => EditBuffer;

const moveTo =
  (place: (text: string, cursor: number) => number): Edit =>
  (buffer) =>
    move(buffer, place(buffer.text, buffer.cursor));

const deleteTo =
  (place: (text: string, cursor: number) => number, cut: typeof kill): Edit =>
  (buffer) => {
    const { text, cursor } = buffer;
    const to = place(text, cursor);
    return cut(buffer, Math.min(cursor, to), Math.max(cursor, to));
  };

/** The beginning of the line; at the beginning, the end of the line before. */
const toLineStart = (text: string, cursor: number) => {
  const start = lineStart(text, cursor);
  return start === cursor ? before(text, cursor) : start;
};
const toLineEnd = (text: string, cursor: number) => {
  const end = lineEnd(text, cursor);
  return end === cursor ? after(text, cursor) : end;
};
const start = () => 0;
const end = (text: string) => text.length;

const EDITS: readonly (readonly [keys: readonly string[], edit: Edit])[] = [
  [['left', 'ctrl+b'], moveTo(before)],
  [['right', 'ctrl+f'], moveTo(after)],
  [['home', 'ctrl+a'], moveTo(lineStart)],
  [['end', 'ctrl+e'], moveTo(lineEnd)],
  [['alt+b', 'alt+left', 'ctrl+left'], moveTo((text, cursor) => wordBefore(text, cursor))],
  [['alt+f', 'alt+right', 'ctrl+right'], moveTo((text, cursor) => nextWord(text, cursor))],
  [['ctrl+home', '\x1b<'], moveTo(start)],
  [['ctrl+end', '\x1b>'], moveTo(end)],
  [['backspace', 'ctrl+h'], deleteTo(before, remove)],
  [['delete'], deleteTo(after, remove)],
  [['ctrl+w', 'alt+backspace', 'ctrl+backspace'], deleteTo(wordBefore, kill)],
  [['alt+d', 'alt+delete', 'ctrl+delete'], deleteTo(nextWord, kill)],
  [['ctrl+u'], deleteTo(toLineStart, kill)],
  [['ctrl+k'], deleteTo(toLineEnd, kill)],
  [['ctrl+y'], yank],
  [['alt+y'], yankEarlier],
  [['\x1f'], undo],
  [['\x1e'], redo],
];

const BY_KEY = new Map(EDITS.flatMap(([keys, edit]) => keys.map((key) => [key, edit] as const)));

/** What a key makes of the buffer; undefined: it is none of these. */
export function emacsKey(buffer: EditBuffer, { name, sequence, text }: TypedKey): EditBuffer | undefined {
  if (text !== '') return typeText(buffer, text);
  return (BY_KEY.get(name) ?? BY_KEY.get(sequence))?.(buffer);
}
