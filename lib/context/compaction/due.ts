// Decides when a conversation is compacted automatically, and how. Guards against the usual failures: a compaction that
// does not help and is tried again and again, and a model that cannot summarize.
import type { CompactionState } from '../../projections/compaction.ts';
import type { CompactionSizes, CompactionStrategy } from './strategy.ts';

export interface CompactionSettings {
  /** Whether it happens automatically. */
  readonly enabled: boolean;
  /** Share of the window at which it happens. */
  readonly threshold: number;
  readonly strategy: CompactionStrategy;
  /** Tokens of recent messages that stay as they are. */
  readonly preserveRecentTokens: number;
  /** Tokens that a summary may have at most. Default: a tenth of the window, at most 4096. */
  readonly summaryTokens?: number | undefined;
  /** The source of summaries: the model that answers, or an extraction for a provider without a model. */
  readonly summaries: 'model' | 'extraction';
}

/** The settings without a configuration. */
export const DEFAULT_COMPACTION: CompactionSettings = {
  enabled: true,
  threshold: 0.8,
  strategy: 'hybrid',
  preserveRecentTokens: 4096,
  summaries: 'model',
};

/** After this many failures in a row only `truncate` runs automatically. */
export const MAX_FAILURES = 3;
/** After a try the conversation must have grown by this share of the window before the next one. */
const COOL_DOWN_SHARE = 0.1;
/** The view that a compaction aims for, as a share of the window. */
const TARGET_SHARE = 0.5;
const SUMMARY_SHARE = 0.1;
const MAX_SUMMARY_TOKENS = 4096;
const MIN_SUMMARY_TOKENS = 128;
/** The share of the target for recent messages; with more, a small window would have nothing to compact. */
const PRESERVED_SHARE = 0.75;

export interface WindowUse {
  /** As the provider reported, where it did. */
  readonly usedTokens: number;
  /** As counted here. Some providers leave cached tokens out of their reports. */
  readonly viewTokens: number;
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly reserveTokens: number;
}

/** The tokens above which it happens: the threshold, or the window without the reserve if that is less. */
export function dueAtTokens(
  { threshold }: Pick<CompactionSettings, 'threshold'>,
  { contextWindow, reserveTokens }: Omit<WindowUse, 'usedTokens' | 'viewTokens'>,
): number {
  return Math.min(Math.floor(contextWindow * threshold), contextWindow - reserveTokens);
}

export function isDue(settings: CompactionSettings, state: CompactionState, use: WindowUse): boolean {
  const isFull = use.usedTokens > dueAtTokens(settings, use) || use.viewTokens > use.contextWindow - use.reserveTokens;
  if (!settings.enabled || !isFull) return false;
  return state.grownTokens === undefined || state.grownTokens >= use.contextWindow * COOL_DOWN_SHARE;
}

/** The strategy that runs automatically. */
export function automaticStrategy({ strategy }: CompactionSettings, { failures }: CompactionState): CompactionStrategy {
  return failures >= MAX_FAILURES ? 'truncate' : strategy;
}

/**
 * The sizes to aim for. For a compaction by command there is no threshold: the target is half of the used tokens, if
 * that is less.
 */
export function compactionSizes(
  { preserveRecentTokens, summaryTokens = MAX_SUMMARY_TOKENS }: CompactionSettings,
  {
    contextWindow,
    usedTokens,
    by,
  }: {
    readonly contextWindow: number | undefined;
    readonly usedTokens: number;
    readonly by: 'auto' | 'user';
  },
): CompactionSizes {
  const ofWindow = (contextWindow ?? usedTokens) * TARGET_SHARE;
  const targetTokens = Math.floor(by === 'auto' ? ofWindow : Math.min(ofWindow, usedTokens * TARGET_SHARE));
  const room = contextWindow === undefined ? MAX_SUMMARY_TOKENS : Math.floor(contextWindow * SUMMARY_SHARE);
  return {
    targetTokens,
    summaryTokens: Math.min(summaryTokens, Math.max(MIN_SUMMARY_TOKENS, Math.min(MAX_SUMMARY_TOKENS, room))),
    preserveRecentTokens:
      contextWindow === undefined
        ? preserveRecentTokens
        : Math.min(preserveRecentTokens, Math.floor(contextWindow * TARGET_SHARE * PRESERVED_SHARE)),
  };
}
