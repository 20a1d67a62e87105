// Asks the user's hooks about a call, before it and after it.
import type { HookedCall, HookedResult, HookOutcome, HookVeto } from '../../hooks/hooks.ts';
import { untilAborted } from '../../platform/waiting.ts';
import type { Planned } from './plan-call.ts';
import type { Round } from './round.ts';

/** Undefined: the turn was cancelled meanwhile. */
export async function askHooks(
  round: Round,
  planned: Planned,
): Promise<{ readonly veto?: HookVeto | undefined } | undefined> {
  const { cancelled, dependencies, number } = round.turn;
  const { hooks } = dependencies;
  if (hooks === undefined) return {};
  const answer = hooks.beforeTool({ turn: number, call: hookedCall(planned) }, cancelled);
  return told(round, await untilAborted(answer, cancelled));
}

/** Before the result is stored. Undefined: there are none, or the turn was cancelled meanwhile. */
export async function askHooksAfter(
  round: Round,
  planned: Planned,
  result: HookedResult,
): Promise<{ readonly veto?: HookVeto | undefined } | undefined> {
  const { cancelled, dependencies, number } = round.turn;
  const answer = dependencies.hooks?.afterTool({ turn: number, call: hookedCall(planned), result }, cancelled);
  const outcome = answer && told(round, await untilAborted(answer, cancelled));
  // A hook that was ended with the turn has not said no to anything.
  return cancelled.aborted ? undefined : outcome;
}

function told({ show }: Round, outcome: HookOutcome | undefined): HookOutcome | undefined {
  for (const text of outcome?.notices ?? []) show({ type: 'notice', text });
  return outcome;
}

function hookedCall({ call, args, plan }: Planned): HookedCall {
  const { summary, isReadOnly } = plan.action;
  return { callId: call.callId, name: call.name, args, summary, isReadOnly };
}
