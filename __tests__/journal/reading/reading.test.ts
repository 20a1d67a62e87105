// A reading finds many lines at once. It must find what looking at each line alone finds, wherever chunks end and whatever
// stands between.
import fc from 'fast-check';
import { fromHex } from '../../../lib/journal/line/checksum.ts';
import { eventAt, readLine } from '../../../lib/journal/line/codec.ts';
import { LineBuffer } from '../../../lib/journal/line/line-buffer.ts';
import { Examiner } from '../../../lib/journal/reading/examine.ts';
import { ForwardLines } from '../../../lib/journal/reading/lines.ts';
import { JournalReading } from '../../../lib/journal/reading/reading.ts';
import type { Outcome } from '../../../lib/journal/types.ts';

const sourceOf = (bytes: Buffer) => ({
  read: (target: Uint8Array, position: number) => bytes.copy(target, 0, position),
});

/** What a journal says, told by reading it in chunks of this size. */
function inRuns(bytes: Buffer, chunkBytes: number): string[] {
  const examiner = new Examiner();
  const lines = new ForwardLines(sourceOf(bytes), 0, bytes.length, { chunkBytes, reuse: true });
  const reading = new JournalReading(lines, examiner);
  const story: string[] = [];
  for (let step = reading.next(); step !== 'end'; step = reading.next()) {
    if (step === 'holds') {
      const event = eventAt(lines.buffer, reading.positions, lines.offset, lines.end);
      expect(reading.positions.hash).toBe(fromHex(event.xxh64));
      story.push(told({ kind: 'event', event }));
    } else story.push(...examiner.examine(lines, step, lines.count).map(told));
  }
  return story;
}

/** The same, one line after the other. */
function oneByOne(bytes: Buffer): string[] {
  const examiner = new Examiner();
  const lines = new ForwardLines(sourceOf(bytes), 0, bytes.length);
  const story: string[] = [];
  for (let step = lines.next(); step !== 'end'; step = lines.next()) {
    story.push(...examiner.examine(lines, step, lines.count).map(told));
  }
  return story;
}

/** How many lines it passes over, and what it says of the others. */
function inPasses(bytes: Buffer, chunkBytes: number): string[] {
  const examiner = new Examiner();
  const lines = new ForwardLines(sourceOf(bytes), 0, bytes.length, { chunkBytes, reuse: true });
  const reading = new JournalReading(lines, examiner);
  const story: string[] = [];
  for (let step = reading.pass(); step !== 'end'; step = reading.pass()) {
    if (typeof step === 'number') for (let count = 0; count < step; count += 1) story.push('event');
    else story.push(...examiner.examine(lines, step, lines.count).map(told));
  }
  return story.map((text) => (text.startsWith('event') ? 'event' : text));
}

function told(outcome: Outcome): string {
  if (outcome.kind === 'damage') return JSON.stringify(outcome.damage);
  const { seq, type, turn, id, offset, end, xxh64, prev, data } = outcome.event;
  return `event ${JSON.stringify({ seq, type, turn, id, offset, end, xxh64, prev, data })}`;
}

interface Sample {
  readonly text: string;
  readonly turn: number | undefined;
  readonly id: string | undefined;
  readonly ending: string;
}

const samples = fc.array(
  fc.record<Sample>({
    text: fc.string({ unit: 'grapheme', maxLength: 40 }),
    turn: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    id: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
    // What stands behind the line's own LF.
    ending: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 40 }).map((length) => `${'g'.repeat(length)}\n`),
    ),
  }),
  { maxLength: 30 },
);

function journalOf(lines: readonly Sample[]): Buffer {
  const buffer = new LineBuffer();
  let prev = '0'.repeat(16);
  const parts = lines.map(({ text, turn, id, ending }, seq) => {
    const start = buffer.length;
    prev = buffer.add(
      { seq, ts: '2026-11-21T20:49:00.123Z', type: 'a.b', turn, id, json: JSON.stringify({ text }) },
      prev,
    );
    return Buffer.concat([buffer.bytes.subarray(start), Buffer.from(ending)]);
  });
  return Buffer.concat(parts);
}

describe('a reading', () => {
  it('finds in runs what looking at each line finds, wherever chunks end', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 2000 }), (lines, chunkBytes) => {
        const bytes = journalOf(lines);
        const expected = oneByOne(bytes);
        expect(inRuns(bytes, chunkBytes)).toEqual(expected);
        expect(inPasses(bytes, chunkBytes)).toEqual(
          expected.map((text) => (text.startsWith('event') ? 'event' : text)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('also where any byte was changed, or the end is missing', () => {
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: 1, max: 2000 }),
        fc.nat(),
        fc.nat(255),
        fc.nat(),
        (lines, chunk, at, byte, cut) => {
          const whole = journalOf(lines);
          const bytes = whole.subarray(0, whole.length - (cut % (whole.length + 1)) * (cut % 2));
          if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const expected = oneByOne(bytes);
          expect(inRuns(bytes, chunk)).toEqual(expected);
          expect(inPasses(bytes, chunk)).toEqual(expected.map((text) => (text.startsWith('event') ? 'event' : text)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('goes on behind a line that is longer than what is looked at together, and two readings do not disturb each other', () => {
    const long = { text: 'x'.repeat(5 * 1024 * 1024), turn: undefined, id: undefined, ending: '' } as const;
    const short = { ...long, text: 'y' };
    const bytes = journalOf([short, long, short, short]);
    expect(inRuns(bytes, 256 * 1024)).toEqual(oneByOne(bytes));

    const readings = [bytes, journalOf(Array.from({ length: 5000 }, () => short))].map((journal) => {
      const lines = new ForwardLines(sourceOf(journal), 0, journal.length, { reuse: true });
      return { lines, reading: new JournalReading(lines, new Examiner()), seqs: [] as number[] };
    });
    for (let round = 0; round < 5000; round += 1) {
      for (const { lines, reading, seqs } of readings) {
        const step = reading.next();
        if (step === 'holds') seqs.push(eventAt(lines.buffer, reading.positions, lines.offset, lines.end).seq);
        else if (step === 'line') {
          const alone = readLine(lines.buffer, lines.start, lines.stop, lines.offset, lines.end)!;
          reading.examiner.examine(lines, step, lines.count);
          seqs.push(alone.seq);
        }
      }
    }
    expect(readings[0]!.seqs).toEqual([0, 1, 2, 3]);
    expect(readings[1]!.seqs).toEqual(Array.from({ length: 5000 }, (_, seq) => seq));
  });
});
