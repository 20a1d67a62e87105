// Whether a result may be stored and given to the model: the tool itself may refuse it, and so may a hook of the user.
// A refused result is in neither; the model is told of the refusal, and the journal has the reason.
import { messageOf } from '../../errors/index.ts';
import type { HookedResult } from '../../hooks/hooks.ts';
import { askHooksAfter } from './call-hooks.ts';
import type { PlannedCall } from './plan-call.ts';
import type { Round } from './round.ts';
import type { RefusedOutput, ToolEnd } from './run-tool.ts';
import { storeOutput } from './tool-output.ts';

export async function checkOutput(round: Round, planned: PlannedCall, end: ToolEnd): Promise<ToolEnd> {
  const refusal = (await refusalOfTool(planned, end)) ?? (await refusalOfHooks(round, planned, end));
  if (refusal === undefined) return end;
  const content = `The tool ran, and its result was refused: ${refusal.reason}`;
  return { status: 'error', output: { content }, durationMs: end.durationMs, refusal };
}

async function refusalOfTool(
  { tool, args }: PlannedCall,
  { status, output }: ToolEnd,
): Promise<RefusedOutput | undefined> {
  if (tool.validateOutput === undefined || status !== 'ok') return undefined;
  const rule = 'output-refused:tool';
  try {
    const reason = await tool.validateOutput(output, args);
    return reason === undefined ? undefined : { rule, reason };
  } catch (error) {
    return { rule, reason: `Its check broke down: ${messageOf(error)}` };
  }
}

async function refusalOfHooks(round: Round, planned: PlannedCall, end: ToolEnd): Promise<RefusedOutput | undefined> {
  const { turn } = round;
  if (turn.dependencies.hooks === undefined || turn.cancelled.aborted) return undefined;
  const request = { callId: planned.call.callId, name: planned.call.name, output: end.output };
  // As the model would be given it. Nothing of it is stored before the hooks have answered.
  const notStored = { ...planned.tools, keepsOutputs: false };
  const { content } = await storeOutput(turn, notStored, { ...request, maxTokens: round.maxOutputTokens });
  const result: HookedResult = { status: end.status, content, durationMs: end.durationMs };
  return (await askHooksAfter(turn, planned, result))?.veto;
}
