// The text that is being edited, with real line breaks: its cursor, the steps for undo, and deleted text that can be
// put back. Pure: each function answers with the next buffer. The cursor is always in the text and never inside a
// character.
import { placeAt, placeFrom } from './text-places.ts';

export interface EditedText {
  readonly text: string;
  /** Index in the text. */
  readonly cursor: number;
}

export interface EditBuffer extends EditedText {
  /** The text before each step, oldest first. */
  readonly past: readonly EditedText[];
  /** The steps that were taken back, the next one last. */
  readonly future: readonly EditedText[];
  /** Deleted text, newest first. */
  readonly kills: readonly string[];
  /** The text that was put back last: its start, and which kill it is. Only the next change may replace it. */
  readonly yanked?: { readonly from: number; readonly kill: number } | undefined;
  /** The next typed text belongs to the last step. */
  readonly isStepOpen: boolean;
}

const MOST_STEPS = 200;
const MOST_KILLS = 32;

export function bufferOf(text: string, cursor = text.length): EditBuffer {
  return { text, cursor: placeAt(text, cursor), past: [], future: [], kills: [], isStepOpen: false };
}

/** `joins`: typed text that follows belongs to the same step, as this does to the one before. */
export function change(buffer: EditBuffer, next: EditedText, { joins = false } = {}): EditBuffer {
  if (next.text === buffer.text) return move(buffer, next.cursor);
  const { text, cursor, past, kills } = buffer;
  const isSame = joins && buffer.isStepOpen;
  return {
    text: next.text,
    cursor: placeFrom(next.text, next.cursor),
    past: isSame ? past : [...past, { text, cursor }].slice(-MOST_STEPS),
    future: [],
    kills,
    isStepOpen: joins,
  };
}

export function move(buffer: EditBuffer, cursor: number): EditBuffer {
  return { ...buffer, cursor: placeAt(buffer.text, cursor), yanked: undefined, isStepOpen: false };
}

/** Puts text at the cursor, as a step of its own. */
export function insert(buffer: EditBuffer, text: string): EditBuffer {
  return replaceBefore(buffer, 0, text);
}

/** Puts typed text at the cursor: the letters of a word are one step. */
export function type(buffer: EditBuffer, text: string): EditBuffer {
  const isNewWord = /^\s/.test(text) && !/\s$/.test(buffer.text.slice(0, buffer.cursor));
  const from = isNewWord ? { ...buffer, isStepOpen: false } : buffer;
  return change(from, inserted(from, 0, text), { joins: true });
}

/** Puts text in the place of `length` units before the cursor. */
export function replaceBefore(buffer: EditBuffer, length: number, text: string): EditBuffer {
  return change(buffer, inserted(buffer, length, text));
}

export function remove(buffer: EditBuffer, from: number, to: number): EditBuffer {
  const { text } = buffer;
  return change(buffer, { text: text.slice(0, from) + text.slice(to), cursor: from });
}

/** Deletes text so that it can be put back. */
export function kill(buffer: EditBuffer, from: number, to: number): EditBuffer {
  if (from === to) return move(buffer, from);
  const removed = remove(buffer, from, to);
  return { ...removed, kills: [buffer.text.slice(from, to), ...buffer.kills].slice(0, MOST_KILLS) };
}

/** Puts back the text that was deleted last. */
export function yank(buffer: EditBuffer): EditBuffer {
  const [text] = buffer.kills;
  return text === undefined ? buffer : { ...insert(buffer, text), yanked: { from: buffer.cursor, kill: 0 } };
}

/** After a `yank`: puts the text that was deleted earlier in its place. */
export function yankEarlier(buffer: EditBuffer): EditBuffer {
  const { yanked, kills, cursor } = buffer;
  if (yanked === undefined) return buffer;
  const next = (yanked.kill + 1) % kills.length;
  return { ...replaceBefore(buffer, cursor - yanked.from, kills[next]!), yanked: { ...yanked, kill: next } };
}

export function undo(buffer: EditBuffer): EditBuffer {
  const last = buffer.past.at(-1);
  if (last === undefined) return move(buffer, buffer.cursor);
  const { text, cursor, past, future, kills } = buffer;
  return { ...last, past: past.slice(0, -1), future: [...future, { text, cursor }], kills, isStepOpen: false };
}

export function redo(buffer: EditBuffer): EditBuffer {
  const next = buffer.future.at(-1);
  if (next === undefined) return move(buffer, buffer.cursor);
  const { text, cursor, past, future, kills } = buffer;
  return { ...next, past: [...past, { text, cursor }], future: future.slice(0, -1), kills, isStepOpen: false };
}

/** The buffer after a change, as part of the step that was open before it. */
export function joined(earlier: EditBuffer, later: EditBuffer): EditBuffer {
  if (later.text === earlier.text || later.future.length > 0) return later;
  return { ...later, past: earlier.isStepOpen ? earlier.past : later.past, isStepOpen: true };
}

function inserted({ text, cursor }: EditedText, length: number, put: string): EditedText {
  const from = Math.max(0, cursor - length);
  return { text: text.slice(0, from) + put + text.slice(cursor), cursor: from + put.length };
}
