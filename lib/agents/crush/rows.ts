// The rows of a session in Crush's database as records: one about the session, and one for each message. A message is
// changed until it has its end, and comes when it has it, or when another one follows.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty, objectsIn, parseObject, textIn } from '../members.ts';
import { timeOf } from '../translator.ts';
import { headFromEnd, headFromStart } from './read.ts';
import { millisecondsOf } from './times.ts';

const SESSION = ['id', 'title', 'summary_message_id', 'updated_at'];
const MESSAGE = ['id', 'role', 'parts', 'model', 'provider', 'created_at', 'is_summary_message'];

/** Whole files before and after a change are in another table, which is not read. */
export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id', 'rowid'] };

const PAGE = 20;

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionOf(database, id);
  if (session === undefined) return;
  yield { session: { id, title: session.title } };
  let last: JsonObject | undefined;
  for (const message of messagesOf(database, session)) {
    if (last !== undefined) yield last;
    last = message;
  }
  if (last !== undefined && isEnded(last)) yield last;
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionOf(database, id);
  if (session === undefined) return draft;
  headFromStart({ session }, draft);
  for (const message of messagesOf(database, session)) if (headFromStart(message, draft)) break;
  draft.lastActivity = timeOf(millisecondsOf(session.updated_at));
  const last = database.all(
    `SELECT ${namesIn(database, 'messages', MESSAGE)} FROM messages WHERE session_id = ? ORDER BY rowid DESC LIMIT ?`,
    id,
    PAGE,
  );
  for (const row of last) if (headFromEnd(messageOf(row, session), draft)) break;
  return draft;
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  if (!database.has('sessions', 'id') || !database.has('messages', 'session_id')) return undefined;
  return database.all(`SELECT ${namesIn(database, 'sessions', SESSION)} FROM sessions WHERE id = ?`, id)[0];
}

/** In the order in which they were added: their times are whole seconds. */
function* messagesOf(database: ForeignDatabase, session: JsonObject): Iterable<JsonObject> {
  const names = namesIn(database, 'messages', MESSAGE);
  for (let after: number | undefined = 0; after !== undefined; ) {
    const found: readonly JsonObject[] = database.all(
      `SELECT rowid AS place, ${names} FROM messages WHERE session_id = ? AND rowid > ? ORDER BY rowid LIMIT ?`,
      textIn(session.id) ?? '',
      after,
      PAGE,
    );
    for (const row of found) yield messageOf(row, session);
    after = found.length < PAGE ? undefined : Number(found.at(-1)?.place);
  }
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

function namesIn(database: ForeignDatabase, table: string, names: readonly string[]): string {
  return names.filter((name) => database.has(table, name)).join(', ');
}
