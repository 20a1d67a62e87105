// A cursor and readings that take turns, over memory that all of them share: each must say what its own journal says, which
// is found here by JSON.parse alone.
import fc from 'fast-check';
import { formOf } from '../../../lib/journal/line/data-form.ts';
import { LineBuffer } from '../../../lib/journal/line/line-buffer.ts';
import { openCursor } from '../../../lib/journal/reading/cursor.ts';
import { Examiner } from '../../../lib/journal/reading/examine.ts';
import { ForwardLines } from '../../../lib/journal/reading/lines.ts';
import { JournalReading } from '../../../lib/journal/reading/reading.ts';
import type { JsonObject } from '../../../lib/journal/types.ts';

const BEGINNING = '0'.repeat(16);

const sourceOf = (bytes: Buffer) => ({
  read: (target: Uint8Array, position: number) => bytes.copy(target, 0, position),
  stat: () => ({
    kind: 'file' as const,
    size: bytes.length,
    device: 0n,
    inode: 0n,
    links: 1,
    mode: 0o600,
    uid: 0,
    modifiedMs: 0,
  }),
});

function lineOf(seq: number, type: string, prev: string, data: JsonObject = {}): { bytes: Buffer; xxh64: string } {
  const buffer = new LineBuffer();
  const json = JSON.stringify(data);
  const xxh64 = buffer.add({ seq, ts: '2026-11-21T20:49:00.123Z', type, turn: undefined, id: undefined, json }, prev);
  return { bytes: Buffer.from(buffer.bytes.subarray(0, buffer.length)), xxh64 };
}

function journalOf(all: readonly JsonObject[]): Buffer {
  let prev = BEGINNING;
  const parts = all.map((data, seq) => {
    const { bytes, xxh64 } = lineOf(seq, 'a.b', prev, data);
    prev = xxh64;
    return bytes;
  });
  return Buffer.concat(parts);
}

describe('a cursor', () => {
  it('tells the type of each line, also of two that have the same seq', () => {
    const first = lineOf(0, 'a.first', BEGINNING);
    const mine = lineOf(1, 'a.mine', first.xxh64);
    const last = lineOf(2, 'a.last', mine.xxh64);
    const theirs = lineOf(1, 'b.theirs', first.xxh64);
    const other = lineOf(2, 'b.other', theirs.xxh64);
    const bytes = Buffer.concat([first, mine, last, theirs, other].map((line) => line.bytes));
    const cursor = openCursor(sourceOf(bytes), { isBeingWritten: () => false });
    const story: string[] = [];
    for (let step = cursor.next(); step !== 'end'; step = cursor.next()) {
      story.push(step === 'line' ? `${cursor.line.seq} ${cursor.line.type}` : cursor.damage.kind);
    }
    expect(story).toEqual(['0 a.first', '1 a.mine', '2 a.last', 'duplicate', '1 b.theirs', '2 b.other']);
  });
});

const SHAPE = { integers: ['tokens.count'], strings: ['callId'], skipped: 'result.llmContent' };

const finished = fc.record({
  callId: fc.stringMatching(/^[a-z0-9-]{1,40}$/),
  result: fc.record({
    llmContent: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.nat(3000).map((length) => 'x'.repeat(length)),
      fc.constantFrom('"},"', '\\', '"},"tokens":{"count":1', '\n{"seq":1,"ts":"'),
    ),
  }),
  tokens: fc.record({ count: fc.nat(), method: fc.constantFrom('counted', 'unknown') }),
  status: fc.constant('ok'),
});
const journals = fc.array(finished, { minLength: 1, maxLength: 25 });

describe('readings that take turns', () => {
  it('each find what JSON.parse finds in their own journal, while lines are written between', () => {
    fc.assert(
      fc.property(
        fc.array(journals, { minLength: 2, maxLength: 3 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.boolean(),
        (all, turns, chunkBytes, reuse) => {
          const readings = all.map((journal) => {
            const bytes = journalOf(journal);
            const lines = new ForwardLines(sourceOf(bytes), 0, bytes.length, { chunkBytes, reuse });
            const plain = bytes
              .toString()
              .trimEnd()
              .split('\n')
              .map((text) => JSON.parse(text) as { data: JsonObject });
            return {
              reading: new JournalReading(lines, new Examiner()),
              form: formOf(journal[0]!, SHAPE)!,
              plain,
              seq: 0,
            };
          });
          for (let turn = 0; readings.some(({ plain, seq }) => seq < plain.length); turn += 1) {
            const next = readings[turns[turn % turns.length]! % readings.length]!;
            // A turn that is nobody's goes to somebody who has something left.
            const one = next.seq < next.plain.length ? next : readings.find(({ plain, seq }) => seq < plain.length)!;
            expect(one.reading.next()).toBe('holds');
            expect(one.reading.positions.seq).toBe(one.seq);
            const { data } = one.plain[one.seq]!;
            lineOf(turn, 'c.written', BEGINNING, { text: 'between '.repeat(turn % 40) });
            const found = one.form.read(one.reading.data(), 0);
            if (found !== undefined) expect(found).toEqual({ ...data, result: { llmContent: '' } });
            if (isLike(data, one.plain[0]!.data)) expect(found).toBeDefined();
            one.seq += 1;
          }
          for (const { reading } of readings) expect(reading.next()).toBe('end');
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Whether it must have the other's form: beside what may vary all is the same, and its text is plain. */
function isLike(data: JsonObject, other: JsonObject): boolean {
  const { tokens, result } = data as { tokens: { method: string }; result: { llmContent: string } };
  return /^x*$/.test(result.llmContent) && tokens.method === (other.tokens as { method: string }).method;
}
