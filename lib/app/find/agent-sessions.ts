// The sessions of the agents that a session began: they are shown, counted, deleted and restored with it.
import type { JournalStore } from '../../journal/types.ts';
import { firstEvent } from '../../session/fork.ts';
import { subagentsOf } from '../../session/subagent-id.ts';
import { readJournal } from '../journals/read-journal.ts';

type SessionsPlace = Pick<JournalStore, 'ids' | 'openReader'>;

/** Ids of those that are there, by their names. */
export async function agentSessions(store: Pick<JournalStore, 'ids'>, id: string): Promise<string[]> {
  return subagentsOf(id, await store.ids());
}

/** The ids of those that record it themselves. An unreadable one is not among them. */
export async function ownAgentSessions(store: SessionsPlace, id: string): Promise<string[]> {
  const own: string[] = [];
  for (const agent of await agentSessions(store, id)) {
    const created = await readJournal(store, agent, firstEvent).catch(() => undefined);
    const parent = created?.data.subagentOf as { readonly sessionId?: unknown } | undefined;
    if (parent?.sessionId === id) own.push(agent);
  }
  return own;
}
