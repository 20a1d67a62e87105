// What a strategy decides: how much goes, and whether a summary takes its place. One file each; the table is in index.ts.
import type { Cut, Cuttable } from './cut.ts';

export type CompactionStrategy = 'summarize' | 'truncate' | 'hybrid';

export interface StrategyLimits {
  /** At least that many tokens of the newest messages stay as they are. */
  readonly preserveRecentTokens: number;
  /** What messages and summary together should take. */
  readonly targetTokens: number;
  /** What a summary may take of that. */
  readonly summaryTokens: number;
}

export interface Strategy {
  readonly name: CompactionStrategy;
  /** Whether a summary takes the place of what goes. */
  readonly summarizes: boolean;
  /** Undefined if nothing may go. */
  cut(steps: readonly Cuttable[], limits: StrategyLimits): Cut | undefined;
}
