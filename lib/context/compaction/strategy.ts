// The strategies: how much of a conversation goes, and whether a summary takes its place.
import { type Cut, type Cuttable, chooseCut } from './cut.ts';

export type CompactionStrategy = 'summarize' | 'truncate' | 'hybrid';

export interface CompactionSizes {
  /** At least that many tokens of the newest messages stay as they are. */
  readonly preserveRecentTokens: number;
  /** What messages and summary together should take. */
  readonly targetTokens: number;
  /** What a summary may take of that. */
  readonly summaryTokens: number;
}

export interface Strategy {
  /** Whether a summary takes the place of what goes. */
  readonly summarizes: boolean;
  /** `needed`: what must go to reach the target. `allowed`: everything but the recent messages that must stay. */
  readonly extent: 'needed' | 'allowed';
}

export const STRATEGIES: Readonly<Record<CompactionStrategy, Strategy>> = {
  hybrid: { summarizes: true, extent: 'needed' },
  summarize: { summarizes: true, extent: 'allowed' },
  truncate: { summarizes: false, extent: 'needed' },
};

/** Where a strategy cuts; undefined if nothing may go. `steps`: oldest first. */
export function cutBy(
  { summarizes, extent }: Strategy,
  steps: readonly Cuttable[],
  { preserveRecentTokens, targetTokens, summaryTokens }: CompactionSizes,
): Cut | undefined {
  const roomTokens = targetTokens - (summarizes ? summaryTokens : 0);
  return chooseCut(steps, { preserveRecentTokens, roomTokens, extent });
}
