// How many tokens of a window are kept free for the answer.

const MAX_RESERVE_TOKENS = 4_096;
const RESERVED_SHARE = 0.25;

export interface ReserveInput {
  /** Tokens that the model takes in, where known. */
  readonly contextWindow?: number | undefined;
  /** Tokens that an answer may have, where that is limited. */
  readonly maxOutputTokens?: number | undefined;
  /** The user's setting. */
  readonly reserveForOutput?: number | undefined;
}

export function reserveTokens(input: ReserveInput): number {
  const { contextWindow, reserveForOutput, maxOutputTokens = MAX_RESERVE_TOKENS } = input;
  if (reserveForOutput !== undefined) return reserveForOutput;
  if (contextWindow === undefined) return maxOutputTokens;
  return Math.min(maxOutputTokens, Math.floor(contextWindow * RESERVED_SHARE));
}
