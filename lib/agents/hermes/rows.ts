// The rows of a session in the database of Hermes as records: one about the session, and one for each message, in the
// order in which they came. Messages that the user took back are left out.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty } from '../members.ts';
import { timeOf } from '../translator.ts';
import { headFromEnd, headFromStart } from './read.ts';
import { millisecondsOf } from './times.ts';

const SESSION = ['id', 'source', 'title', 'title_source', 'model', 'billing_provider', 'cwd', 'git_branch'];
const MESSAGE = [
  ...['id', 'role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'codex_reasoning_items', 'codex_message_items'],
  ...['display_kind', '_compressed_summary'],
];

export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id', 'active', 'compacted'] };

const PAGE = 20;

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionOf(database, id);
  if (session === undefined) return;
  yield { session };
  yield* messagesOf(database, id);
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionOf(database, id);
  if (session === undefined) return draft;
  headFromStart({ session }, draft);
  for (const message of messagesOf(database, id)) if (headFromStart(message, draft)) break;
  if (!database.has('messages', 'session_id')) return draft;
  const [last] = database.all('SELECT timestamp FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT 1', id);
  draft.lastActivity = timeOf(millisecondsOf(last?.timestamp));
  headFromEnd({ session }, draft);
  return draft;
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  if (!database.has('sessions', 'id')) return undefined;
  const [row] = database.all(`SELECT ${namesIn(database, 'sessions', SESSION)} FROM sessions WHERE id = ?`, id);
  return row && filled(row);
}

function* messagesOf(database: ForeignDatabase, session: string): Iterable<JsonObject> {
  if (!database.has('messages', 'session_id')) return;
  const names = namesIn(database, 'messages', MESSAGE);
  const isKept = database.has('messages', 'active') ? 'AND (active = 1 OR compacted = 1)' : '';
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const found: readonly JsonObject[] = database.all(
      `SELECT ${names} FROM messages WHERE session_id = ? AND id > ? ${isKept} ORDER BY id LIMIT ?`,
      session,
      after,
      PAGE,
    );
    yield* found.map(filled);
    after = found.length < PAGE ? undefined : Number(found.at(-1)?.id);
  }
}

/** The row without its empty members. */
function filled(row: JsonObject): JsonObject {
  return defined(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' ? nonEmpty(value) : (value ?? undefined),
      ]),
    ),
  ) as JsonObject;
}

function namesIn(database: ForeignDatabase, table: string, names: readonly string[]): string {
  return names.filter((name) => database.has(table, name)).join(', ');
}
