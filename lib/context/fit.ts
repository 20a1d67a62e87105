// The part of a conversation that fits into a number of tokens. Leaves out from the oldest side: whole turns, and only
// if the newest turn by itself is too long, the steps after its question. The question and the newest step always stay,
// whole.
import type { ViewStep } from './steps.ts';

/**
 * The steps that fit, oldest first; undefined if not even the newest message does. `wantedTokens`: no more than that,
 * as far as what must stay allows it.
 */
export function fitSteps(
  steps: readonly ViewStep[],
  roomTokens: number,
  wantedTokens = Number.POSITIVE_INFINITY,
): readonly ViewStep[] | undefined {
  // Without a user message there is no question, and everything is one turn.
  const newestTurn = steps.findLastIndex(({ startsTurn }) => startsTurn);
  const question = newestTurn < 0 ? [] : steps.slice(newestTurn, newestTurn + 1);
  const answers = steps.slice(newestTurn + 1);
  const newest = answers.slice(-1);
  const needed = tokensOf(question) + tokensOf(newest);
  if (needed > roomTokens) return undefined;
  let left = Math.max(0, Math.min(roomTokens, wantedTokens) - needed);

  // Newest first, and reversed at the end: inserting each at the front would move all others every time.
  const kept = [...newest];
  for (let index = answers.length - 2; index >= 0; index--) {
    const step = answers[index]!;
    left -= step.tokens;
    if (left < 0) return [...question, ...kept.reverse()];
    kept.push(step);
  }
  kept.push(...question);
  for (const turn of turnsOf(steps.slice(0, Math.max(0, newestTurn))).reverse()) {
    left -= tokensOf(turn);
    if (left < 0) break;
    for (let index = turn.length - 1; index >= 0; index--) kept.push(turn[index]!);
  }
  return kept.reverse();
}

function turnsOf(steps: readonly ViewStep[]): ViewStep[][] {
  const turns: ViewStep[][] = [];
  for (const step of steps) {
    const open = turns.at(-1);
    if (open === undefined || step.startsTurn) turns.push([step]);
    else open.push(step);
  }
  return turns;
}

function tokensOf(steps: readonly ViewStep[]): number {
  return steps.reduce((sum, { tokens }) => sum + tokens, 0);
}
