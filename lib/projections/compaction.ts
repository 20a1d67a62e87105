// Projection: the course of compactions: the last one, the number of failures in a row, and the tokens since the last
// try. These decide whether another is tried automatically.
import type { CompactionCompleted, OllmEventOf } from '../events/index.ts';
import { knownTokens, textTokens } from '../tokens/estimate.ts';
import type { Fold } from './projection.ts';

export interface CompactionState {
  /** Summaries that failed in a row. A truncation in their place does not count as a success. */
  failures: number;
  /** Tokens that were said since the last try. Absent until there was one. */
  grownTokens?: number;
  /** The last one that succeeded. */
  last?: Pick<CompactionCompleted, 'strategy' | 'tokensBefore' | 'tokensAfter' | 'by'> & {
    readonly seq: number;
    readonly ts: string;
  };
}

const READS = [
  'message.added',
  'tool.finished',
  'model.changed',
  'compaction.completed',
  'compaction.failed',
  'compaction.undone',
] as const;

export const compactionFold: Fold<CompactionState, (typeof READS)[number]> = {
  name: 'compaction',
  version: 1,
  reads: READS,
  initial: () => ({ failures: 0 }),
  apply,
};

function apply(state: CompactionState, event: OllmEventOf<(typeof READS)[number]>): CompactionState {
  switch (event.type) {
    case 'message.added':
      return grow(state, knownTokens(event.data.tokens, event.data.parts).count);
    case 'tool.finished':
      return grow(state, textTokens(event.data.tokens, event.data.result.llmContent).count);
    case 'model.changed':
      // A different window or summariser: experience with the old one does not apply.
      state.failures = 0;
      delete state.grownTokens;
      return state;
    case 'compaction.completed': {
      const { strategy, tokensBefore, tokensAfter, by } = event.data;
      if (strategy !== 'truncate') state.failures = 0;
      state.grownTokens = 0;
      state.last = { seq: event.seq, ts: event.ts, strategy, tokensBefore, tokensAfter, by };
      return state;
    }
    case 'compaction.failed':
      state.failures += 1;
      state.grownTokens = 0;
      return state;
    case 'compaction.undone':
      state.grownTokens = 0;
      return state;
  }
}

function grow(state: CompactionState, tokens: number): CompactionState {
  if (state.grownTokens !== undefined) state.grownTokens += tokens;
  return state;
}
