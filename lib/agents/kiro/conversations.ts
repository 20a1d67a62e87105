// The conversations of Kiro CLI's first engine, and of Amazon Q Developer CLI, which Kiro CLI was before: rows of a
// database, each with one document. Its records are one about the conversation, its summary, and then each prompt or
// results and each answer, in the order in which they came.
import type {
  Columns,
  DiscoveredSession,
  ForeignDatabase,
  HeadDraft,
  JsonObject,
  Looking,
  OwnRows,
  Source,
} from '../agent.ts';
import { amountIn, defined, nonEmpty, objectIn, objectsIn, parseObject, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { promptIn } from './read.ts';

export const DATABASE = 'data.sqlite3';
/** The first version has one conversation for each directory. Its rows were copied when the second one came. */
const [FIRST, SECOND] = ['conversations', 'conversations_v2'];

export const COLUMNS: Columns = {
  [FIRST]: ['key', 'value'],
  [SECOND]: ['key', 'conversation_id', 'value', 'updated_at'],
};

/** As many rows take at most 50 ms. */
const PAGE = 500;
/** Rows with their documents. */
const DOCUMENTS = 5;

interface Listed {
  readonly id: string;
  /** The directory in which it works. */
  readonly key: string;
}

/** The conversations, each once: one in several directories in the one where it changed last. */
export function* conversationsIn(path: string, looking: Looking): Iterable<DiscoveredSession> {
  const found = looking.query(path, COLUMNS, (database) =>
    database.has(SECOND, 'conversation_id') ? listedIn(database) : firstIn(database),
  );
  for (const { id, key } of found ?? []) yield { id, path, facts: { cwd: key } };
}

/** Texts are less than any bytes, after which a page would begin with the same ones again. */
function listedIn(database: ForeignDatabase): readonly Listed[] {
  const keys = new Map<string, string[]>();
  let [after, afterId]: readonly [string, string] = ['', ''];
  for (let isMore = true; isMore; ) {
    const page = database.all(
      `SELECT key, conversation_id AS id FROM ${SECOND}
        WHERE (key > ?1 OR (key = ?1 AND conversation_id > ?2)) AND key < x'' AND conversation_id < x''
        ORDER BY key, conversation_id LIMIT ${PAGE}`,
      after,
      afterId,
    );
    for (const { key, id } of page) {
      if (nonEmpty(id) !== undefined) keys.set(String(id), [...(keys.get(String(id)) ?? []), String(key)]);
    }
    [after, afterId] = [String(page.at(-1)?.key), String(page.at(-1)?.id)];
    isMore = page.length === PAGE;
  }
  return [...keys].map(([id, those]) => ({
    id,
    key: those.length === 1 ? those[0]! : lastChanged(database, id, those),
  }));
}

function lastChanged(database: ForeignDatabase, id: string, keys: readonly string[]): string {
  const changed = (key: string) =>
    Number(
      database.all(`SELECT updated_at AS at FROM ${SECOND} WHERE key = ? AND conversation_id = ?`, key, id)[0]?.at,
    );
  return keys.toSorted((a, b) => changed(b) - changed(a))[0]!;
}

function firstIn(database: ForeignDatabase): readonly Listed[] {
  const found: Listed[] = [];
  if (!database.has(FIRST, 'value')) return found;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: readonly JsonObject[] = database.all(
      `SELECT key, value FROM ${FIRST} WHERE key > ? AND key < x'' ORDER BY key LIMIT ${DOCUMENTS}`,
      after,
    );
    for (const { key, value } of page) {
      const id = nonEmpty(parseObject(textIn(value) ?? '')?.conversation_id);
      if (id !== undefined) found.push({ id, key: String(key) });
    }
    after = page.length < DOCUMENTS ? undefined : String(page.at(-1)?.key);
  }
  return found;
}

export function* rows(database: ForeignDatabase, source: Source): Iterable<JsonObject> {
  const { conversation_id, model, model_info, latest_summary, history, next_message } = rowOf(
    database,
    source,
  ).document;
  if (conversation_id === undefined) return;
  const turns = objectsIn(history);
  // A record that changes later would make all of them new ones: newer versions name the model with each answer.
  const isNamed = turns.some(({ request_metadata }) => nonEmpty(objectIn(request_metadata)?.model_id) !== undefined);
  const named = isNamed ? undefined : (nonEmpty(objectIn(model_info)?.model_id) ?? nonEmpty(model));
  yield { conversation: { conversation_id, ...defined({ model: named }) } };
  const summary = nonEmpty(Array.isArray(latest_summary) ? latest_summary[0] : undefined);
  if (summary !== undefined) yield { summary };
  for (const { user, assistant, request_metadata } of turns) {
    if (objectIn(user) !== undefined) yield { user };
    if (objectIn(assistant) !== undefined) yield { assistant, ...defined({ request_metadata }) };
  }
  if (objectIn(next_message) !== undefined) yield { user: next_message };
}

export function head(database: ForeignDatabase, source: Source): HeadDraft {
  const { document, updatedAt } = rowOf(database, source);
  const turns = objectsIn(document.history);
  const models = [...turns.map(({ request_metadata }) => objectIn(request_metadata)), objectIn(document.model_info)];
  const [first] = turns;
  return defined({
    firstPrompt: turns.map(({ user }) => promptIn(objectIn(user))).find((prompt) => prompt !== undefined),
    startedAt: timeOf(textIn(objectIn(first?.user)?.timestamp)),
    lastActivity: timeOf(amountIn(updatedAt)),
    model: models.map((each) => nonEmpty(each?.model_id)).findLast((name) => name !== undefined),
  });
}

export function own({ id: known, ownId: id = known, facts }: Source): readonly OwnRows[] {
  const key = textIn(facts?.cwd) ?? '';
  return [
    { table: FIRST, where: 'key = ?', parameters: [key] },
    { table: SECOND, where: 'key = ? AND conversation_id = ?', parameters: [key, id] },
  ];
}

function rowOf(
  database: ForeignDatabase,
  { id: known, ownId: id = known, facts }: Source,
): { readonly document: JsonObject; readonly updatedAt?: unknown } {
  const key = textIn(facts?.cwd) ?? '';
  const [row] = database.has(SECOND, 'conversation_id')
    ? database.all(`SELECT value, updated_at FROM ${SECOND} WHERE key = ? AND conversation_id = ?`, key, id)
    : database.all(`SELECT value FROM ${FIRST} WHERE key = ?`, key);
  const document = parseObject(textIn(row?.value) ?? '') ?? {};
  // The only conversation of a directory may be another one by now.
  return document.conversation_id === id ? { document, updatedAt: row?.updated_at } : { document: {} };
}
