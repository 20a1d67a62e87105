// /todo: the model's list of tasks.
import { spanOf } from '../../display/paint.ts';
import { wrapBehind } from '../../display/wrap.ts';
import { todoLines, todoProgress } from '../../messages/todos.ts';
import { todosNow } from '../../projections/view.ts';
import { todoRows } from '../render/todo-rows.ts';
import type { ReplCommand } from './command.ts';

export const todoCommand: ReplCommand = {
  name: 'todo',
  group: 'conversation',
  arguments: '',
  summary: 'shows what the model has written down to do',
  details:
    'The model writes the list for work of several steps, and its plan in the mode plan. An undo takes a list back, a compaction leaves it',
  example: '/todo',
  legal: 'always',
  isImmediate: true,
  async run({ front, conversation }) {
    const todos = todosNow(conversation.session.states.view);
    if (todos.length === 0) return front.print('There is no list of what is to do.');
    for (const row of todoRows(todoLines(todos))) front.print(...wrapBehind([spanOf('  '), ...row], front.columns));
    front.print(`  ${todoProgress(todos)}.`);
  },
};
