// Keeps as many recent messages as there is room for, and puts a summary in the place of the older ones.
import { chooseCut } from './cut.ts';
import type { Strategy } from './strategy.ts';

export const hybrid: Strategy = {
  name: 'hybrid',
  summarizes: true,
  cut: (steps, { preserveRecentTokens, targetTokens, summaryTokens }) =>
    chooseCut(steps, { preserveRecentTokens, roomTokens: targetTokens - summaryTokens, extent: 'needed' }),
};
