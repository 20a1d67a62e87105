// The rows of a session in Crush's database as records: one about the session, and one for each message. A message is
// changed until it has its end, and comes when it has it, or when another one follows.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty, objectsIn, parseObject, textIn } from '../members.ts';
import { lastMessageRows, messageRows, sessionRow } from '../message-rows.ts';
import { millisecondsIn, timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './read.ts';

const SESSION = ['id', 'title', 'summary_message_id', 'updated_at'];
const MESSAGE = ['id', 'role', 'parts', 'model', 'provider', 'created_at', 'is_summary_message'];

/** Whole files before and after a change are in another table, which is not read. */
export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id', 'rowid'] };
/** In the order in which they were added: their times are whole seconds. */
const MESSAGES = { columns: MESSAGE, order: 'rowid' } as const;

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionOf(database, id);
  if (session === undefined) return;
  yield { session: { id, title: session.title } };
  let last: JsonObject | undefined;
  for (const row of messageRows(database, id, MESSAGES)) {
    if (last !== undefined) yield last;
    last = messageOf(row, session);
  }
  if (last !== undefined && isEnded(last)) yield last;
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionOf(database, id);
  if (session === undefined) return draft;
  headFromStart({ session }, draft);
  for (const row of messageRows(database, id, MESSAGES)) if (headFromStart(messageOf(row, session), draft)) break;
  draft.lastActivity = timeOf(millisecondsIn(session.updated_at));
  for (const row of lastMessageRows(database, id, MESSAGES)) if (headFromEnd(messageOf(row, session), draft)) break;
  return draft;
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  return database.has('messages', 'session_id') ? sessionRow(database, id, SESSION) : undefined;
}

function messageOf(row: JsonObject, { summary_message_id }: JsonObject): JsonObject {
  const { id, role, parts: text, model, provider, created_at, is_summary_message } = row;
  const parts = parseObject(`{"list":${textIn(text) ?? 'null'}}`)?.list ?? text;
  const isSummary = is_summary_message === 1 || (nonEmpty(id) !== undefined && id === summary_message_id);
  const by = { model: nonEmpty(model), provider: nonEmpty(provider) };
  return { id, role, parts, ...defined(by), created_at, ...(isSummary && { isSummary }) };
}

function isEnded({ role, parts }: JsonObject): boolean {
  return role !== 'assistant' || objectsIn(parts).some(({ type }) => type === 'finish');
}
