// The rows of a session in goose's database as records: one about the session, and one for each message, in the order
// in which they came.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty, parseObject, textIn } from '../members.ts';
import { lastMessageRows, messageRows, sessionRow } from '../message-rows.ts';
import { timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { utcOf } from './places.ts';

const SESSION = ['id', 'name', 'description', 'working_dir', 'provider_name', 'model_config_json', 'updated_at'];
const MESSAGE = ['id', 'message_id', 'role', 'content_json', 'created_timestamp', 'metadata_json'];

export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id'] };

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionRow(database, id, SESSION);
  if (session === undefined) return;
  yield { session: aboutOf(session) };
  for (const row of messageRows(database, id, { columns: MESSAGE })) yield messageOf(row);
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionRow(database, id, SESSION);
  if (session === undefined) return draft;
  const messages = { columns: MESSAGE };
  headFromStart({ session: aboutOf(session) }, draft);
  for (const row of messageRows(database, id, messages)) if (headFromStart(messageOf(row), draft)) break;
  draft.lastActivity = timeOf(utcOf(session.updated_at));
  for (const row of lastMessageRows(database, id, messages)) if (headFromEnd(messageOf(row), draft)) break;
  draft.model ??= nonEmpty(aboutOf(session).model);
  return draft;
}

function aboutOf({ id, name, description, working_dir, provider_name, model_config_json }: JsonObject): JsonObject {
  const model = nonEmpty(parseObject(textIn(model_config_json) ?? '')?.model_name);
  return { id, ...defined({ name: nonEmpty(name) ?? nonEmpty(description), working_dir, provider_name, model }) };
}

/** As a line of an earlier version has it. */
function messageOf({ id, message_id, role, content_json, created_timestamp, metadata_json }: JsonObject): JsonObject {
  const content = parseObject(`{"list":${textIn(content_json) ?? 'null'}}`)?.list ?? content_json;
  const metadata = parseObject(textIn(metadata_json) ?? '');
  return {
    id: nonEmpty(message_id) ?? String(id),
    role,
    created: created_timestamp,
    content,
    ...defined({ metadata }),
  };
}
