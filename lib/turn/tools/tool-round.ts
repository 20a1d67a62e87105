// The calls of one reply, run. Those that only read run side by side, a bounded number at once; each of the others
// waits for all before it, and is planned when it is its turn. At the end every call has exactly one result, also when
// the turn was cancelled in the middle: the next request is then well-formed.
import { Lanes } from '../../platform/lanes.ts';
import type { ModelToolCall } from '../../providers/provider.ts';
import { reserveTokens } from '../request/reserve.ts';
import type { Turn } from '../turn.ts';
import { planCall } from './plan-call.ts';
import type { Round } from './round.ts';
import { concludeCall, endWithoutRun, refuse } from './run-call.ts';

const MAX_AT_ONCE = 4;
/** Share of the window that the outputs of one reply may take. */
const OUTPUT_SHARE = 0.5;
const MIN_OUTPUT_TOKENS = 64;
/** What fits into a line of the journal, whatever characters it is made of. */
const MAX_OUTPUT_TOKENS = 128_000;

/**
 * Resolves when all calls have their results. `stopped`: why none of them is to run.
 * @throws what an append throws
 */
export async function runCalls(turn: Turn, calls: readonly ModelToolCall[], stopped?: string): Promise<void> {
  const { tools } = turn.dependencies;
  const maxOutputTokens = outputRoom(turn, calls.length);
  const round: Round = { turn, tools, maxOutputTokens, finished: new Set(), decisions: new Lanes(1) };
  if (stopped === undefined) return runRound(round, calls);
  for (const call of calls) await refuse(round, { kind: 'refused', call, rule: 'loop', words: stopped });
}

/** All outputs of a reply go into the next request together, which must fit the window. */
function outputRoom({ dependencies }: Turn, calls: number): number {
  const { tools, contextWindow } = dependencies;
  const most = Math.min(tools?.maxOutputTokens ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS);
  if (contextWindow === undefined) return most;
  const room = (contextWindow - reserveTokens(dependencies)) * OUTPUT_SHARE;
  return Math.min(most, Math.max(MIN_OUTPUT_TOKENS, Math.floor(room / calls)));
}

async function runRound(round: Round, calls: readonly ModelToolCall[]): Promise<void> {
  const reading = new Lanes(MAX_AT_ONCE);
  const readers: Promise<void>[] = [];
  try {
    for (const call of calls) {
      if (round.turn.cancelled.aborted) break;
      const prepared = await planCall(round, call, call.args);
      if (prepared.kind === 'planned' && prepared.plan.action.isReadOnly) {
        readers.push(handled(reading.run(() => concludeCall(round, prepared))));
      } else {
        await Promise.all(readers);
        await concludeCall(round, prepared);
      }
    }
  } finally {
    await Promise.allSettled(readers);
  }
  await Promise.all(readers);
  await closeOpen(round, calls);
}

/** Marks a rejection as handled; the `await` on the promise below still sees it. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

/** Calls that a cancelled turn did not come to. One batch: the journal has all of them, or none. */
async function closeOpen({ turn, finished }: Round, calls: readonly ModelToolCall[]): Promise<void> {
  const open = calls.filter(({ callId }) => !finished.has(callId));
  if (open.length === 0) return;
  const content = 'The user stopped the turn before this call ran. It had no effect.';
  const ends = open.map(({ callId }) => endWithoutRun(turn, callId, 'cancelled', content));
  await turn.session.append(ends, { durability: 'disk' });
  for (const { callId } of open)
    turn.show({ type: 'tool_result', callId, status: 'cancelled', content, durationMs: 0 });
}
