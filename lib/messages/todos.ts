// The list of tasks in the arguments of a `todo_write` call, and its text. Journals of other programs have such calls
// too, with any content: a value that is not a list counts as empty, and a long one is cut.

export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export const TODO_TOOL = 'todo_write';
export const TODO_STATUSES: readonly Todo['status'][] = ['pending', 'in_progress', 'completed'];
export const MOST_TODOS = 50;
/** Characters of a single entry. */
export const MOST_TODO_CHARACTERS = 200;

const NAME = /^todo_?write$/i;

/**
 * The list that a call of a tool writes; undefined if it writes none.
 *
 * @example
 * todosOf('todo_write', { todos: [{ content: 'Run the tests', status: 'pending' }] });
 */
export function todosOf(tool: string, args: unknown): readonly Todo[] | undefined {
  if (!NAME.test(tool)) return undefined;
  const { todos } = (args ?? {}) as { readonly todos?: unknown };
  if (!Array.isArray(todos)) return undefined;
  return todos.slice(0, MOST_TODOS).flatMap((todo: Partial<Todo> | null) => {
    const { content, status } = todo ?? {};
    if (typeof content !== 'string' || content.trim() === '') return [];
    const line = content.slice(0, MOST_TODO_CHARACTERS).toWellFormed().replace(/\s+/gu, ' ').trim();
    return [{ content: line, status: TODO_STATUSES.find((known) => known === status) ?? 'pending' }];
  });
}

/** The current task, or else the first open one; undefined if all are done. */
export function currentTodo(todos: readonly Todo[]): Todo | undefined {
  return todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending');
}

/** `2 of 5 done`, `Nothing to do`. */
export function todoProgress(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === 'completed').length;
  return todos.length === 0 ? 'Nothing to do' : `${done} of ${todos.length} done`;
}

/** `2 of 5 done, now: Run the tests`. */
export function todoSummary(todos: readonly Todo[]): string {
  const progress = todoProgress(todos);
  const now = currentTodo(todos);
  return now?.status === 'in_progress' ? `${progress}, now: ${now.content}` : progress;
}

export const TODO_SIGNS: Readonly<Record<Todo['status'], string>> = {
  pending: '☐',
  in_progress: '▸',
  completed: '☑',
};

/** For people: `☑ Read the code`, one line for each. */
export function todoLines(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `${TODO_SIGNS[status]} ${content}`).join('\n');
}

const BOXES: Readonly<Record<Todo['status'], string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };

/** For a model: `- [x] Read the code`. */
export function todoList(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `- ${BOXES[status]} ${content}`).join('\n');
}
