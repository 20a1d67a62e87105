// Earlier messages as lines: as they looked when they were sent.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { sanitize } from '../../display/sanitize.ts';
import { wrapSpans } from '../../display/wrap.ts';
import type { SpokenMessage } from '../earlier-messages.ts';
import type { AnswerStream } from './answer-stream.ts';
import { callRows } from './call-rows.ts';
import { changedTodos } from './todo-rows.ts';
import { isTodoList } from './tool-lines.ts';

interface SaidLook {
  /** Columns that a line may take. */
  readonly columns: number;
  /** Renders one answer. `columns`: that it may take. Default: those of the screen. */
  readonly stream: (columns?: number) => AnswerStream;
}

export function saidLines(said: readonly SpokenMessage[], look: SaidLook): readonly StyledLine[] {
  let before: SpokenMessage['kind'] | undefined;
  let todos = '';
  return said.flatMap((each) => {
    const gap: readonly StyledLine[] = before === undefined || (before === 'call' && each.kind === 'call') ? [] : [[]];
    // An answer is right below its question, as it was.
    const isAnswered = before === 'user' && each.kind !== 'user';
    before = each.kind;
    if (each.kind !== 'call' || !isTodoList(each)) return [...(isAnswered ? [] : gap), ...linesOf(each, look)];
    const content = changedTodos(todos, each.content);
    todos = each.content;
    return [...(isAnswered ? [] : gap), ...linesOf({ ...each, content }, look)];
  });
}

function linesOf(said: SpokenMessage, { columns, stream }: SaidLook): readonly StyledLine[] {
  switch (said.kind) {
    case 'user':
      return userLines(said.text, columns);
    case 'answer': {
      const answer = stream();
      return [...answer.push(said.text), ...answer.end()];
    }
    case 'call':
      return callRows(said, { columns, stream });
  }
}

/** The user's text as it looks after the prompt. */
export function userLines(text: string, columns: number): readonly StyledLine[] {
  return sanitize(text)
    .split('\n')
    .flatMap((line, index) =>
      wrapSpans(
        [{ text: index === 0 ? '> ' : '… ', styles: index === 0 ? ['green'] : ['dim'] }, spanOf(line)],
        columns,
      ),
    );
}
