// The databases of Cursor's editor: pairs of a key and a value in JSON. Among them are login tokens: only these keys
// are asked for. The database for all workspaces is reported by others, and not seen by us in a genuine file.
import { defined } from '../../platform/json.ts';
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, OwnRows, Source } from '../agent.ts';
import { amountIn, nonEmpty, objectIn, objectsIn, parseObject, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './head.ts';

export const WORKSPACE: Columns = { ItemTable: ['key', 'value'] };
export const GLOBAL: Columns = { cursorDiskKV: ['key', 'value'] };
const COMPOSERS = 'composer.composerData';
const CHATS = 'workbench.panel.aichat.view.aichat.chatdata';
const COMPOSER = 'composerData:';
/** The first key after all with this beginning. */
const COMPOSER_END = 'composerData;';
const PAGE = 200;
const HEAD_BUBBLES = 20;
/** Members that the editor needs for its screen, and changes at will. */
const OF_THE_SCREEN = ['richText', 'initText', 'isFocused'];

export interface StoredSession {
  readonly id: string;
  /** RFC 3339. */
  readonly startedAt: string | undefined;
  /** Where its messages are in this database; undefined where they are in the one for all. */
  readonly store: 'composer' | 'chat' | undefined;
}

/** What a workspace's database has. */
export function sessionsIn(database: ForeignDatabase): readonly StoredSession[] {
  const composers = objectsIn(itemOf(database, COMPOSERS)?.allComposers).flatMap((one): StoredSession[] => {
    const id = nonEmpty(one.composerId);
    const store = objectsIn(one.conversation).length > 0 ? 'composer' : undefined;
    return id === undefined ? [] : [{ id, startedAt: timeOf(amountIn(one.createdAt)), store }];
  });
  const chats = objectsIn(itemOf(database, CHATS)?.tabs).flatMap((one): StoredSession[] => {
    const id = nonEmpty(one.tabId);
    const isEmpty = objectsIn(one.bubbles).length === 0;
    return id === undefined || isEmpty ? [] : [{ id, startedAt: undefined, store: 'chat' }];
  });
  return [...composers, ...chats];
}

/** The composers in the database for all workspaces. */
export function composersIn(database: ForeignDatabase): readonly string[] {
  const ids: string[] = [];
  if (!database.has('cursorDiskKV', 'key')) return ids;
  for (let after: string | undefined = COMPOSER; after !== undefined; ) {
    const rows: readonly JsonObject[] = database.all(
      'SELECT key FROM cursorDiskKV WHERE key > ? AND key < ? ORDER BY key LIMIT ?',
      after,
      COMPOSER_END,
      PAGE,
    );
    for (const { key } of rows) if (typeof key === 'string') ids.push(key.slice(COMPOSER.length));
    after = rows.length < PAGE ? undefined : nonEmpty(rows.at(-1)?.key);
  }
  return ids;
}

export function* workspaceRows(
  database: ForeignDatabase,
  { id: known, ownId: id = known, facts }: Source,
): Iterable<JsonObject> {
  const isChat = facts?.store === 'chat';
  const all = isChat ? itemOf(database, CHATS)?.tabs : itemOf(database, COMPOSERS)?.allComposers;
  const session = objectsIn(all).find((one) => (isChat ? one.tabId : one.composerId) === id);
  if (session === undefined) return;
  yield { session: headOf(session) };
  const bubbles = objectsIn(isChat ? session.bubbles : session.conversation);
  for (const bubble of bubbles) yield { bubble: withoutScreen(bubble) };
}

export function* globalRows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = pairOf(database, `${COMPOSER}${id}`);
  if (session === undefined) return;
  yield { session: headOf(session) };
  const old = objectsIn(session.conversation);
  for (const bubble of old) yield { bubble: withoutScreen(bubble) };
  if (old.length > 0) return;
  const headers = objectsIn(session.fullConversationHeadersOnly);
  // The last one grows while the model answers.
  const finished = session.status === 'generating' ? headers.slice(0, -1) : headers;
  for (const { bubbleId, type } of finished) {
    const bubble = pairOf(database, `bubbleId:${id}:${textIn(bubbleId) ?? ''}`);
    yield { bubble: bubble === undefined ? { bubbleId, type } : { ...withoutScreen(bubble), bubbleId } };
  }
}

/** The value of one key has all sessions of a workspace. Much else is in the table, and is written all the time. */
export function ownOfWorkspace({ facts }: Source): readonly OwnRows[] {
  return [{ table: 'ItemTable', where: 'key = ?', parameters: [facts?.store === 'chat' ? CHATS : COMPOSERS] }];
}

export function ownOfGlobal({ id: known, ownId: id = known }: Source): readonly OwnRows[] {
  return [
    {
      table: 'cursorDiskKV',
      where: 'key = ? OR (key > ? AND key < ?)',
      parameters: [`${COMPOSER}${id}`, `bubbleId:${id}:`, `bubbleId:${id};`],
    },
  ];
}

export function editorHead(rows: Iterable<JsonObject>, { facts }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const cwd = nonEmpty(facts?.cwd);
  if (cwd !== undefined) draft.cwd = cwd;
  let count = 0;
  for (const record of rows) {
    headFromStart(record, draft);
    if (draft.model === undefined) headFromEnd(record, draft);
    count += 1;
    if (count > HEAD_BUBBLES) break;
  }
  return draft;
}

/** Without what changes with each message. */
function headOf(session: JsonObject): JsonObject {
  const { composerId, tabId, name, chatTitle, createdAt, modelConfig } = session;
  const model = objectIn(modelConfig)?.modelName;
  const title = nonEmpty(name) ?? nonEmpty(chatTitle);
  return {
    id: composerId ?? tabId,
    ...defined({ name: title, createdAt }),
    ...(typeof model === 'string' ? { model } : {}),
  };
}

function withoutScreen(bubble: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(bubble).filter(([name]) => !OF_THE_SCREEN.includes(name)));
}

function itemOf(database: ForeignDatabase, key: string): JsonObject | undefined {
  if (!database.has('ItemTable', 'value')) return undefined;
  return valueIn(database.all('SELECT value FROM ItemTable WHERE key = ?', key));
}

function pairOf(database: ForeignDatabase, key: string): JsonObject | undefined {
  if (!database.has('cursorDiskKV', 'value')) return undefined;
  return valueIn(database.all('SELECT value FROM cursorDiskKV WHERE key = ?', key));
}

/** Text, or the same as bytes. */
function valueIn([row]: readonly JsonObject[]): JsonObject | undefined {
  const text = textIn(row?.value);
  if (text === undefined) return undefined;
  return parseObject(text) ?? parseObject(Buffer.from(text, 'base64').toString());
}
