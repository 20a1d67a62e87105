// The rows of a session in opencode's database as records. The program changes a row while it works on it: such a row
// comes later, so that the records of a continued session stay unchanged, and more are added.
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, OwnRows, Source } from '../agent.ts';
import { copyMarkIn } from '../copy-mark.ts';
import { amountIn, nonEmpty, parseObject, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { isStopped, recordsOfMessage } from './records.ts';

const SESSION_COLUMNS = ['id', 'parent_id', 'directory', 'title', 'version', 'revert', 'time_created', 'time_updated'];

export const COLUMNS: Columns = {
  session: [...SESSION_COLUMNS, 'metadata'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'data'],
};

/** A message of an older version holds whole files, before and after. */
const MESSAGES = 20;
const PARTS = 50;
const FIRST = [Number.MIN_SAFE_INTEGER, ''] as const;

type RowPlace = readonly [time: number, id: string];

export function* rows(database: ForeignDatabase, { id: known, ownId: id = known }: Source): Iterable<JsonObject> {
  const session = sessionOf(database, id);
  if (session === undefined) return;
  yield { session };
  const undone = undoneIn(database, id);
  for (const { message, place } of messagesAfter(database, id, FIRST)) {
    const mayGrow = !isStopped(message.info) && !isLeft(database, id, place);
    const { records, isWhole } = recordsOfMessage({ ...message, parts: partsOf(database, message.info) }, mayGrow);
    yield* records;
    if (!isWhole) return;
  }
  // The next prompt removes it, with the messages that it hides.
  if (undone !== undefined) yield { undone };
}

export function head(database: ForeignDatabase, { id: known, ownId: id = known }: Source): HeadDraft {
  const draft: HeadDraft = {};
  const session = sessionOf(database, id);
  if (session === undefined) return draft;
  headFromStart({ session }, draft);
  draft.copyMark = markOf(database, id);
  for (const { message } of messagesAfter(database, id, FIRST, MESSAGES)) {
    if (headFromStart({ info: message.info, parts: partsOf(database, message.info) }, draft)) break;
  }
  const last = database.all(
    'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT ?',
    id,
    MESSAGES,
  );
  const [updated] = database.all('SELECT time_updated FROM session WHERE id = ?', id);
  draft.lastActivity = timeOf(amountIn(updated?.time_updated));
  for (const row of last) if (headFromEnd({ info: infoOf(row) }, draft)) break;
  return draft;
}

export function own({ id: known, ownId: id = known }: Source): readonly OwnRows[] {
  const messages = 'SELECT id FROM message WHERE session_id = ?';
  return [
    { table: 'session', where: 'id = ?', parameters: [id] },
    { table: 'message', where: 'session_id = ?', parameters: [id] },
    { table: 'part', where: `message_id IN (${messages})`, parameters: [id] },
  ];
}

/** The program keeps the metadata of a session that it took in. */
function markOf(database: ForeignDatabase, id: string): HeadDraft['copyMark'] {
  if (!database.has('session', 'metadata')) return undefined;
  const [row] = database.all('SELECT metadata FROM session WHERE id = ?', id);
  return copyMarkIn(parseObject(textIn(row?.metadata) ?? '')?.handover);
}

function sessionOf(database: ForeignDatabase, id: string): JsonObject | undefined {
  const names = SESSION_COLUMNS.filter((name) => name !== 'revert' && database.has('session', name));
  if (!names.includes('id')) return undefined;
  const [row] = database.all(`SELECT ${names.join(', ')} FROM session WHERE id = ?`, id);
  if (row === undefined) return undefined;
  const { parent_id, directory, title, version, time_created } = row;
  return {
    id,
    ...(parent_id === null ? {} : { parentID: parent_id }),
    directory,
    title,
    version,
    time: { created: time_created },
  };
}

/** The place of an undo; the diff and the snapshot in it are about the files. */
function undoneIn(database: ForeignDatabase, id: string): JsonObject | undefined {
  if (!database.has('session', 'revert')) return undefined;
  const [row] = database.all('SELECT revert FROM session WHERE id = ?', id);
  const { messageID, partID } = parseObject(textIn(row?.revert) ?? '') ?? {};
  return nonEmpty(messageID) === undefined ? undefined : { messageID, ...(partID === undefined ? {} : { partID }) };
}

function* messagesAfter(
  database: ForeignDatabase,
  session: string,
  from: RowPlace,
  limit = Number.POSITIVE_INFINITY,
): Iterable<{ readonly message: { readonly info: JsonObject }; readonly place: RowPlace }> {
  let after: RowPlace | undefined = from;
  for (let count = 0; after !== undefined && count < limit; ) {
    const found: readonly JsonObject[] = database.all(
      'SELECT id, time_created, data FROM message WHERE session_id = ? AND (time_created, id) > (?, ?) ' +
        'ORDER BY time_created, id LIMIT ?',
      session,
      ...after,
      MESSAGES,
    );
    after = undefined;
    for (const row of found) {
      const place: RowPlace = [Number(row.time_created), textIn(row.id) ?? ''];
      yield { message: { info: infoOf(row) }, place };
      count += 1;
      if (found.length === MESSAGES) after = place;
    }
  }
}

/** Whether the program has gone on to a later answer. A prompt may wait while it works on the one before. */
function isLeft(database: ForeignDatabase, session: string, place: RowPlace): boolean {
  for (const { message } of messagesAfter(database, session, place)) if (message.info.role !== 'user') return true;
  return false;
}

function partsOf(database: ForeignDatabase, { id }: JsonObject): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const found = database.all(
      'SELECT id, data FROM part WHERE message_id = ? AND id > ? ORDER BY id LIMIT ?',
      textIn(id) ?? '',
      after,
      PARTS,
    );
    parts.push(...found.map(partOf));
    after = found.length < PARTS ? undefined : nonEmpty(found.at(-1)?.id);
  }
  return parts;
}

function infoOf({ id, data }: JsonObject): JsonObject {
  return { ...(parseObject(textIn(data) ?? '') ?? { role: '', data }), id };
}

function partOf({ id, data }: JsonObject): JsonObject {
  return { ...(parseObject(textIn(data) ?? '') ?? { type: '', data }), id };
}
