// What a list says of a goose session, from its first and last records.
import type { HeadDraft, JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';

/** Later than that, a time is in milliseconds. */
const LAST_SECOND = 10_000_000_000;

export function headFromStart(record: JsonObject, head: HeadDraft): boolean {
  const session = objectIn(record.session) ?? (nonEmpty(record.role) === undefined ? record : undefined);
  if (session !== undefined) {
    head.title ??= nonEmpty(session.name) ?? nonEmpty(session.description);
    head.cwd ??= nonEmpty(session.working_dir);
    return false;
  }
  head.startedAt ??= timeOf(timeIn(record));
  if (record.role !== 'user' || objectIn(record.metadata)?.userVisible === false) return false;
  const texts = objectsIn(record.content).flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  head.firstPrompt ??= texts.find(saysSomething);
  return head.firstPrompt !== undefined;
}

export function headFromEnd(record: JsonObject, head: HeadDraft): boolean {
  head.lastActivity ??= timeOf(timeIn(record));
  head.model ??= modelIn(objectIn(record.metadata));
  return head.lastActivity !== undefined && head.model !== undefined;
}

/** Milliseconds. */
export function timeIn({ created }: JsonObject): number | undefined {
  if (typeof created !== 'number' || created <= 0) return undefined;
  return created < LAST_SECOND ? created * 1000 : created;
}

/** The model that answered, or else the one that was asked. */
export function modelIn(metadata: JsonObject | undefined): string | undefined {
  const inference = objectIn(metadata?.inference);
  return nonEmpty(inference?.resolvedModel) ?? nonEmpty(inference?.requestedModel);
}
