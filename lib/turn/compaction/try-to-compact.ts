// Tries to make room with one strategy: chooses the items to remove, writes a summary if the strategy has one, and
// checks that the view becomes smaller. Stores nothing.
import { type CompactionSettings, compactionSizes } from '../../context/compaction/due.ts';
import { extractSummary } from '../../context/compaction/extract.ts';
import { type CompactionPlan, checkpointText, planCompaction, tokensAfter } from '../../context/compaction/plan.ts';
import { type CompactionStrategy, STRATEGIES } from '../../context/compaction/strategy.ts';
import { questionTokens, writeSummary } from '../../context/compaction/write-summary.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventData, NewOllmEvent } from '../../events/index.ts';
import { untilAborted } from '../../platform/waiting.ts';
import { usedTokens } from '../../projections/budget-report.ts';
import type { OpaqueSummary } from '../../projections/timeline.ts';
import { tokenFactor } from '../../projections/token-factors.ts';
import type { Session } from '../../session/session.ts';
import { createScrubber } from '../redact-event.ts';
import { type AskingDependencies, askOnce } from '../request/ask-once.ts';
import { providerError, type TurnDependencies } from '../turn.ts';
import { compactByProvider, hasOwnCompaction } from './compact-by-provider.ts';

export type CompactionDependencies = AskingDependencies & Pick<TurnDependencies, 'redactor' | 'log' | 'summarizer'>;

export interface CompactionRequest {
  readonly settings: CompactionSettings;
  readonly by: 'auto' | 'user';
  readonly signal: AbortSignal;
  /** The turn that it belongs to, where there is one. */
  readonly turn?: number | undefined;
  /** Tokens of the tool definitions. */
  readonly toolTokens?: number | undefined;
  /** Called when a model is about to be asked for a summary: never if no message may go. */
  readonly onSummary?: (() => void) | undefined;
}

/** As it is set, or the provider's own where it has one. */
export type UsedStrategy = CompactionStrategy | 'provider';

/** The state that the tries of one compaction share. */
export interface CompactionWork {
  readonly session: Session;
  readonly dependencies: CompactionDependencies;
  readonly request: CompactionRequest;
  /** Usage of the models that were asked; stored in any case. */
  readonly used: NewOllmEvent[];
}

/** The event to store, with its plan. */
export interface PlannedCompaction {
  readonly plan: CompactionPlan;
  readonly data: EventData<'compaction.completed'>;
}

/** A summary covers messages since the last one, and no more than this. */
const MOST_SUMMARIZED_TOKENS = 1_000_000;
/** Tokens of a conversation that a model gets in one request, where its window is not known. */
const UNKNOWN_WINDOW = 8_192;
const MIN_PART_TOKENS = 256;
/** Our estimate may be wrong: a part leaves that share of the window free. */
const PART_SHARE = 0.8;

/**
 * Undefined: nothing may go. A failure is answered with, not thrown.
 *
 * @throws OllmError INTERRUPTED
 */
export async function tryToCompact(
  work: CompactionWork,
  name: CompactionStrategy,
): Promise<PlannedCompaction | OllmError | undefined> {
  const { session, dependencies, request } = work;
  const { settings, by, signal, toolTokens = 0 } = request;
  const { provider, model, contextWindow } = dependencies;
  const factor = tokenFactor(session.states.budget, { provider: provider.name, model });
  const strategy = STRATEGIES[name];
  const sizes = compactionSizes(settings, {
    by,
    contextWindow: contextWindow === undefined ? undefined : Math.floor(contextWindow / factor) - toolTokens,
    usedTokens: Math.floor(usedTokens(session.states.budget).count / factor),
  });
  const view = strategy.summarizes ? await session.viewBackTo(MOST_SUMMARIZED_TOKENS) : session.states.view;
  const plan = planCompaction(view, strategy, sizes);
  if (plan === undefined) return undefined;
  if (strategy.summarizes && settings.summaries === 'model') request.onSummary?.();
  const byProvider = strategy.summarizes ? await byItsProvider(work, plan, sizes.summaryTokens) : undefined;
  if (byProvider !== undefined) return byProvider;
  try {
    const summary = strategy.summarizes ? await summaryOf(work, plan, sizes.summaryTokens) : undefined;
    return checked(work, name, plan, checkpointText(plan, summary));
  } catch (error) {
    requireGoingOn(signal);
    return providerError(dependencies, error);
  }
}

