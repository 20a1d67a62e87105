// Makes room in the window: older messages leave the view, and a summary takes their place. It stores a checkpoint;
// nothing leaves the journal, and compaction.undone brings everything back. A summary that fails or does not help is
// recorded as a failure, and `truncate` runs instead.
import { automaticStrategy } from '../../context/compaction/due.ts';
import { OllmError } from '../../errors/index.ts';
import type { NewOllmEvent } from '../../events/index.ts';
import type { Session } from '../../session/session.ts';
import {
  type CompactionDependencies,
  type CompactionRequest,
  type CompactionWork,
  type PlannedCompaction,
  requireGoingOn,
  tryToCompact,
  type UsedStrategy,
} from './try-to-compact.ts';

export type CompactionResult =
  | {
      readonly kind: 'compacted';
      readonly strategy: UsedStrategy;
      /** seq of the checkpoint. */
      readonly seq: number;
      /** How many messages it covers. */
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Why a different strategy was used from the requested one. */
      readonly failure: OllmError | undefined;
    }
  /** No item may go. */
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'failed'; readonly error: OllmError };

/**
 * Not to be run during a turn: see `Session.exclusively`.
 * @throws OllmError INTERRUPTED (nothing was stored), and what `append` throws
 */
export async function compact(
  session: Session,
  dependencies: CompactionDependencies,
  request: CompactionRequest,
): Promise<CompactionResult> {
  const { settings, by, signal } = request;
  const wanted = by === 'auto' ? automaticStrategy(settings, session.states.compaction) : settings.strategy;
  const used: NewOllmEvent[] = [];
  const work: CompactionWork = { session, dependencies, request, used };
  const first = await tryToCompact(work, wanted);
  requireGoingOn(signal);
  if (first === undefined) return { kind: 'nothing-to-do' };
  if (!(first instanceof OllmError)) return store(first, []);

  dependencies.log.warn(
    { service: 'compaction', operation: wanted, sessionId: session.id, error: first, action: first.hint },
    'A compaction failed; truncate takes its place',
  );
  const second = wanted === 'truncate' ? first : ((await tryToCompact(work, 'truncate')) ?? first);
  const failed: NewOllmEvent = {
    type: 'compaction.failed',
    data: {
      strategy: wanted,
      error: { code: first.code, message: first.message },
      fallback: second instanceof OllmError ? 'none' : 'truncate',
    },
  };
  if (!(second instanceof OllmError)) return store(second, [failed], first);
  await append([...used, failed]);
  return { kind: 'failed', error: first };

  async function store(
    { plan, data }: PlannedCompaction,
    before: readonly NewOllmEvent[],
    failure?: OllmError,
  ): Promise<CompactionResult> {
    const receipts = await append([...used, ...before, { type: 'compaction.completed', data }]);
    const { strategy, tokensBefore, tokensAfter } = data as typeof data & { strategy: UsedStrategy };
    const seq = receipts.at(-1)?.seq ?? session.writer.head.seq;
    const fields = { service: 'compaction', operation: strategy, sessionId: session.id, seq, by };
    dependencies.log.info({ ...fields, tokensBefore, tokensAfter }, 'Older messages were set aside');
    return { kind: 'compacted', strategy, seq, messages: plan.coveredMessages, tokensBefore, tokensAfter, failure };
  }

  function append(events: readonly NewOllmEvent[]) {
    const { turn } = request;
    return session.append(turn === undefined ? events : events.map((event) => ({ ...event, turn })));
  }
}
