// Lets a model keep a list of tasks. It has no effect: the list is in the call itself, and the current list follows
// from the journal (projections/view.ts), so that it survives a resume, an undo and a compaction.
import {
  MOST_TODO_CHARACTERS,
  MOST_TODOS,
  TODO_STATUSES,
  TODO_TOOL,
  todoLines,
  todoProgress,
  todoSummary,
  todosOf,
} from '../../messages/todos.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';

export function todoWriteTool(): Tool {
  return builtinTool({
    name: TODO_TOOL,
    description:
      'Keeps the list of what is to do, which the user sees at each change. Use it for work of three or more steps, and in plan mode for your plan. Send the whole list each time: what you are at is in_progress, and what is done, completed, as soon as it is.',
    properties: {
      todos: {
        type: 'array',
        maxItems: MOST_TODOS,
        description: 'All of the list, in the order of the work; empty to clear it.',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength: MOST_TODO_CHARACTERS },
            status: { type: 'string', enum: TODO_STATUSES },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['todos'],
    examples: [{ todos: [{ content: 'Run the tests', status: 'in_progress' }] }],
    async plan(args) {
      const todos = todosOf(TODO_TOOL, args) ?? [];
      if (todos.length < args.todos.length) throw new ToolFailure('Each entry needs a content that says something.');
      return {
        action: { tool: TODO_TOOL, summary: todoSummary(todos), isReadOnly: true, accesses: [] },
        async run({ signal }) {
          signal.throwIfAborted();
          return { content: `The list is kept: ${todoProgress(todos)}.`, display: todoLines(todos) };
        },
      };
    },
  });
}
