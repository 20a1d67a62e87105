// What a list says of a Cursor session, from its first and last records.
import type { HeadDraft, JsonObject } from '../agent.ts';
import { amountIn, nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { divide, workspaceIn } from './injected.ts';
import { isOfUser } from './shape.ts';

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session);
  head.title ??= nonEmpty(session?.name);
  head.model ??= nonEmpty(session?.model);
  head.startedAt ??= timeOf(amountIn(session?.createdAt));
  if (isOfUser(record)) {
    for (const text of textsOf(record)) {
      head.cwd ??= workspaceIn(text);
      const { typed } = divide(text);
      if (typed !== undefined) head.firstPrompt ??= typed;
    }
  }
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  const bubble = objectIn(record.bubble);
  head.lastActivity ??= timeOf(textIn(bubble?.createdAt));
  head.model ??= nonEmpty(objectIn(record.session)?.model) ?? nonEmpty(bubble?.modelType);
  return head.model !== undefined;
}

function textsOf({ bubble, message }: JsonObject): readonly string[] {
  const content = objectIn(bubble)?.text ?? objectIn(message)?.content;
  if (typeof content === 'string') return [content];
  return objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}
