// What the agents of a session have spent: their sessions say it themselves, and it is in no sum of their parent's.
import { budgetFold } from '../../../projections/budget.ts';
import { replay } from '../../../projections/replay.ts';
import { noneSpent, type Spent } from '../../../projections/spending.ts';
import { subagentsOf } from '../../../session/subagent-id.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../read-journal.ts';

/** Undefined where it began none. */
export async function spentByAgents(
  app: App,
  { store, session, ephemeral }: Conversation,
): Promise<{ readonly agents: number; readonly spent: Spent } | undefined> {
  const place = ephemeral ? store : app.store;
  const ids = subagentsOf(
    session.id,
    (await place.list()).map(({ id }) => id),
  );
  if (ids.length === 0) return undefined;
  const sum = noneSpent();
  for (const id of ids) {
    const { states } = await readJournal(place, id, (reader) => replay(reader, { budget: budgetFold }));
    const { spent } = states.budget;
    sum.calls += spent.calls;
    sum.inputTokens += spent.inputTokens;
    sum.outputTokens += spent.outputTokens;
    sum.cachedTokens += spent.cachedTokens;
    sum.callsWithoutCost += spent.callsWithoutCost;
    if (spent.totalCost !== undefined) sum.totalCost = (sum.totalCost ?? 0) + spent.totalCost;
  }
  return { agents: ids.length, spent: sum };
}
