// The lists of tasks that a model has written, as a part of the view. An undo takes a list back with the turn that
// wrote it; a compaction covers the call, and leaves the list. The newest lists are kept: when a move needs a dropped
// list, the owner replays the journal.
import { type Todo, todosOf } from '../messages/todos.ts';
import { type Branches, isOnActiveBranch } from './branches.ts';

export interface TodoLists {
  /** Oldest first. */
  lists: { seq: number; todos: readonly Todo[] }[];
  /** seq of the newest dropped list. */
  forgottenTo?: number;
}

const KEPT_LISTS = 20;

/** The list that a call at `seq` has written; others leave the lists as they are. */
export function writeTodos(
  before: TodoLists | undefined,
  { seq, name, args }: { readonly seq: number; readonly name: string; readonly args: unknown },
): TodoLists | undefined {
  const todos = todosOf(name, args);
  if (todos === undefined) return before;
  const lists = [...(before?.lists ?? []), { seq, todos }].sort((left, right) => left.seq - right.seq);
  return { ...before, lists };
}

/** The list that holds now, with the seq of the call that wrote it. */
export function listNow(todos: TodoLists | undefined, branches: Branches): TodoLists['lists'][number] | undefined {
  return todos?.lists.findLast(({ seq }) => isOnActiveBranch(branches, seq));
}

/** The list that held when a compaction covered the call that wrote it. */
export function coveredList(
  todos: TodoLists | undefined,
  { branches, keptFrom }: { readonly branches: Branches; readonly keptFrom: number },
): TodoLists['lists'][number] | undefined {
  return todos?.lists.findLast(({ seq }) => seq < keptFrom && isOnActiveBranch(branches, seq));
}

/** Drops all lists but the newest, the current one, and the one that a compaction covered. */
export function trimTodos(
  todos: TodoLists,
  timeline: { readonly branches: Branches; readonly keptFrom: number },
): TodoLists {
  const needed = [listNow(todos, timeline.branches), coveredList(todos, timeline)];
  const kept = todos.lists.filter((list, index) => needed.includes(list) || index >= todos.lists.length - KEPT_LISTS);
  const gone = todos.lists.findLast((list) => !kept.includes(list));
  return gone === undefined ? todos : { lists: kept, forgottenTo: Math.max(gone.seq, todos.forgottenTo ?? 0) };
}

/** Whether the list that is valid after a move may have been trimmed. */
export function lacksTodos(todos: TodoLists, branches: Branches): boolean {
  const { forgottenTo = -1 } = todos;
  return (listNow(todos, branches)?.seq ?? 0) < forgottenTo;
}
