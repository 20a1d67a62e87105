// What a list says of a goose session, from its first and last records.
import type { HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { millisecondsIn, timeOf } from '../times.ts';

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session) ?? (nonEmpty(record.role) === undefined ? record : undefined);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.name) ?? nonEmpty(session.description);
    head.cwd ??= nonEmpty(session.working_dir);
    return false;
  }
  head.startedAt ??= timeOf(millisecondsIn(record.created));
  if (record.role !== 'user' || objectIn(record.metadata)?.userVisible === false) return false;
  const texts = objectsIn(record.content).flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  head.firstPrompt ??= texts.find(saysSomething);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(millisecondsIn(record.created));
  head.model ??= modelIn(objectIn(record.metadata));
  return head.lastActivity !== undefined && head.model !== undefined;
}

/** The model that answered, or else the one that was asked. */
export function modelIn(metadata: JsonObject | undefined): string | undefined {
  const inference = objectIn(metadata?.inference);
  return nonEmpty(inference?.resolvedModel) ?? nonEmpty(inference?.requestedModel);
}
