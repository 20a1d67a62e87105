// Makes the view of a session short by a number of messages and calls: the oldest leave it, and an extracted summary
// takes their place. The journal keeps them.
import { extractSummary } from '../../../context/compaction/extract.ts';
import { checkpointText, planCompaction, tokensAfter } from '../../../context/compaction/plan.ts';
import { STRATEGIES } from '../../../context/compaction/strategy.ts';
import type { ViewStep } from '../../../context/steps.ts';
import type { Session } from '../../../session/session.ts';

const SUMMARY_TOKENS = 1_024;

/** Leaves at most `mostItems` in the view, but never less than the newest step. @throws what an append throws */
export async function setAside(session: Session, mostItems: number): Promise<void> {
  const sizes = { preserveRecentTokens: 0, targetTokens: 0, summaryTokens: SUMMARY_TOKENS };
  const cut = (steps: readonly ViewStep[]) => cutByItems(steps, mostItems);
  const plan = planCompaction(session.states.view, STRATEGIES.hybrid, { ...sizes, cut });
  if (plan === undefined) return;
  const { covered, previous, covers, keptFrom, tokensBefore } = plan;
  const text = checkpointText(plan, extractSummary(covered, { maxTokens: SUMMARY_TOKENS, previous }));
  const summary = text === undefined ? {} : { summary: text };
  const data = { strategy: 'hybrid', covers, keptFrom, ...summary, tokensBefore } as const;
  await session.append({
    type: 'compaction.completed',
    data: { ...data, tokensAfter: tokensAfter(plan, text), by: 'auto' },
  });
}

/** At the beginning of a turn where there is one among the newest steps that fit. */
function cutByItems(steps: readonly ViewStep[], mostItems: number): { readonly at: number } | undefined {
  let first = steps.length - 1;
  let turn: number | undefined;
  for (let items = 0, index = steps.length - 1; index >= 0; index--) {
    items += steps[index]!.items.length;
    if (items > mostItems) break;
    first = index;
    if (steps[index]!.startsTurn) turn = index;
  }
  const at = turn ?? first;
  return at > 0 ? { at } : undefined;
}
