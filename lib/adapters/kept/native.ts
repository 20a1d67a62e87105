// An item of another program's list as a member of an event, and back: exactly the same value. A text that the event
// says already is not stored twice, a long one and bytes are attachments. What JSON cannot hold is refused.
import { OllmError } from '../../errors/index.ts';
import { BLOB_THRESHOLD_BYTES } from '../../journal/format.ts';
import type { JournalStore } from '../../journal/types.ts';
import type { LeftText, Native } from '../../messages/index.ts';

/** Stores bytes as an attachment and returns their sha256. */
export type PutBlob = (bytes: Uint8Array) => Promise<string>;

/** A shorter text is as cheap as the pointer to it. */
const MIN_SHARED_CHARACTERS = 48;
/** A path of this length is one of a circle, or deeper than a journal takes. */
const MAX_PATH_CHARACTERS = 8_192;
const BASE64 = /^(data:[^,]{0,200};base64,)?([A-Za-z0-9+/]+={0,2})$/;

interface PackOptions {
  readonly form: string;
  /** The data of the event that the item is stored with. */
  readonly data: object;
  /** How many events say it. */
  readonly events: number;
  readonly put: PutBlob;
}

/**
 * A copy that the caller cannot change any more. Members that are undefined are left out, as in JSON.
 * @throws OllmError EVENT_INVALID: it holds what can be no part of an item
 */
export function copyItem(value: unknown, at = ''): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  // JSON has one zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  if (typeof value !== 'object') throw notJson(value, at);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice());
  if (value instanceof URL) return new URL(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return new Date(value);
  if (Array.isArray(value)) return value.map((element, index) => copyItem(element ?? null, `${at}/${index}`));
  if (at.length > MAX_PATH_CHARACTERS || isOfAnotherKind(value)) throw notJson(value, at);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copyItem(member, `${at}/${escaped(name)}`)]));
}

/** Takes what `copyItem` returned. */
export async function packItem(item: unknown, { form, data, events, put }: PackOptions): Promise<Native> {
  const left: LeftText[] = [];
  const said = textsOf(data);
  const pack = async (value: unknown, at: string): Promise<unknown> => {
    if (typeof value === 'string') {
      const elsewhere = value.length < MIN_SHARED_CHARACTERS ? undefined : await elsewhereOf(value, said, put);
      if (elsewhere !== undefined) left.push({ at, ...elsewhere });
      return elsewhere === undefined ? value : '';
    }
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) {
      left.push({ at, blob: await put(value), as: 'bytes' });
      return null;
    }
    if (value instanceof URL || value instanceof Date) {
      left.push({ at, as: value instanceof URL ? 'url' : 'date' });
      return value.toJSON();
    }
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      members.push([name, await pack(member, `${at}/${escaped(name)}`)]);
    }
    return Array.isArray(value) ? members.map(([, element]) => element) : Object.fromEntries(members);
  };
  const packed = (await pack(item, '')) as Native['item'];
  return { form, item: packed, ...(events > 1 ? { events } : {}), ...(left.length > 0 ? { left } : {}) };
}

/** @throws OllmError JOURNAL_DAMAGED: an attachment of it is gone */
export async function unpackItem(
  { item, left = [] }: Native,
  data: object,
  readBlob: JournalStore['readBlob'],
): Promise<unknown> {
  const root = { '': structuredClone(item) };
  for (const text of left) {
    const value = await soughtValue(text, valueAt(item, text.at), data, readBlob);
    setAt(root, text.at, value);
  }
  return root[''];
}

async function soughtValue(
  { same, blob, before = '', as = 'text', at }: LeftText,
  there: unknown,
  data: object,
  readBlob: JournalStore['readBlob'],
): Promise<unknown> {
  if (as === 'url') return new URL(String(there));
  if (as === 'date') return new Date(String(there));
  if (same !== undefined) return valueAt(data, same);
  const bytes = blob === undefined ? undefined : await readBlob(blob);
  if (bytes === undefined) {
    throw new OllmError('JOURNAL_DAMAGED', `The attachment ${blob} of an item is gone: ${at} cannot be given back.`, {
      hint: 'Restore the file under blobs/ from a backup.',
    });
  }
  if (as === 'bytes') return new Uint8Array(bytes);
  if (as === 'base64') return before + Buffer.from(bytes).toString('base64');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Where a text is, if it is not to be in the item. Base64 is stored as its bytes. */
async function elsewhereOf(
  text: string,
  said: ReadonlyMap<string, string>,
  put: PutBlob,
): Promise<Omit<LeftText, 'at'> | undefined> {
  const same = said.get(text);
  if (same !== undefined) return { same };
  // A text that UTF-8 cannot hold stays in the line, where it is escaped.
  if (text.length < BLOB_THRESHOLD_BYTES || !text.isWellFormed()) return undefined;
  const [, before, base64] = BASE64.exec(text) ?? [];
  const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (bytes === undefined || bytes.toString('base64') !== base64) {
    return { blob: await put(new TextEncoder().encode(text)), as: 'text' };
  }
  return { blob: await put(bytes), as: 'base64', ...(before === undefined ? {} : { before }) };
}

/** An instance of a class: its members do not say all of it. */
function isOfAnotherKind(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

function notJson(value: unknown, at: string): OllmError {
  const what = typeof value === 'object' ? (value?.constructor?.name ?? 'object') : typeof value;
  return new OllmError('EVENT_INVALID', `The item holds what JSON cannot: ${what} at ${at || 'its top'}.`, {
    hint: 'Nothing was written. Hand in plain objects, lists, texts, numbers and bytes.',
  });
}

/** Where each text of some length is. */
function textsOf(data: object): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const visit = (value: unknown, at: string): void => {
    if (typeof value === 'string' && value.length >= MIN_SHARED_CHARACTERS) texts.set(value, at);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) visit(member, `${at}/${escaped(name)}`);
    }
  };
  visit(data, '');
  return texts;
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const name of stepsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** `root` holds the item under the empty name, so that the item itself can be replaced. */
function setAt(root: Record<string, unknown>, pointer: string, value: unknown): void {
  const steps = ['', ...stepsOf(pointer)];
  const last = steps.pop() ?? '';
  let owner: unknown = root;
  for (const name of steps) owner = valueAt(owner, `/${escaped(name)}`);
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, last)) return;
  Object.defineProperty(owner, last, { value, enumerable: true, writable: true, configurable: true });
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
