// The list of tasks: the current one is emphasised, done ones are dimmed. Pure.
import type { Style, StyledLine } from '../../display/paint.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { TODO_SIGNS, type Todo } from '../../messages/todos.ts';

const STYLES: Readonly<Record<Todo['status'], readonly Style[]>> = {
  pending: [],
  in_progress: ['bold'],
  completed: ['dim'],
};

/** The entries that are new, or are done by now, in the form of `todoLines`. */
export function changedTodos(before: string, now: string): string {
  const known = new Set(before.split('\n'));
  return now
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n');
}

/** `text`: as `todoLines` writes it, one entry a line. */
export function todoRows(text: string): readonly StyledLine[] {
  return text.split('\n').map((line) => {
    const status = (Object.keys(TODO_SIGNS) as Todo['status'][]).find((one) => line.startsWith(TODO_SIGNS[one]));
    return [{ text: sanitizeLine(line), styles: status === undefined ? [] : STYLES[status] }];
  });
}
