// A fork begins with copies of what another session holds, in the name of the fork: an answer says whose it is.
import type { JsonObject } from '../agent.ts';
import { nonEmpty, objectIn } from '../members.ts';

/** Id of the session that the record was copied from. */
export function forkedFromIn({ forkedFrom, requestSessionId, sessionId }: JsonObject): string | undefined {
  const copied = nonEmpty(objectIn(forkedFrom)?.sessionId);
  if (copied !== undefined) return copied;
  return requestSessionId === sessionId ? undefined : nonEmpty(requestSessionId);
}
