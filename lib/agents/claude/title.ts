// Titles: those that the user gave go before those that the program makes, and repeats.
import type { JsonObject } from '../agent.ts';
import { saysSomething } from '../members.ts';
import { type ClaudeGiven, headOf, shortText } from './state.ts';

export function readTitle(text: unknown, by: 'user' | 'derived', given: ClaudeGiven): void {
  const { state } = given;
  const title = shortText(text);
  if (!saysSomething(title) || (by === 'derived' && state.isTitled)) return;
  if (by === 'user') state.isTitled = true;
  if (title === state.title) return;
  state.title = title;
  // Before the first event it becomes the title that the session begins with.
  if (given.seq > 1) given.add({ type: 'session.titled', data: { title, by } });
}

/** Most of these are of other sessions, which a list showed. */
export function readSummary({ summary, leafUuid }: JsonObject, given: ClaudeGiven): void {
  if (typeof leafUuid === 'string' && headOf(given.state, leafUuid) !== undefined) readTitle(summary, 'derived', given);
  else given.left.push('summary');
}
