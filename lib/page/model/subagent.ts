// Calls that let another agent work.
import type { ShownCall } from './blocks.ts';

const NAMES = /^(?:task|agent|spawn_?agent|subagent|delegate)$/i;
/** Members that contain its task, the best first. */
const TASKS = ['prompt', 'task', 'message', 'instructions'];

export function isSubagent(call: Pick<ShownCall, 'name' | 'args' | 'start' | 'end'>): boolean {
  if (call.start?.subagent !== undefined || call.end?.subagent !== undefined) return true;
  return NAMES.test(call.name) && taskOf(call) !== undefined;
}

/** The task that it was given. */
export function taskOf({ args }: Pick<ShownCall, 'args'>): string | undefined {
  const found = TASKS.map((name) => args[name]).find((value) => typeof value === 'string' && value.trim() !== '');
  return found as string | undefined;
}
