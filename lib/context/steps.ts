// Cuts the items of a view into steps: the smallest pieces that may be left out as a whole. An answer with its calls
// and their results is one step. A user message begins a turn.
import type { ViewCall, ViewItem } from '../projections/view.ts';

export interface ViewStep {
  readonly items: readonly ViewItem[];
  readonly startsTurn: boolean;
  /** Tokens, including the form around the text. */
  readonly tokens: number;
}

/** What role, delimiters and label of an item take. */
const TOKENS_PER_ITEM = 6;
const TOKENS_PER_QUOTATION = 40;
/** Tokens of the delimiters around a quoted text. */
export const UNTRUSTED_TOKENS = TOKENS_PER_QUOTATION;

/** Oldest first. */
export function stepsOf(items: readonly ViewItem[]): readonly ViewStep[] {
  const steps: OpenStep[] = [];
  let open: OpenStep | undefined;
  // Calls belong to the last answer up to its first result: one that came later was asked for in another answer.
  let firstResult = 0;
  for (const item of items) {
    const isOfAnswer = item.kind === 'call' && (item.seq < firstResult || isAskedBy(open, item));
    if (open !== undefined && isOfAnswer) {
      open.items.push(item);
      open.tokens += tokensOf(item);
    } else {
      open = { items: [item], startsTurn: item.startsTurn === true, tokens: tokensOf(item) };
      steps.push(open);
      firstResult = isAnswer(item) ? Number.POSITIVE_INFINITY : 0;
    }
    if (item.kind === 'call' && item.result !== undefined) firstResult = Math.min(firstResult, item.result.seq);
  }
  return steps;
}

/** Like `steps`, with a single step for all messages of an event: a compaction covers an event whole, or not at all. */
export function eventSteps(items: readonly ViewItem[]): readonly ViewStep[] {
  const steps: OpenStep[] = [];
  for (const step of stepsOf(items)) {
    const last = steps.at(-1);
    if (last !== undefined && last.items[0]?.seq === step.items[0]?.seq) {
      last.items.push(...step.items);
      last.tokens += step.tokens;
    } else steps.push({ ...step, items: [...step.items] });
  }
  return steps;
}

/**
 * Splits items into those that may fit into `tokens` tokens and the earlier ones that do not: only the former are worth
 * cutting into steps. Both are whole turns.
 */
export function splitAtReach(
  items: readonly ViewItem[],
  tokens: number,
): { readonly near: readonly ViewItem[]; readonly far: readonly ViewItem[] } {
  let left = tokens;
  let start = items.length;
  while (start > 0) {
    const item = items[--start]!;
    left -= tokensOf(item);
    if (left < 0 && item.startsTurn) break;
  }
  return { near: items.slice(start), far: items.slice(0, start) };
}

/** Their tokens as steps. */
export function stepTokens(items: readonly ViewItem[]): number {
  return items.reduce((sum, item) => sum + tokensOf(item), 0);
}

interface OpenStep extends ViewStep {
  readonly items: ViewItem[];
  tokens: number;
}

/**
 * Where an agent stores the parts of an answer one by one, a result may come before the next call of the same answer.
 */
function isAskedBy(step: OpenStep | undefined, { answer }: ViewCall): boolean {
  const [first] = step?.items ?? [];
  if (answer === undefined || first === undefined) return false;
  return first.kind === 'message' ? first.message === answer : first.kind === 'call' && first.answer === answer;
}

function isAnswer(item: ViewItem): boolean {
  return item.kind === 'call' || (item.kind === 'message' && item.role === 'assistant');
}

function tokensOf(item: ViewItem): number {
  switch (item.kind) {
    case 'message':
      return item.tokens + TOKENS_PER_ITEM + (item.trusted || item.role === 'assistant' ? 0 : TOKENS_PER_QUOTATION);
    case 'call':
      return item.tokens + TOKENS_PER_ITEM + TOKENS_PER_QUOTATION;
    case 'retrieval':
      return item.tokens + TOKENS_PER_ITEM + item.chunks.length * TOKENS_PER_QUOTATION;
  }
}
