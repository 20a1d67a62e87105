import { exactSession } from '../app/find/exact-session.ts';
import type { FoundConversation } from '../app/find/found.ts';
import type { ServerContext } from './context.ts';

/**
 * A session as clients read it. Of one in which an agent works here that is its journal, as in the stream of events:
 * the agent's file has other numbers, and nothing of the run.
 * @throws OllmError SESSION_NOT_FOUND
 */
export function readSession({ app, host }: ServerContext, id: string): Promise<FoundConversation> {
  return exactSession(app, host.runs.journalOf(id) ?? id);
}
