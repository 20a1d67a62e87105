// The database of one session of Cursor's command line: messages as JSON, named by their sha256, and a list of those
// that are in the conversation. Reported by others, and not seen by us in a genuine file.
import { defined } from '../../platform/json.ts';
import type { Columns, ForeignDatabase, HeadDraft, JsonObject, Source } from '../agent.ts';
import { amountIn, nonEmpty, parseObject, textIn } from '../members.ts';
import { timeOf } from '../times.ts';
import { headFromEnd, headFromStart } from './head.ts';

export const META: Columns = { meta: ['key', 'value'] };
export const CLI: Columns = { ...META, blobs: ['id', 'data'] };
const ID_BYTES = 32;
const HEAD_MESSAGES = 20;

interface CliSession {
  readonly root: string | undefined;
  readonly name: string | undefined;
  readonly model: string | undefined;
  /** RFC 3339. */
  readonly startedAt: string | undefined;
}

/** This value also holds the key of the session: only these members leave this function. */
export function cliSessionIn(database: ForeignDatabase): CliSession {
  const [row] = database.has('meta', 'value') ? database.all("SELECT value FROM meta WHERE key = '0'") : [];
  const text = textIn(row?.value) ?? '';
  const meta = parseObject(text) ?? parseObject(Buffer.from(text, 'hex').toString()) ?? {};
  return {
    root: nonEmpty(meta.latestRootBlobId),
    name: nonEmpty(meta.name),
    model: nonEmpty(meta.lastUsedModel),
    startedAt: timeOf(amountIn(meta.createdAt)),
  };
}

export function* cliRows(database: ForeignDatabase, _source: Source): Iterable<JsonObject> {
  const { root, name, model } = cliSessionIn(database);
  yield { session: { ...defined({ name, model }) } };
  if (root === undefined || !database.has('blobs', 'data')) return;
  for (const id of idsIn(bytesOf(database, root))) {
    const message = parseObject(bytesOf(database, id).toString());
    if (message !== undefined) yield { blob: id, message };
  }
}

export function cliHead(database: ForeignDatabase, source: Source): HeadDraft {
  const draft: HeadDraft = {};
  const records = cliRows(database, source)[Symbol.iterator]();
  for (let count = 0; count < HEAD_MESSAGES; count++) {
    const next = records.next();
    if (next.done || headFromStart(next.value, draft)) break;
  }
  const { model, startedAt } = cliSessionIn(database);
  headFromEnd({ session: { model } }, draft);
  return startedAt === undefined ? draft : { ...draft, startedAt };
}

function bytesOf(database: ForeignDatabase, id: string): Buffer {
  const [row] = database.all('SELECT data FROM blobs WHERE id = ?', id);
  return Buffer.from(textIn(row?.data) ?? '', 'base64');
}

/** Field 1 of the list, in its protobuf: the messages in their order. Other fields lead to other trees. */
function idsIn(bytes: Buffer): readonly string[] {
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    if (tag === undefined) break;
    const value = varintAt(bytes, tag.end);
    const kind = tag.value % 8;
    if (kind === 1 || kind === 5) {
      at = tag.end + (kind === 1 ? 8 : 4);
      continue;
    }
    if (value === undefined || (kind !== 0 && kind !== 2)) break;
    at = value.end + (kind === 2 ? value.value : 0);
    if (tag.value === 10 && value.value === ID_BYTES && at <= bytes.length) {
      ids.push(bytes.toString('hex', value.end, at));
    }
  }
  return ids;
}

function varintAt(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = from; at < Math.min(bytes.length, from + 7); at++) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * 128 ** (at - from);
    if (byte < 128) return { value, end: at + 1 };
  }
  return undefined;
}
