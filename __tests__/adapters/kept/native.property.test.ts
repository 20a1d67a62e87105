// Any item of another program is given back exactly, and no long text of it is stored twice.
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { copyItem, packItem, unpackItem } from '../../../lib/adapters/kept/native.ts';
import { BLOB_THRESHOLD_BYTES } from '../../../lib/journal/format.ts';
import type { Native } from '../../../lib/messages/index.ts';

const LONG = 'The harbour is closed in winter, and the ferry runs from the old pier.';

function blobs() {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    async put(bytes: Uint8Array) {
      const name = hash('sha256', bytes);
      stored.set(name, new Uint8Array(bytes));
      return name;
    },
    read: async (name: string) => stored.get(name),
  };
}

/** Through the text of a line, as the journal has it. */
async function stored(item: unknown, data: object = {}) {
  const { put, read, stored: files } = blobs();
  const native = await packItem(copyItem(item), { form: 'test', data, events: 1, put });
  const line = JSON.stringify({ ...data, native });
  const read2 = JSON.parse(line) as { native: Native };
  return { line, files, back: await unpackItem(read2.native, read2, read) };
}

const strange = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
  fc.webUrl().map((url) => new URL(url)),
  fc.date({ noInvalidDate: true }),
  fc.constant(LONG),
  fc.constantFrom('x'.repeat(BLOB_THRESHOLD_BYTES), '\ud83d '.repeat(BLOB_THRESHOLD_BYTES / 2)),
  fc.constantFrom('a/b', '~1', '', '__proto__').map((name) => Object.fromEntries([[name, LONG]])),
);
const items = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 1 }), strange, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
})).value;

it('gives items back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(items, async (item) => {
      const plain = copyItem(item);
      expect((await stored(item, { parts: [{ text: LONG }] })).back).toStrictEqual(plain);
    }),
    { numRuns: 100 },
  );
});

it('stores a text once that the event says too', async () => {
  const { line, back } = await stored({ content: [{ text: LONG }] }, { parts: [{ type: 'text', text: LONG }] });
  expect(line.split(LONG)).toHaveLength(2);
  expect(back).toEqual({ content: [{ text: LONG }] });
});

it('keeps a long text, and a picture as its bytes, out of the line', async () => {
  const picture = Buffer.alloc(BLOB_THRESHOLD_BYTES, 9);
  const item = {
    text: 'y '.repeat(BLOB_THRESHOLD_BYTES / 2),
    image: `data:image/png;base64,${picture.toString('base64')}`,
  };
  const { line, files, back } = await stored(item);
  expect(back).toEqual(item);
  expect(line.length).toBeLessThan(1000);
  expect([...files.values()].map(({ length }) => length).sort()).toEqual([BLOB_THRESHOLD_BYTES, BLOB_THRESHOLD_BYTES]);
});

it.each<[string, unknown]>([
  ['a function', { run: () => 1 }],
  ['a number that is none', { value: Number.NaN }],
  ['a bigint', { value: 1n }],
  ['a map', { value: new Map() }],
  ['a circle', circle()],
])('refuses %s, and says where', (_, item) => {
  expect(() => copyItem(item)).toThrow(expect.objectContaining({ code: 'EVENT_INVALID' }));
});

it('is not changed by its caller afterwards', async () => {
  const item = { list: [1] };
  const copy = copyItem(item);
  item.list.push(2);
  expect(copy).toEqual({ list: [1] });
});

it('says which attachment is gone', async () => {
  const { put } = blobs();
  const native = await packItem(copyItem({ data: new Uint8Array(4) }), { form: 'test', data: {}, events: 1, put });
  await expect(unpackItem(native, {}, async () => undefined)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
});

function circle(): unknown {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  return circle;
}
