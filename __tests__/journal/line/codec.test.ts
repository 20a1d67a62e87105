// The format against its golden vectors, which are files of the repository, and lines that others might write.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineBuffer, toJson } from '../../../lib/journal/line/buffer.ts';
import { checksum } from '../../../lib/journal/line/checksum.ts';
import { readByOthers } from '../other-readers.ts';
import {
  checksumOf,
  damageOf,
  eventsOf,
  journalDisk,
  line,
  linesOf,
  readEverywhere,
  sampleJournal,
} from '../surgery.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/journals');
const fixture = (name: string) => readFileSync(join(FIXTURES, name));

interface Vector {
  readonly file: string;
  readonly story: string;
  readonly damage: readonly { readonly kind: string; readonly offset: number; readonly length: number }[];
}
const vectors = JSON.parse(fixture('vectors.json').toString()) as Vector[];

describe('the test vectors', () => {
  it('have one test for each file', () => {
    const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));
    expect(vectors.map(({ file }) => file).toSorted()).toEqual(files);
  });

  it.each(vectors)('$file reads as documented: $story', async ({ file, story, damage }) => {
    const reader = journalDisk(fixture(file)).reader();
    expect(await readEverywhere(reader)).toBe(story);
    expect(damageOf(reader.outcomes()).map(({ kind, offset, length }) => ({ kind, offset, length }))).toEqual(damage);
  });

  it('for whole journals are the bytes that the codec writes today', async () => {
    const bytes = fixture('whole.jsonl');
    const buffer = new LineBuffer();
    let prev = '0'.repeat(16);
    for (const { seq, ts, type, turn, id, data } of await readByOthers(bytes)) {
      const { ignorable } = JSON.parse(linesOf(bytes)[seq]!.toString()) as { ignorable?: true };
      prev = buffer.add({ seq, ts, type, turn, id, ignorable, json: toJson(data) }, prev);
    }
    expect(buffer.bytes.toString()).toBe(bytes.toString());
  });
});

describe('a line of a different writer', () => {
  const whole = sampleJournal(2);
  const prev = checksumOf(linesOf(whole)[1]!);
  const envelope = { seq: 2, ts: '2026-01-01T00:00:05.000Z', type: 'a.b', prev };
  /** The line as it is read back, given as text up to its checksum. */
  const read = async (text: string) => {
    const bytes = Buffer.from(`${text},"xxh64":"${checksum(Buffer.from(text))}"}\n`);
    const reader = journalDisk(Buffer.concat([whole, bytes])).reader();
    return { story: await readEverywhere(reader), event: eventsOf(reader.outcomes())[2] };
  };

  it('may have its members in a different order', async () => {
    const { story, event } = await read(
      `{"prev":"${prev}","type":"a.b","data":{"x":1},"turn":3,"ts":"${envelope.ts}","seq":2`,
    );
    expect(story).toBe('0 1 2');
    expect(event).toMatchObject({ seq: 2, type: 'a.b', turn: 3, data: { x: 1 }, prev });
  });

  it('may have members that this version does not know, at any place', async () => {
    const unknown = '"trace":{"a":[1]}';
    for (const text of [
      `{"seq":2,"ts":"${envelope.ts}",${unknown},"type":"a.b","data":{"x":1},"prev":"${prev}"`,
      `{"seq":2,"ts":"${envelope.ts}","type":"a.b",${unknown},"data":{"x":1},"prev":"${prev}"`,
      `{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":{"x":1},${unknown},"prev":"${prev}"`,
      `{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":{"x":1},"prev":"${prev}",${unknown}`,
    ]) {
      const { story, event } = await read(text);
      expect([text, story]).toEqual([text, '0 1 2']);
      expect(event!.data).toEqual({ x: 1 });
      expect(event!.xxh64).toMatch(/^[0-9a-f]{16}$/);
      expect(Buffer.from(event!.raw).toString().startsWith(text)).toBe(true);
    }
  });

  it('may contain spaces', async () => {
    const { story, event } = await read(
      `{ "seq": 2, "ts": "${envelope.ts}", "type": "a.b", "data": { "x": 1 }, "prev": "${prev}"`,
    );
    expect(story).toBe('0 1 2');
    expect(event!.data).toEqual({ x: 1 });
  });

  it('reports data that is not JSON, or not UTF-8, when the data is read', async () => {
    for (const data of ['{"x":}', '{"x":"\\z"}']) {
      const { event } = await read(`{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":${data},"prev":"${prev}"`);
      expect(() => event!.data).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
    }
  });

  it.each([
    ['lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['one level too deep', `{"a":${'['.repeat(256)}${']'.repeat(256)}}`],
  ])('reports data that nests deeper than a writer may write when the data is read: %s', async (_what, data) => {
    const { event } = await read(`{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":${data},"prev":"${prev}"`);
    expect(() => event!.data).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
  });

  it('is not a line if it nests too deep and has unknown members', async () => {
    const data = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}},"trace":0`;
    expect((await read(`{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":${data},"prev":"${prev}"`)).story).toBe(
      '0 1 not-json',
    );
  });

  it('may nest as deep as a writer may write, and have many members', async () => {
    const deep = `{"a":${'['.repeat(255)}${']'.repeat(255)}}`;
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index])),
    );
    for (const data of [deep, wide]) {
      const { event } = await read(`{"seq":2,"ts":"${envelope.ts}","type":"a.b","data":${data},"prev":"${prev}"`);
      expect(JSON.stringify(event!.data)).toBe(data);
    }
  });

  it('is still an event if its id cannot be decoded', async () => {
    const { story, event } = await read(
      `{"seq":2,"ts":"${envelope.ts}","type":"a.b","id":"\\q","data":{},"prev":"${prev}"`,
    );
    expect([story, event!.id]).toEqual(['0 1 2', '\\q']);
  });

  it.each([
    ['no seq', `{"ts":"x","type":"a.b","data":{},"prev":"${prev}"`],
    ['a seq that is not a number', `{"seq":"2","ts":"x","type":"a.b","data":{},"prev":"${prev}"`],
    ['a seq below 0', `{"seq":-1,"ts":"x","type":"a.b","data":{},"prev":"${prev}"`],
    ['data that is a list', `{"seq":2,"ts":"x","type":"a.b","data":[],"prev":"${prev}"`],
    ['no prev', `{"seq":2,"ts":"x","type":"a.b","data":{}`],
    ['a prev in capitals', `{"seq":2,"ts":"x","type":"a.b","data":{},"prev":"ABCDEFABCDEFABCD"`],
  ])('is not a line with %s, even with the right checksum', async (_what, text) => {
    expect((await read(text)).story).toBe('0 1 not-json');
  });

  it('keeps turn, id and ignorable', () => {
    const members = { ...envelope, turn: 12, id: 'ü"\\', ignorable: true, data: { x: 1 } };
    const reader = journalDisk(Buffer.concat([whole, line(members)])).reader();
    expect(eventsOf(reader.outcomes())[2]).toMatchObject({ turn: 12, id: 'ü"\\', ignorable: true, data: { x: 1 } });
  });
});
