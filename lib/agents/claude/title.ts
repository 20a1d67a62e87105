// Titles: those that the user gave go before those that the program makes, and repeats.
import { changeTitle } from '../about.ts';
import type { JsonObject } from '../agent.ts';
import { saysSomething, textIn } from '../members.ts';
import { type ClaudeGiven, headOf } from './state.ts';

export function readTitle(text: unknown, by: 'user' | 'derived', given: ClaudeGiven): void {
  const { state } = given;
  if (by === 'derived' && state.isTitled) return;
  if (by === 'user' && saysSomething(textIn(text))) state.isTitled = true;
  changeTitle(text, by, given);
}

/** Most of these are of other sessions, which a list showed. */
export function readSummary({ summary, leafUuid }: JsonObject, given: ClaudeGiven): void {
  if (typeof leafUuid === 'string' && headOf(given.state, leafUuid) !== undefined) readTitle(summary, 'derived', given);
  else given.left.push('summary');
}
