// The calls of one reply, run. Those that only read run side by side, a bounded number at once; each of the others
// waits for all before it, and is planned when it is its turn. At the end every call has exactly one result, also when
// the turn was cancelled in the middle: the next request is then well-formed.
import { Observable } from 'rxjs';
import type { NewOllmEvent } from '../../events/index.ts';
import type { ModelToolCall } from '../../providers/provider.ts';
import { reserveTokens } from '../request/reserve.ts';
import type { TurnSignal } from '../signals.ts';
import type { Turn } from '../turn.ts';
import { lanes } from './lanes.ts';
import type { Round } from './round.ts';
import { concludeCall, prepareCall, refuse } from './run-call.ts';

const MAX_AT_ONCE = 4;
/** Share of the window that the outputs of one reply may take. */
const OUTPUT_SHARE = 0.5;
const MIN_OUTPUT_TOKENS = 64;
/** What fits into a line of the journal, whatever characters it is made of. */
const MAX_OUTPUT_TOKENS = 128_000;

/**
 * Ends when all calls have their results. Errors with what an append throws. Unsubscribing changes nothing: see
 * `Turn.cancelled`.
 */
export function toolRound$(turn: Turn, calls: readonly ModelToolCall[], stopped?: string): Observable<TurnSignal> {
  return new Observable((subscriber) => {
    const round: Round = {
      turn,
      tools: turn.dependencies.tools,
      maxOutputTokens: outputRoom(turn, calls.length),
      finished: new Set(),
      show: (signal) => subscriber.next(signal),
      alone: lanes(1),
    };
    const running = stopped === undefined ? runCalls(round, calls) : refuseCalls(round, calls, stopped);
    running.then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
  });
}

/** All outputs of a reply go into the next request together, which must fit the window. */
function outputRoom({ dependencies }: Turn, calls: number): number {
  const { tools, contextWindow } = dependencies;
  const most = Math.min(tools?.maxOutputTokens ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS);
  if (contextWindow === undefined) return most;
  const room = (contextWindow - reserveTokens(dependencies)) * OUTPUT_SHARE;
  return Math.min(most, Math.max(MIN_OUTPUT_TOKENS, Math.floor(room / calls)));
}

async function runCalls(round: Round, calls: readonly ModelToolCall[]): Promise<void> {
  const besides = lanes(MAX_AT_ONCE);
  const readers: Promise<void>[] = [];
  try {
    for (const call of calls) {
      if (round.turn.cancelled.aborted) break;
      const prepared = await prepareCall(round, call);
      if (prepared.kind === 'planned' && prepared.plan.action.isReadOnly) {
        readers.push(handled(besides(() => concludeCall(round, prepared))));
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

async function refuseCalls(round: Round, calls: readonly ModelToolCall[], words: string): Promise<void> {
  for (const call of calls) await refuse(round, { kind: 'refused', call, rule: 'loop', words });
}

/** Calls that a cancelled turn did not come to. One batch: the journal has all of them, or none. */
async function closeOpen({ turn, finished, show }: Round, calls: readonly ModelToolCall[]): Promise<void> {
  const open = calls.filter(({ callId }) => !finished.has(callId));
  if (open.length === 0) return;
  const content = 'The user stopped the turn before this call ran. It had no effect.';
  const tokens = turn.dependencies.counter.count(content);
  await turn.session.append(
    open.map(({ callId }): NewOllmEvent => {
      const result = { llmContent: content };
      const data = { callId, status: 'cancelled', result, tokens, durationMs: 0, trusted: false } as const;
      return { type: 'tool.finished', turn: turn.number, data };
    }),
    { durability: 'disk' },
  );
  for (const { callId } of open) show({ type: 'tool_result', callId, status: 'cancelled', content, durationMs: 0 });
}
