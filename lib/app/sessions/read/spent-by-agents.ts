// The spending of a session's agents: their own sessions record it, and it is in no sum of their parent's.
import { budgetFold } from '../../../projections/budget.ts';
import { replay } from '../../../projections/replay.ts';
import { noneSpent, type Spent } from '../../../projections/spending.ts';
import type { Session } from '../../../session/session.ts';
import { AGENT } from '../../../tools/builtin/agent.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { agentSessions } from '../../find/agent-sessions.ts';
import { readJournal } from '../../journals/read-journal.ts';

/** Undefined where it began none. */
export async function spentByAgents(
  app: App,
  { store, session, ephemeral }: Conversation,
): Promise<{ readonly agents: number; readonly spent: Spent } | undefined> {
  const place = ephemeral ? store : app.store;
  const ids = await agentSessions(place, session.id);
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

interface Cost {
  /** seq of the newest call of an agent when it was summed up; 0 where there was none. */
  readonly upTo: number;
  readonly dollars: number | undefined;
}

const known = new WeakMap<Session, Cost>();

/**
 * US dollars; undefined where none is known. Their sessions are read at first, and when the conversation has called
 * another agent: by its seq, because a long conversation forgets its oldest calls, and their cost stays.
 */
export async function costOfAgents(app: App, conversation: Conversation): Promise<number | undefined> {
  const { session } = conversation;
  const { entries } = session.states.view.timeline;
  const upTo = entries.findLast((entry) => entry.kind === 'call' && entry.name === AGENT)?.seq ?? 0;
  const before = known.get(session);
  if (before !== undefined && upTo <= before.upTo) return before.dollars;
  const dollars = (await spentByAgents(app, conversation))?.spent.totalCost;
  known.set(session, { upTo, dollars });
  return dollars;
}
