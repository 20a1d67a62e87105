// The budget as it is shown and decided on: the content of the window, the certainty of that number, and the room left.
import { checkArguments } from '../errors/arguments.ts';
import type { TokenCount } from '../messages/index.ts';
import type { BudgetParts, BudgetState } from './budget.ts';
import type { Spent } from './spending.ts';
import { tokenFactor } from './token-factors.ts';
import { NOTHING, plus, weaker } from './token-sums.ts';

/** The budget as a person is shown it. */
export interface BudgetReport {
  readonly parts: BudgetParts;
  /** Tokens in the window now. */
  readonly used: TokenCount;
  readonly limit: number | undefined;
  /** Tokens kept free for the answer. */
  readonly reserveTokens: number;
  /** Tokens left for input. Below zero: more is used than fits with the answer. */
  readonly available: number | undefined;
  /** Percent of the limit. */
  readonly percent: number | undefined;
  readonly spent: Readonly<Spent>;
}

/**
 * Tokens in the window now: the last report and the additions since, or else the sum of the parts, corrected by earlier
 * reports of the model. `toolTokens`: tokens of tool definitions in each request; a report counts them already.
 *
 * @example
 * usedTokens(states.budget); // { count: 1200, method: 'estimated' }
 */
export function usedTokens(state: BudgetState, toolTokens = 0): TokenCount {
  checkArguments('usedTokens', { state: 'BudgetState', toolTokens: 'number' }, [state, toolTokens]);
  const { reported, parts } = state;
  const factor = tokenFactor(state);
  if (reported === undefined) {
    const sum = Object.values(parts).reduce(plus, NOTHING);
    return { count: Math.ceil((sum.count + toolTokens) * factor), method: weaker(sum.method, 'estimated') };
  }
  const { tokens, addedSince, method } = reported;
  return {
    count: Math.max(0, tokens + Math.ceil(addedSince * factor)),
    method: addedSince === 0 ? method : 'estimated',
  };
}

/**
 * The budget in the words of a report. `reserveTokens`: the share of the window for the answer. `toolTokens`: tokens of
 * tool definitions in each request.
 *
 * @example
 * const { used, limit, percent } = budgetReport(states.budget, { reserveTokens: 1024 });
 */
export function budgetReport(
  state: BudgetState,
  options: {
    readonly reserveTokens: number;
    readonly toolTokens?: number | undefined;
    /** Tokens of the fixed text in the system prompt, without the text of the session. */
    readonly instructionTokens?: number | undefined;
  },
): BudgetReport {
  const sizes = { reserveTokens: 'number', 'toolTokens?': 'number', 'instructionTokens?': 'number' } as const;
  checkArguments('budgetReport', { state: 'BudgetState', options: sizes }, [state, options]);
  const { reserveTokens, toolTokens = 0, instructionTokens = 0 } = options;
  const used = usedTokens(state, toolTokens + instructionTokens);
  const { limit } = state;
  return {
    parts: {
      ...state.parts,
      system: plus(state.parts.system, estimated(instructionTokens)),
      tools: plus(state.parts.tools, estimated(toolTokens)),
    },
    used,
    limit,
    reserveTokens,
    available: limit === undefined ? undefined : limit - reserveTokens - used.count,
    percent: limit === undefined ? undefined : Math.round((used.count / limit) * 1000) / 10,
    spent: state.spent,
  };
}

function estimated(count: number): TokenCount {
  return { count, method: count === 0 ? 'reported' : 'estimated' };
}
