// Passages for the user's message, found once a turn, before its first request. They are stored after the message, as
// data that instructs nothing, and stay there: a later request repeats this one and is read from the provider's cache.
// If none are found or the search fails, the turn continues without them.
import { viewTokens } from '../context/compaction/plan.ts';
import { UNTRUSTED_TOKENS } from '../context/steps.ts';
import { currentView } from '../projections/current-view.ts';
import { tokenFactor } from '../projections/token-factors.ts';
import type { ViewItem } from '../projections/view.ts';
import { offeredTools } from './request/offered-tools.ts';
import { reserveTokens } from './request/reserve.ts';
import { providerError, type Turn } from './turn.ts';

const DEFAULT_BUDGET_TOKENS = 2_048;
/** The share of the window for all retrieved text together. */
const WINDOW_SHARE = 0.2;
/** A shorter line, such as a bracket, is in every text. */
const LEAST_LINE_CHARACTERS = 12;
/** Share of visible lines from which a passage counts as shown. */
const SHOWN_SHARE = 0.7;
/** The number that a tool puts before a line. */
const LINE_NUMBER = /^\s*\d+(?:\t|→|\| |: )/;

export async function retrieveOnce(turn: Turn): Promise<void> {
  const { session, dependencies, number, cancelled, show, question } = turn;
  const { retrieval } = dependencies;
  turn.question = undefined;
  if (retrieval === undefined || question === undefined || cancelled.aborted) return;
  const view = currentView(session.states.view);
  const limitTokens = roomFor(turn, view);
  if (limitTokens <= UNTRUSTED_TOKENS) return;
  const shown = new Set(
    view.flatMap((item) => [item.seq, ...(item.kind === 'call' && item.result ? [item.result.seq] : [])]),
  );
  try {
    const { chunks, notices } = await retrieval.find(question, {
      limitTokens,
      shown,
      isShown: shownIn(view),
      signal: cancelled,
    });
    for (const text of notices) show({ type: 'notice', text });
    if (chunks.length === 0 || cancelled.aborted) return;
    const data = { query: question, chunks: [...chunks], trusted: false as const };
    await session.append({ type: 'retrieval.added', turn: number, data });
    const sources = chunks.map(({ source }) => source).join(', ');
    show({ type: 'notice', text: `Found for this question: ${sources}.` });
  } catch (error) {
    if (cancelled.aborted) return;
    const { message } = providerError(dependencies, error);
    show({ type: 'notice', text: `No passages were looked for: ${message}` });
  }
}

/** Bounded by the setting, by the share of the window, and by its free room. */
function roomFor(turn: Turn, view: readonly ViewItem[]): number {
  const { session, dependencies } = turn;
  const { retrievalBudget = DEFAULT_BUDGET_TOKENS, contextWindow, provider, model } = dependencies;
  if (contextWindow === undefined) return retrievalBudget;
  const before = view.filter(({ kind }) => kind === 'retrieval').reduce((sum, { tokens }) => sum + tokens, 0);
  const used = viewTokens(session.states.view) + offeredTools(turn).tokens;
  const factor = tokenFactor(session.states.budget, { provider: provider.name, model });
  const free = Math.floor((contextWindow - reserveTokens(dependencies)) / factor) - used;
  return Math.min(retrievalBudget, Math.floor(contextWindow * WINDOW_SHARE) - before, Math.floor(free / 2));
}

/** Whether most lines of a text are among those of the view. */
function shownIn(view: readonly ViewItem[]): (text: string) => boolean {
  const shown = new Set(view.flatMap(textsOf).flatMap(linesOf).flat());
  return (text) => {
    const own = linesOf(text);
    return (
      own.length > 0 && own.filter((forms) => forms.some((line) => shown.has(line))).length >= SHOWN_SHARE * own.length
    );
  };
}

function textsOf(item: ViewItem): readonly string[] {
  switch (item.kind) {
    case 'message':
      return item.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    case 'call':
      return item.result === undefined ? [] : [item.result.content];
    case 'retrieval':
      return item.chunks.map(({ text }) => text);
  }
}

/** Each line that says something, as it is and without the number that a tool put before it. */
function linesOf(text: string): (readonly [string, string])[] {
  return text
    .split('\n')
    .map((line) => [line.trim(), line.replace(LINE_NUMBER, '').trim()] as const)
    .filter(([line]) => line.length >= LEAST_LINE_CHARACTERS);
}