/** Undefined if the provider has none, or it did not help: then a summary is written. */
async function byItsProvider(
  work: CompactionWork,
  plan: CompactionPlan,
  maxTokens: number,
): Promise<PlannedCompaction | undefined> {
  const { session, dependencies, request, used } = work;
  const { settings, signal } = request;
  if (settings.summaries !== 'model' || !hasOwnCompaction(dependencies)) return undefined;
  try {
    const { opaque, usage } = await compactByProvider({ session, dependencies }, plan, signal);
    if (usage !== undefined) used.push({ type: 'usage.reported', data: usage });
    const { covered, previous } = plan;
    // For people, and for every other model.
    const summary = extractSummary(covered, { maxTokens, previous });
    return checked(work, 'provider', plan, checkpointText(plan, summary), opaque);
  } catch (error) {
    requireGoingOn(signal);
    const failure = providerError(dependencies, error);
    const fields = { service: 'compaction', operation: 'provider', sessionId: session.id, error: failure };
    dependencies.log.warn({ ...fields, action: 'A summary takes its place.' }, 'The provider could not compact');
    return undefined;
  }
}

async function summaryOf(
  { session, dependencies, request, used }: CompactionWork,
  plan: CompactionPlan,
  maxTokens: number,
): Promise<string> {
  const { settings, signal } = request;
  const { covered, previous } = plan;
  if (settings.summaries === 'extraction') return extractSummary(covered, { maxTokens, previous });
  const summarizer = dependencies.summarizer && (await untilAborted(dependencies.summarizer(), signal));
  const writer = { ...dependencies, ...summarizer };
  const known = tokenFactor(session.states.budget, { provider: writer.provider.name, model: writer.model });
  const window = ((writer.contextWindow ?? UNKNOWN_WINDOW) / known) * PART_SHARE;
  const partTokens = Math.max(MIN_PART_TOKENS, Math.floor(window - maxTokens - questionTokens(maxTokens)));
  return writeSummary(covered, {
    maxTokens,
    partTokens,
    previous,
    ask: async ({ system, text }) => {
      const answer = await askOnce(writer, { system, text, maxOutputTokens: maxTokens }, signal);
      used.push({ type: 'usage.reported', data: answer.usage });
      return answer.text;
    },
  });
}

/** That it helps, as it would be stored. */
function checked(
  { dependencies, request }: CompactionWork,
  strategy: UsedStrategy,
  plan: CompactionPlan,
  text: string | undefined,
  opaque?: OpaqueSummary,
): PlannedCompaction {
  const summary = text === undefined ? undefined : createScrubber(dependencies.redactor).text(text);
  const after = opaque === undefined ? tokensAfter(plan, summary) : plan.tokensKept + opaque.tokens;
  if (after >= plan.tokensBefore) throw notSmaller(plan.tokensBefore, after);
  const { covers, keptFrom, tokensBefore } = plan;
  const { by } = request;
  return { plan, data: { strategy, covers, keptFrom, summary, opaque, tokensBefore, tokensAfter: after, by } };
}

export function requireGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped. Nothing was compacted.');
}

function notSmaller(before: number, after: number): OllmError {
  return new OllmError('COMPACTION_FAILED', `It would not be smaller: ${before} tokens before, ${after} after.`, {
    hint: 'Use a model with a larger window, or lower services.compression.preserveRecent.',
    data: { before, after },
  });
}
