// What was said before, as the REPL shows it again: the last exchange of a session that continues, or one message.
import type { Part } from '../messages/index.ts';
import { TODO_TOOL, todoLines, todosOf } from '../messages/todos.ts';
import { countedEntries } from '../projections/timeline.ts';
import type { ViewItem, ViewState } from '../projections/view.ts';

export type Said =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly status: string; readonly content: string };

/** From the last message of the user's on, as far as it is in memory. */
export function lastExchange({ timeline }: Pick<ViewState, 'timeline'>): readonly Said[] {
  const entries = countedEntries(timeline).filter(({ pinned }) => pinned === undefined);
  const start = entries.findLastIndex(({ startsTurn }) => startsTurn);
  return start === -1 ? [] : entries.slice(start).flatMap(saidOf);
}

function saidOf(item: ViewItem): readonly Said[] {
  switch (item.kind) {
    case 'message': {
      const text = textOf(item.parts);
      if (text.trim() === '' || item.role === 'system') return [];
      return [{ kind: item.role === 'user' ? 'user' : 'answer', text }];
    }
    case 'call': {
      const { status = 'unknown', content = '', binary } = item.result ?? {};
      const todos = status === 'ok' ? todosOf(item.name, item.args) : undefined;
      if (todos !== undefined) return [{ kind: 'call', name: TODO_TOOL, status, content: todoLines(todos) }];
      return [{ kind: 'call', name: item.name, status, content: binary ? '' : content }];
    }
    case 'retrieval':
      return [];
  }
}

/** The words of a message; a file that went along by its name. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'file' ? [`[${part.name}]`] : [];
    })
    .join(' ');
}
