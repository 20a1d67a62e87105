// The plan of a turn, by its calls.
import { planOf } from '../../messages/plan-of-call.ts';
import type { Todo } from '../../messages/todos.ts';

interface Named {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The plan as it is after these calls: what failed or was declined has changed nothing. */
export function latestPlan(calls: readonly (Named & { readonly state: string })[]): readonly Todo[] {
  const holds = calls.findLast(({ state }) => state !== 'failed' && state !== 'declined') ?? calls[0];
  return (holds && planOf(holds)) ?? [];
}
