// Which of opencode's records one is: the session itself, a whole message, or the beginning, a part or the end of one.
import type { JsonObject } from '../agent.ts';
import { objectIn } from '../members.ts';

/** The session, as the database and an export have it. */
export function sessionIn(record: JsonObject): JsonObject | undefined {
  const info = objectIn(record.info);
  return objectIn(record.session) ?? (info !== undefined && info.role === undefined ? info : undefined);
}
