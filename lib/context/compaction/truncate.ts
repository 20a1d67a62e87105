// Lets go of the oldest messages until the rest is small enough. Needs no model, and always works where anything may go.
import { chooseCut } from './cut.ts';
import type { Strategy } from './strategy.ts';

export const truncate: Strategy = {
  name: 'truncate',
  summarizes: false,
  cut: (steps, { preserveRecentTokens, targetTokens }) =>
    chooseCut(steps, { preserveRecentTokens, roomTokens: targetTokens, extent: 'needed' }),
};
