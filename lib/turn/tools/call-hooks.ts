// What the user's hooks are told of a call, and what they say to it.
import type { HookedCall, HookOutcome, HookVeto } from '../../hooks/hooks.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Planned } from './plan-call.ts';
import type { Round } from './round.ts';
import type { ToolEnd } from './run-tool.ts';

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

/** `content`: what the model is given. */
export async function tellHooks(round: Round, planned: Planned, end: ToolEnd, content: string): Promise<void> {
  const { cancelled, dependencies, number } = round.turn;
  const { hooks } = dependencies;
  if (hooks === undefined || cancelled.aborted) return;
  const result = { status: end.status, content, durationMs: end.durationMs };
  const answer = hooks.afterTool({ turn: number, call: hookedCall(planned), result }, cancelled);
  told(round, await untilAborted(answer, cancelled));
}

function told({ show }: Round, outcome: HookOutcome | undefined): HookOutcome | undefined {
  for (const text of outcome?.notices ?? []) show({ type: 'notice', text });
  return outcome;
}

function hookedCall({ call, args, plan }: Planned): HookedCall {
  const { summary, isReadOnly } = plan.action;
  return { callId: call.callId, name: call.name, args, summary, isReadOnly };
}
