// The rows of a session in a database of another program that has a table `sessions`, with a row for each, and a table
// `messages`. A version of it may lack any column.
import type { ForeignDatabase, JsonObject, OwnRows, Source } from './agent.ts';

/** Rows of messages that are read at a time. */
const PAGE = 20;

interface MessageTable {
  readonly columns: readonly string[];
  /** The number by which the messages follow each other. Default: `id`. */
  readonly order?: 'id' | 'rowid' | undefined;
  /** A further condition, which begins with AND. */
  readonly where?: string | undefined;
}

/** All rows of a session. */
export function ownRows({ id: known, ownId: id = known }: Source): readonly OwnRows[] {
  return [
    { table: 'sessions', where: 'id = ?', parameters: [id] },
    { table: 'messages', where: 'session_id = ?', parameters: [id] },
  ];
}

export function sessionRow(database: ForeignDatabase, id: string, columns: readonly string[]): JsonObject | undefined {
  if (!database.has('sessions', 'id')) return undefined;
  return database.all(`SELECT ${known(database, 'sessions', columns)} FROM sessions WHERE id = ?`, id)[0];
}

/** All messages of a session, in their order. */
export function* messageRows(
  database: ForeignDatabase,
  session: string,
  { columns, order = 'id', where = '' }: MessageTable,
): Iterable<JsonObject> {
  if (!database.has('messages', 'session_id')) return;
  const statement = `SELECT ${order} AS place, ${known(database, 'messages', columns)} FROM messages
    WHERE session_id = ? AND ${order} > ? ${where} ORDER BY ${order} LIMIT ?`;
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const found: readonly JsonObject[] = database.all(statement, session, after, PAGE);
    for (const { place: _, ...row } of found) yield row;
    after = found.length < PAGE ? undefined : Number(found.at(-1)?.place);
  }
}

/** The newest messages of a session, the last one first. */
export function lastMessageRows(
  database: ForeignDatabase,
  session: string,
  { columns, order = 'id' }: MessageTable,
): readonly JsonObject[] {
  if (!database.has('messages', 'session_id')) return [];
  const names = known(database, 'messages', columns);
  return database.all(
    `SELECT ${names} FROM messages WHERE session_id = ? ORDER BY ${order} DESC LIMIT ?`,
    session,
    PAGE,
  );
}

function known(database: ForeignDatabase, table: string, columns: readonly string[]): string {
  return columns.filter((name) => database.has(table, name)).join(', ');
}
