import type { RefObject } from 'preact';
import { useCommands } from './commands.ts';

/** `j` and `k` go from row to row of a list; a row is a link with `data-row`. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  useCommands([
    { keys: 'j', title: 'Next row', run: () => stepInList(list.current, 1), isKeyOnly: true },
    { keys: 'k', title: 'Previous row', run: () => stepInList(list.current, -1), isKeyOnly: true },
  ]);
}

/** To the next or previous row; to the first where none has the focus. */
export function stepInList(list: HTMLElement | null, by: number, selector = 'a[data-row]'): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
  next?.focus();
  return next !== undefined;
}
