// Runs a plan until it ends, times out or is stopped by the user. A tool that does not stop on request is abandoned
// after a moment: it can be late, but never hold up the turn.
import { messageOf } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { deadline, waitFor } from '../../platform/waiting.ts';
import { ToolFailure, type ToolOutput, type ToolPlan } from '../../tools/tool.ts';
import type { TurnTools } from '../turn-tools.ts';

/**
 * The time in which a stopped tool may return its partial result. A cooperative tool needs a moment; a program that
 * does not react is killed long before, even on a busy machine.
 */
const FAREWELL_MS = 3_000;

interface RunOptions {
  readonly cancelled: AbortSignal;
  readonly tools: Pick<TurnTools, 'runProgram' | 'timeoutMs'>;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
}

/** How a call ended. */
export interface ToolEnd {
  readonly status: 'ok' | 'error' | 'timeout' | 'cancelled';
  readonly output: ToolOutput;
  readonly durationMs: number;
  /** The error that the tool threw, unless it is one of its foreseen failures. */
  readonly fault?: unknown;
  /** Which rule refused the result, of which `output` then holds nothing, and why. */
  readonly refusal?: RefusedOutput | undefined;
}

export interface RefusedOutput {
  /** `output-refused:tool`, `hook:afterTool`. */
  readonly rule: string;
  readonly reason: string;
}

type Ran =
  | { readonly kind: 'returned'; readonly output: ToolOutput }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'left-behind' };

export async function runTool(plan: ToolPlan, { cancelled, tools, clock, onProgress }: RunOptions): Promise<ToolEnd> {
  const { runProgram } = tools;
  const { timeoutMs = tools.timeoutMs } = plan;
  const startedMs = clock.monotonic();
  const limit = deadline(timeoutMs);
  const signal = AbortSignal.any([cancelled, limit.signal]);
  let isOver = false;
  const means = { signal, runProgram, onProgress: (text: string) => (isOver ? undefined : onProgress(text)) };
  try {
    const waited = await waitFor(outcomeOf(plan, means), { signal, graceMs: FAREWELL_MS });
    const ran: Ran = waited.kind === 'done' ? waited.value : { kind: 'left-behind' };
    const stopped = cancelled.aborted ? 'cancelled' : limit.signal.aborted ? 'timeout' : undefined;
    return { ...endOf(ran, stopped, timeoutMs), durationMs: Math.round(clock.monotonic() - startedMs) };
  } finally {
    isOver = true;
    limit.end();
  }
}

async function outcomeOf(plan: ToolPlan, means: Parameters<ToolPlan['run']>[0]): Promise<Ran> {
  try {
    return { kind: 'returned', output: await plan.run(means) };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

type Stopped = 'cancelled' | 'timeout' | undefined;

function endOf(ran: Ran, stopped: Stopped, timeoutMs: number): Omit<ToolEnd, 'durationMs'> {
  if (stopped !== undefined) {
    const why =
      stopped === 'timeout'
        ? `It took longer than ${timeoutMs / 1000} seconds and was stopped.`
        : 'The user stopped it.';
    const late = ran.kind === 'left-behind' ? ' It did not end when it was told to, and may still have an effect.' : '';
    const soFar = ran.kind === 'returned' && isOutput(ran.output) ? ran.output : undefined;
    return { status: stopped, output: withReason(soFar, `${why}${late}`) };
  }
  if (ran.kind === 'returned' && isOutput(ran.output)) return { status: ran.output.status ?? 'ok', output: ran.output };
  if (ran.kind === 'threw' && ran.error instanceof ToolFailure) return failed(ran.error.message);
  if (ran.kind === 'threw') return { ...failed(`The tool broke down: ${messageOf(ran.error)}`), fault: ran.error };
  return { ...failed('The tool gave back nothing that could be understood.'), fault: 'no output' };
}

function failed(content: string): Omit<ToolEnd, 'durationMs'> {
  return { status: 'error', output: { content } };
}

/** The output until now, followed by the reason why there is no more. */
function withReason(output: ToolOutput | undefined, reason: string): ToolOutput {
  if (output === undefined || output.content.length === 0) return { ...output, content: reason };
  if (typeof output.content === 'string') return { ...output, content: `${output.content}\n${reason}` };
  return { ...output, content: Buffer.concat([output.content, Buffer.from(`\n${reason}`)]) };
}

function isOutput(output: unknown): output is ToolOutput {
  const content = (output as ToolOutput | null | undefined)?.content;
  return typeof content === 'string' || content instanceof Uint8Array;
}
