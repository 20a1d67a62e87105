// Earlier messages as the REPL shows them again: the last exchange of a continued session, or a single message.
import { excerpt } from '../display/excerpt.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import type { Part } from '../messages/index.ts';
import { subjectOfCall } from '../messages/subject-of-call.ts';
import { TODO_TOOL, todoLines, todoSummary, todosOf } from '../messages/todos.ts';
import { countedEntries } from '../projections/timeline.ts';
import type { ViewItem, ViewState } from '../projections/view.ts';
import { denialForUser } from '../turn/tools/judge-call.ts';
import { CHANGED_ARGUMENTS } from '../turn/tools/tool-output.ts';

export type SpokenMessage =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      /** The subject of the call, in a line; empty if its arguments do not name one. */
      readonly summary: string;
      readonly status: string;
      readonly content: string;
    };

const SUBJECT_CHARACTERS = 100;
/** An argument may be as long as a file. */
const MOST_READ = 1000;

/** From the last message of the user's on, as far as it is in memory. */
export function lastExchange({ timeline }: Pick<ViewState, 'timeline'>): readonly SpokenMessage[] {
  const entries = countedEntries(timeline).filter(({ pinned }) => pinned === undefined);
  const start = entries.findLastIndex(({ startsTurn }) => startsTurn);
  return start === -1 ? [] : entries.slice(start).flatMap(saidOf);
}

function saidOf(item: ViewItem): readonly SpokenMessage[] {
  switch (item.kind) {
    case 'message': {
      const text = textOf(item.parts);
      if (text.trim() === '' || item.role === 'system') return [];
      return [{ kind: item.role === 'user' ? 'user' : 'answer', text }];
    }
    case 'call': {
      const { status = 'unknown', content = '', binary } = item.result ?? {};
      const todos = status === 'ok' ? todosOf(item.name, item.args) : undefined;
      if (todos !== undefined) {
        return [{ kind: 'call', name: TODO_TOOL, summary: todoSummary(todos), status, content: todoLines(todos) }];
      }
      const { name, args } = item;
      // The user changed the arguments that the model asked for; the output begins with those that ran.
      const summary = content.startsWith(CHANGED_ARGUMENTS) ? '' : subjectOf(args);
      return [{ kind: 'call', name, summary, status, content: binary ? '' : forUser(content) }];
    }
    case 'retrieval':
      return [];
  }
}

/** Without what only the model is told. */
function forUser(content: string): string {
  return content.startsWith(CHANGED_ARGUMENTS) ? content.slice(content.indexOf('\n') + 1) : denialForUser(content);
}

/** The journal has the arguments of a call, not the sentence that the terminal showed for them. */
function subjectOf(args: unknown): string {
  const text = subjectOfCall(args)?.trimStart().slice(0, MOST_READ) ?? '';
  return excerpt(sanitizeLine(text).replace(/\s+/gu, ' ').trim(), SUBJECT_CHARACTERS);
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
