// The rows of a session in goose's database as records: one about the session, and one for each message, in the order
// in which they came.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty, parseObject, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { utcOf } from './places.ts';

const SESSION = ['id', 'name', 'description', 'working_dir', 'provider_name', 'model_config_json', 'updated_at'];
const MESSAGE = ['id', 'message_id', 'role', 'content_json', 'created_timestamp', 'metadata_json'];

export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id'] };

const PAGE = 20;

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionOf(database, id);
  if (session === undefined) return;
  yield { session: aboutOf(session) };
  yield* messagesOf(database, id);
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionOf(database, id);
  if (session === undefined) return draft;
  headFromStart({ session: aboutOf(session) }, draft);
  for (const message of messagesOf(database, id)) if (headFromStart(message, draft)) break;
  draft.lastActivity = timeOf(utcOf(session.updated_at));
  if (database.has('messages', 'session_id')) {
    const last = database.all(
      `SELECT ${namesIn(database, 'messages', MESSAGE)} FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT ?`,
      id,
      PAGE,
    );
    for (const row of last) if (headFromEnd(messageOf(row), draft)) break;
  }
  draft.model ??= nonEmpty(aboutOf(session).model);
  return draft;
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  if (!database.has('sessions', 'id')) return undefined;
  return database.all(`SELECT ${namesIn(database, 'sessions', SESSION)} FROM sessions WHERE id = ?`, id)[0];
}

function aboutOf({ id, name, description, working_dir, provider_name, model_config_json }: JsonObject): JsonObject {
  const model = nonEmpty(parseObject(textIn(model_config_json) ?? '')?.model_name);
  return { id, ...defined({ name: nonEmpty(name) ?? nonEmpty(description), working_dir, provider_name, model }) };
}

function* messagesOf(database: ForeignDatabase, session: string): Iterable<JsonObject> {
  if (!database.has('messages', 'session_id')) return;
  const names = namesIn(database, 'messages', MESSAGE);
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const found: readonly JsonObject[] = database.all(
      `SELECT ${names} FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ?`,
      session,
      after,
      PAGE,
    );
    yield* found.map(messageOf);
    after = found.length < PAGE ? undefined : Number(found.at(-1)?.id);
  }
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

function namesIn(database: ForeignDatabase, table: string, names: readonly string[]): string {
  return names.filter((name) => database.has(table, name)).join(', ');
}
