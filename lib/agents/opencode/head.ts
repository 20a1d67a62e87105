// What a list says of an opencode session, from its first and last records.
import type { HeadDraft, JsonObject } from '../agent.ts';
import { amountIn, nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { sessionIn } from './shape.ts';

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = sessionIn(record);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.title);
    head.cwd ??= nonEmpty(session.directory);
    head.version ??= nonEmpty(session.version);
    head.startedAt ??= timeOf(amountIn(objectIn(session.time)?.created));
  } else if (objectIn(record.info)?.role === 'user') {
    for (const { type, text, synthetic, ignored } of objectsIn(record.parts)) {
      const prompt = textIn(text);
      if (type !== 'text' || synthetic === true || ignored === true || !saysSomething(prompt)) continue;
      head.firstPrompt ??= prompt;
    }
  }
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  const info = objectIn(record.info) ?? objectIn(record.ended);
  const time = objectIn(info?.time) ?? objectIn(objectIn(record.part)?.time);
  head.lastActivity ??= timeOf(amountIn(time?.completed) ?? amountIn(time?.end) ?? amountIn(time?.created));
  head.model ??= nonEmpty(info?.modelID);
  return head.lastActivity !== undefined && head.model !== undefined;
}
