// The rows of a session in the database of Hermes as records: one about the session, and one for each message, in the
// order in which they came. Messages that the user took back are left out.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { defined, nonEmpty } from '../members.ts';
import { lastMessageRows, messageRows, sessionRow } from '../message-rows.ts';
import { millisecondsIn, timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './read.ts';

const SESSION = ['id', 'source', 'title', 'title_source', 'model', 'billing_provider', 'cwd', 'git_branch'];
const MESSAGE = [
  ...['id', 'role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'codex_reasoning_items', 'codex_message_items'],
  ...['display_kind', '_compressed_summary'],
];

export const COLUMNS: Columns = { sessions: SESSION, messages: [...MESSAGE, 'session_id', 'active', 'compacted'] };

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
  const [last] = lastMessageRows(database, id, { columns: ['timestamp'] });
  draft.lastActivity = timeOf(millisecondsIn(last?.timestamp));
  headFromEnd({ session }, draft);
  return draft;
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  const row = sessionRow(database, id, SESSION);
  return row && filled(row);
}

function* messagesOf(database: ForeignDatabase, session: string): Iterable<JsonObject> {
  const where = database.has('messages', 'active') ? 'AND (active = 1 OR compacted = 1)' : '';
  for (const row of messageRows(database, session, { columns: MESSAGE, where })) yield filled(row);
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
