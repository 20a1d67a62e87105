// When a conversation is compacted by itself, and how. Pure. Guards against what goes wrong most: a compaction that helps
// nothing and is tried again and again, and a model that cannot summarise.
import type { CompactionState } from '../../projections/compaction.ts';
import type { CompactionStrategy } from './strategy.ts';

export interface CompactionSettings {
  /** Whether it happens by itself. */
  readonly enabled: boolean;
  /** Share of the window at which it happens. */
  readonly threshold: number;
  readonly strategy: CompactionStrategy;
  /** Tokens of recent messages that stay as they are. */
  readonly preserveRecentTokens: number;
  /** Tokens that a summary may have at most. Default: a tenth of the window, at most 4096. */
  readonly summaryTokens?: number | undefined;
  /** Who writes summaries: the model that answers, or a pure extraction for a provider that has none. */
  readonly summaries: 'model' | 'extraction';
}

/** What holds where nothing is configured. */
export const DEFAULT_COMPACTION: CompactionSettings = {
  enabled: true,
  threshold: 0.8,
  strategy: 'hybrid',
  preserveRecentTokens: 4096,
  summaries: 'model',
};

/** After this many failures in a row only `truncate` runs by itself. */
export const MAX_FAILURES = 3;
/** After a try the conversation must have grown by this share of the window before the next one. */
const COOL_DOWN_SHARE = 0.1;
/** The view that a compaction aims for, as a share of the window. */
const TARGET_SHARE = 0.5;
const SUMMARY_SHARE = 0.1;
const MAX_SUMMARY_TOKENS = 4096;
const MIN_SUMMARY_TOKENS = 128;
/** Of the target, what recent messages may claim: else there would be nothing to compact in a small window. */
const PRESERVED_SHARE = 0.75;

export interface WindowUse {
  /** As the provider reported, where it did. */
  readonly usedTokens: number;
  /** As counted here: beyond what fits, the oldest messages would not be sent. Some providers leave out what they cached. */
  readonly viewTokens: number;
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly reserveTokens: number;
}

/** The tokens above which it happens: the threshold, or what is left beside the answer if that is less. */
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

/** The strategy that runs by itself. */
export function automaticStrategy({ strategy }: CompactionSettings, { failures }: CompactionState): CompactionStrategy {
  return failures >= MAX_FAILURES ? 'truncate' : strategy;
}

export interface CompactionSizes {
  readonly targetTokens: number;
  readonly summaryTokens: number;
  readonly preserveRecentTokens: number;
}

/** How large everything may be. By command there is no threshold: then it goes down to half of what is used, if that is less. */
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
