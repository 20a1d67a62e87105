// Asks the user's hooks about a call, before it and after it.
import type { HookedCall, HookedResult, HookOutcome } from '../../hooks/hooks.ts';
import { untilAborted } from '../../platform/waiting.ts';
import type { Turn } from '../turn.ts';
import type { PlannedCall } from './plan-call.ts';

/** Undefined: the turn was cancelled meanwhile. */
export function askHooks(turn: Turn, planned: PlannedCall): Promise<HookOutcome | undefined> {
  const { cancelled, dependencies, number } = turn;
  return shown(turn, dependencies.hooks?.beforeTool({ turn: number, call: hookedCall(planned) }, cancelled));
}

/** Before the result is stored. Undefined: the turn was cancelled meanwhile. */
export function askHooksAfter(
  turn: Turn,
  planned: PlannedCall,
  result: HookedResult,
): Promise<HookOutcome | undefined> {
  const { cancelled, dependencies, number } = turn;
  return shown(turn, dependencies.hooks?.afterTool({ turn: number, call: hookedCall(planned), result }, cancelled));
}

const NO_HOOKS: HookOutcome = { notices: [] };

async function shown(
  { cancelled, show }: Turn,
  asked: Promise<HookOutcome> = Promise.resolve(NO_HOOKS),
): Promise<HookOutcome | undefined> {
  const outcome = await untilAborted(asked, cancelled);
  for (const text of outcome?.notices ?? []) show({ type: 'notice', text });
  // A hook that was ended with the turn has not said no to anything.
  return cancelled.aborted ? undefined : outcome;
}

function hookedCall({ call, args, plan }: PlannedCall): HookedCall {
  const { summary, isReadOnly } = plan.action;
  return { callId: call.callId, name: call.name, args, summary, isReadOnly };
}
