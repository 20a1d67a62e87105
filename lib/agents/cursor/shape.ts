// Which of Cursor's records one is: the session itself, a bubble of the editor, or a message of the command line, which
// a transcript names by its role outside.
import type { JsonObject } from '../agent.ts';
import { objectIn, textIn } from '../members.ts';

export function roleOf(record: JsonObject): string {
  return textIn(record.role) ?? textIn(objectIn(record.message)?.role) ?? '';
}

/** Older chats have words, and numbers of their own. */
export function isOfUser(record: JsonObject): boolean {
  const bubble = objectIn(record.bubble);
  return bubble === undefined ? roleOf(record) === 'user' : bubble.type === 1 || bubble.type === 'user';
}
