// A compaction by the provider itself: its own form of the older messages, which only the same model can read. It
// includes the summary of still older ones, so that nothing is lost from one compaction to the next.
import type { RequestMessage, SafeRequest } from '../../context/assembled.ts';
import type { CompactionPlan } from '../../context/compaction/plan.ts';
import { modelMessages } from '../../context/model-messages.ts';
import { stepsOf } from '../../context/steps.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import { delimit, ownText } from '../../messages/untrusted.ts';
import { untilAborted } from '../../platform/waiting.ts';
import { type OpaqueSummary, standingFor } from '../../projections/timeline.ts';
import type { Session } from '../../session/session.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import type { AskingDependencies } from '../request/ask-once.ts';
import { cacheKeyOf } from '../request/request.ts';
import type { TurnDependencies } from '../turn.ts';

interface CompactionPlace {
  readonly session: Session;
  readonly dependencies: AskingDependencies;
}

interface OwnCompaction {
  readonly opaque: OpaqueSummary;
  readonly usage: EventData<'usage.reported'> | undefined;
}

/** Not where another model writes the summaries. */
export function hasOwnCompaction({ provider, summarizer }: Pick<TurnDependencies, 'provider' | 'summarizer'>): boolean {
  return summarizer === undefined && provider.capabilities.compaction && provider.compact !== undefined;
}

/** @throws OllmError INTERRUPTED, PROVIDER_*; or any error of the provider */
export async function compactByProvider(
  { session, dependencies }: CompactionPlace,
  plan: CompactionPlan,
  signal: AbortSignal,
): Promise<OwnCompaction> {
  const { provider, model, store } = dependencies;
  const messages = [
    ...before(session, dependencies),
    ...modelMessages(stepsOf(plan.covered), { provider: provider.name }),
  ];
  const request: SafeRequest = {
    model,
    system: ownText(''),
    messages,
    tools: [],
    cacheKey: cacheKeyOf(session),
    readBlob: store.readBlob,
  };
  const made = provider.compact && (await untilAborted(provider.compact(request, { signal }), signal));
  if (made === undefined) throw new OllmError('INTERRUPTED', 'Stopped. Nothing was compacted.');
  const { opaque: content, usage } = made;
  const tokens = usage?.outputTokens ?? estimateTokens(content);
  return {
    opaque: { provider: provider.name, model, content, tokens },
    usage: usage && { ...usage, source: 'provider', model, provider: provider.name, purpose: 'summary' },
  };
}

function before({ states }: Session, { provider, model }: AskingDependencies): readonly RequestMessage[] {
  const standing = standingFor(states.view.timeline, { provider: provider.name, model });
  if (standing?.opaque !== undefined) {
    const { content } = standing.opaque;
    const part = { type: 'reasoning', provider: provider.name, opaque: content } as const;
    return [{ role: 'assistant', parts: [part], toolCalls: [] }];
  }
  if (standing?.summary === undefined) return [];
  return [{ role: 'user', parts: [{ type: 'text', text: delimit(standing.summary, { what: 'summary' }) }] }];
}
