// The plan that a call writes, whichever program's tool it is: Claude's TodoWrite, ollm's todo_write, Codex's
// update_plan, Gemini's write_todos.
import { TODO_TOOL, type Todo, todosOf } from './todos.ts';

interface Named {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Undefined if the call writes none. */
export function planOf({ name, args }: Named): readonly Todo[] | undefined {
  if (/^update_?plan$/i.test(name)) return listed(args.plan, 'step');
  if (/^write_?todos$/i.test(name)) return listed(args.todos, 'description');
  return todosOf(name, args);
}

/** Entries that were given up are left out. */
function listed(items: unknown, member: string): readonly Todo[] | undefined {
  if (!Array.isArray(items)) return undefined;
  const todos = items.flatMap((item: Readonly<Record<string, unknown>> | null) =>
    item?.status === 'cancelled' ? [] : [{ content: item?.[member], status: item?.status }],
  );
  return todosOf(TODO_TOOL, { todos });
}
