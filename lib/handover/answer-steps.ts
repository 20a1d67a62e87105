// Items by the answers of the model: the calls of one step together, with the text that came immediately before them.
import type { WrittenCall, WrittenItem, WrittenMessage } from './target.ts';

export type Step =
  | { readonly kind: 'message'; readonly message: WrittenMessage }
  | { readonly kind: 'calls'; readonly before?: WrittenMessage; readonly calls: readonly WrittenCall[] };

export function stepsOf(items: readonly WrittenItem[]): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < items.length; ) {
    const item = items[at]!;
    const first = item.kind === 'call' ? at : at + 1;
    let end = first;
    const step = stepAt(items, first);
    while (step !== undefined && stepAt(items, end) === step) end += 1;
    const calls = items.slice(first, end) as WrittenCall[];
    if (item.kind === 'call') steps.push({ kind: 'calls', calls });
    else if (item.role === 'assistant' && calls.length > 0) steps.push({ kind: 'calls', before: item, calls });
    else {
      steps.push({ kind: 'message', message: item });
      end = at + 1;
    }
    at = end;
  }
  return steps;
}

function stepAt(items: readonly WrittenItem[], at: number): number | undefined {
  const item = items[at];
  return item?.kind === 'call' ? item.step : undefined;
}

/** The texts of a message, one under the other. */
export function textOf({ pieces }: Pick<WrittenMessage, 'pieces'>): string {
  return pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join('\n');
}
