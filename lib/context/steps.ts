// Cuts the items of a view into steps: the smallest pieces that may be left out as a whole. What the model said and called
// in one answer is one step, together with the results. A user message begins a turn.
import type { ViewCall, ViewItem } from '../projections/view.ts';

export interface Step {
  readonly items: readonly ViewItem[];
  readonly startsTurn: boolean;
  /** Tokens, with what the form around the text takes. */
  readonly tokens: number;
}

/** What role, delimiters and label of an item take. */
const TOKENS_PER_ITEM = 6;
const TOKENS_PER_QUOTATION = 40;

/** Oldest first. */
export function stepsOf(items: readonly ViewItem[]): readonly Step[] {
  const groups: ViewItem[][] = [];
  for (const item of items) {
    const open = groups.at(-1);
    if (item.kind === 'call' && open !== undefined && belongsTo(open, item)) open.push(item);
    else groups.push([item]);
  }
  return groups.map((group) => ({
    items: group,
    startsTurn: group[0]?.startsTurn === true,
    tokens: group.reduce((sum, item) => sum + tokensOf(item), 0),
  }));
}

/** A call that came after a result was asked for in another answer. */
function belongsTo(group: readonly ViewItem[], call: ViewCall): boolean {
  const [first] = group;
  const isAnswer = first?.kind === 'call' || (first?.kind === 'message' && first.role === 'assistant');
  return (
    isAnswer && group.every((item) => item.kind !== 'call' || item.result === undefined || item.result.seq > call.seq)
  );
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
