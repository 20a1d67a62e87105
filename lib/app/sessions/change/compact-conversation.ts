// `/compact`: older messages make room on command, the newest compaction is shown or taken back, and the next one is
// previewed. The same rules as for the automatic one before a request.
import { type CompactionSettings, compactionSizes, dueAtTokens } from '../../../context/compaction/due.ts';
import { planCompaction } from '../../../context/compaction/plan.ts';
import { STRATEGIES } from '../../../context/compaction/strategy.ts';
import { OllmError } from '../../../errors/index.ts';
import { usedTokens } from '../../../projections/budget-report.ts';
import { currentCheckpoint, currentSummary } from '../../../projections/timeline.ts';
import { tokenFactor } from '../../../projections/token-factors.ts';
import type { Provider } from '../../../providers/provider.ts';
import { type CompactionResult, compact } from '../../../turn/compaction/compact.ts';
import { hasOwnCompaction } from '../../../turn/compaction/compact-by-provider.ts';
import type { UsedStrategy } from '../../../turn/compaction/try-to-compact.ts';
import { reserveTokens } from '../../../turn/request/reserve.ts';
import type { TurnDependencies } from '../../../turn/turn.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { chooseProvider } from '../../providers/choose-provider.ts';
import { requestWindow } from '../../providers/request-window.ts';
import { turnBasis } from '../../turn/turn-basis.ts';

const OFFLINE = 'offline';

/** The settings for this provider: one that is not a language model has its summaries extracted. */
export function compactionSettings(
  { config }: Pick<App, 'config'>,
  { name }: Pick<Provider, 'name'>,
): CompactionSettings {
  const { enabled, threshold, strategy, preserveRecent } = config.services.compression;
  const writer = config.services.compression.summaryProvider ?? name;
  const summaries = writer === OFFLINE ? 'extraction' : 'model';
  const { summaryBudget: summaryTokens } = config.services.budget;
  return { enabled, threshold, strategy, preserveRecentTokens: preserveRecent, summaryTokens, summaries };
}

/** The model that writes summaries, where the settings name another one; looked for when there is one to write. */
export function summarizerOf(app: App, { choice }: Pick<Conversation, 'choice'>): TurnDependencies['summarizer'] {
  const { summaryProvider, summaryModel } = app.config.services.compression;
  if (summaryProvider === undefined && summaryModel === undefined) return undefined;
  const provider = summaryProvider ?? choice.provider.name;
  const isTheSame = provider === choice.provider.name;
  return () => chooseProvider(app, { provider, model: summaryModel ?? (isTheSame ? choice.model : undefined) });
}

/** @throws OllmError INTERRUPTED, and what an append throws */
export async function compactConversation(
  app: App,
  conversation: Conversation,
  { signal }: { readonly signal: AbortSignal },
): Promise<CompactionResult> {
  const { session, choice } = conversation;
  const dependencies = { ...(await turnBasis(app, conversation)), summarizer: summarizerOf(app, conversation) };
  const settings = compactionSettings(app, choice.provider);
  return session.exclusively(() => compact(session, dependencies, { settings, by: 'user', signal }));
}

/** The seq of the compaction that was taken back. @throws OllmError USAGE: there is none */
export async function undoCompaction({ session }: Conversation): Promise<number> {
  return session.exclusively(async () => {
    const checkpoint = currentCheckpoint(session.states.view.timeline);
    if (checkpoint === undefined) throw new OllmError('USAGE', 'There is no compaction to take back.');
    await session.append({ type: 'compaction.undone', data: { seq: checkpoint.seq } });
    return checkpoint.seq;
  });
}

function reserveOf({ config }: App, contextWindow: number): number {
  const { maxOutputTokens } = config;
  return reserveTokens({ contextWindow, maxOutputTokens, reserveForOutput: config.services.budget.reserveForOutput });
}

export interface CompactionPreview {
  /** Tokens in the window above which it happens by itself; undefined if it never does. */
  readonly dueAtTokens: number | undefined;
  readonly strategy: UsedStrategy;
  /** What `/compact` would do now; undefined if everything must stay. */
  readonly next: { readonly messages: number; readonly tokens: number; readonly keptTokens: number } | undefined;
  readonly preserveRecentTokens: number;
}

export function previewCompaction(app: App, { session, choice }: Conversation): CompactionPreview {
  const settings = compactionSettings(app, choice.provider);
  const contextWindow = requestWindow(app, choice);
  const { budget } = session.states;
  const factor = tokenFactor(budget);
  const sizes = compactionSizes(settings, {
    contextWindow: contextWindow === undefined ? undefined : Math.floor(contextWindow / factor),
    usedTokens: Math.floor(usedTokens(budget).count / factor),
    by: 'user',
  });
  const plan = planCompaction(session.states.view, STRATEGIES[settings.strategy], sizes);
  const isOwn =
    STRATEGIES[settings.strategy].summarizes &&
    settings.summaries === 'model' &&
    hasOwnCompaction({ provider: choice.provider, summarizer: summarizerOf(app, { choice }) });
  return {
    dueAtTokens:
      settings.enabled && contextWindow !== undefined
        ? dueAtTokens(settings, { contextWindow, reserveTokens: reserveOf(app, contextWindow) })
        : undefined,
    strategy: isOwn ? 'provider' : settings.strategy,
    next: plan && {
      messages: plan.coveredMessages,
      tokens: plan.tokensBefore - plan.tokensKept,
      keptTokens: plan.tokensKept,
    },
    preserveRecentTokens: sizes.preserveRecentTokens,
  };
}

/** The summary of messages that the model no longer gets; undefined if there is none. */
export function standingSummary({
  session,
}: Conversation): { readonly seq: number; readonly text: string } | undefined {
  const checkpoint = currentSummary(session.states.view.timeline);
  return checkpoint?.summary === undefined ? undefined : { seq: checkpoint.seq, text: checkpoint.summary };
}
