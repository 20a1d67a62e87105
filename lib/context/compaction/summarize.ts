// Puts a summary in the place of everything but the recent messages that must stay: the smallest view there can be.
import { chooseCut } from './cut.ts';
import type { Strategy } from './strategy.ts';

export const summarize: Strategy = {
  name: 'summarize',
  summarizes: true,
  cut: (steps, { preserveRecentTokens, targetTokens, summaryTokens }) =>
    chooseCut(steps, { preserveRecentTokens, roomTokens: targetTokens - summaryTokens, extent: 'allowed' }),
};
