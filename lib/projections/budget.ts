// Projection: tokens. What the view holds by part, what the provider last reported, and what was spent in all.
// Cached tokens are part of the input and never added to it. A number says where it comes from.
import type { TokenCount, TokenMethod } from '../messages/index.ts';
import type { ContextState } from './context.ts';
import type { Fold } from './projection.ts';
import { type Entry, emptyTimeline, type Span, type Timeline } from './timeline.ts';

export type BudgetPart = 'system' | 'context' | 'history' | 'tools' | 'retrieval';
export type BudgetParts = Record<BudgetPart, TokenCount>;

export interface BudgetEntry extends Entry {
  readonly part: BudgetPart;
  method: TokenMethod;
}

export interface ForgottenTokens extends Span {
  parts: BudgetParts;
}

/** Everything that was ever used, also on branches that were left since. */
export interface Spent {
  /** Model calls that reported. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Of the input. */
  cachedTokens: number;
  /** US dollars, of the calls that had a price. */
  totalCost?: number;
  callsWithoutCost: number;
}

export interface BudgetState {
  /** Tokens that the model takes in, where known. */
  limit?: number;
  /** What the view holds now. */
  parts: BudgetParts;
  /** Tokens in the window by the last report, and what was added since. Absent when a compaction or undo made it void. */
  reported?: { tokens: number; addedSince: number; method: TokenMethod; replyPending: boolean };
  spent: Spent;
  context: ContextState;
  timeline: Timeline<BudgetEntry, ForgottenTokens>;
  openCalls: { callId: string; seq: number }[];
  /** Whether the model spoke last. */
  replied: boolean;
}

const READS = ['session.created'] as const;

export function noParts(): BudgetParts {
  const none = (): TokenCount => ({ count: 0, method: 'counted' });
  return { system: none(), context: none(), history: none(), tools: none(), retrieval: none() };
}

export const budgetFold: Fold<BudgetState, (typeof READS)[number]> = {
  name: 'budget',
  version: 1,
  reads: READS,
  initial: () => ({
    parts: noParts(),
    spent: { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, callsWithoutCost: 0 },
    context: { entries: [] },
    timeline: emptyTimeline(),
    openCalls: [],
    replied: false,
  }),
  apply: (state) => state,
};
