// A small journal, cut at every byte and with every bit flipped: nothing wrong is accepted, nothing right is refused,
// and everything acknowledged before the damage is kept, for reading and after opening for writing.
import fc from 'fast-check';
import type { Outcome } from '../../lib/journal/types.ts';
import { readByOthers } from './other-readers.ts';
import {
  append,
  cut,
  damageOf,
  eventsOf,
  flip,
  journalDisk,
  linesOf,
  readEverywhere,
  sampleJournal,
  startOf,
  story,
  zero,
  zeros,
} from './surgery.ts';

const whole = sampleJournal(5);
const lines = linesOf(whole);
const texts = lines.map((line) => line.toString('latin1', 0, line.length - 1));

const rawOf = (outcomes: Outcome[]) =>
  eventsOf(outcomes).map(({ raw }) => Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('latin1'));
const starts = lines.map((_, index) => startOf(whole, index));
/** Which line a byte belongs to. */
const lineAt = (at: number) => starts.findLastIndex((start) => start <= at);
/** As expect().toEqual for texts, without its cost at ten thousand calls. */
function same(place: string, found: readonly string[], expected: readonly string[]): void {
  if (found.join('\n') !== expected.join('\n')) expect([place, found]).toEqual([place, expected]);
}

function sameBytes(place: string, found: Buffer, expected: Buffer): void {
  if (!found.equals(expected)) expect([place, found]).toEqual([place, expected]);
}

describe('a journal cut at every byte', () => {
  it('reads as its whole lines, and reports the torn one', async () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const disk = journalDisk(cut(whole, length));
      const outcomes = [...disk.reader().outcomes()];
      const complete = lines.filter((line, index) => starts[index]! + line.length - 1 <= length).length;
      same(`length ${length}`, rawOf(outcomes), texts.slice(0, complete));
      const ends = lines.some((line, index) => startOf(whole, index) + line.length === length) || length === 0;
      const lacksOnlyLf = whole[length] === 10;
      const kinds = damageOf(outcomes).map(({ kind }) => kind);
      same(`length ${length}`, kinds, ends ? [] : [lacksOnlyLf ? 'unterminated' : 'torn-tail']);
      await readEverywhere(disk.reader());
      same(`length ${length}`, rawOf([...disk.reader().backwards()]), texts.slice(0, complete).reverse());
    }
  });

  it('is whole again after it was opened for writing, and loses no byte', async () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const bytes = cut(whole, length);
      const disk = journalDisk(bytes);
      if (length < lines[0]!.length - 1) {
        await expect(disk.openWriter()).rejects.toMatchObject({ code: 'JOURNAL_EMPTY' });
        sameBytes(`length ${length}`, disk.bytes(), bytes);
        const writer = await disk.create();
        await writer.close();
        expect(disk.quarantined()).toHaveLength(length === 0 ? 0 : 1);
        sameBytes(`length ${length}`, Buffer.concat(disk.quarantined()), bytes);
        expect(await readEverywhere(disk.reader())).toBe('0');
        continue;
      }
      const writer = await disk.openWriter();
      const [receipt] = await writer.append({ type: 'message.added', data: {} }, { durability: 'disk' });
      await writer.close();
      const after = await readByOthers(disk.bytes());
      expect(after.at(-1)!.seq).toBe(receipt!.seq);
      expect(damageOf(disk.reader().outcomes())).toEqual([]);
      const kept = writer.report.recovered?.offset ?? length;
      sameBytes(`length ${length}`, Buffer.concat([disk.bytes().subarray(0, kept), ...disk.quarantined()]), bytes);
    }
  });
});

describe('a journal with any bit flipped', () => {
  const flips = Array.from({ length: whole.length * 8 }, (_, index) => ({ at: index >> 3, bit: index & 7 }));

  it('gives every other line, no further events, and a report', async () => {
    for (const { at, bit } of flips) {
      const disk = journalDisk(flip(whole, at, bit));
      const outcomes = [...disk.reader().outcomes()];
      // A line whose LF was hit is whole, and so is the one after it.
      const hit = whole[at] === 10 ? -1 : lineAt(at);
      same(`byte ${at} bit ${bit}`, rawOf(outcomes), texts.toSpliced(hit, hit < 0 ? 0 : 1));
      // A flip is one finding; a byte that became an LF makes two bad lines of one.
      const findings = damageOf(outcomes);
      const made = flip(whole, at, bit)[at] === 10 ? 2 : 1;
      if (findings.length !== made) throw new Error(`byte ${at} bit ${bit}: ${story(outcomes)}`);
      if (bit === at % 8) {
        await readEverywhere(disk.reader());
        same(`byte ${at} bit ${bit}`, rawOf([...disk.reader().backwards()]), rawOf(outcomes).reverse());
      }
    }
  });

  it('continues with every line that it had, and without further findings', async () => {
    for (const { at, bit } of flips) {
      if ((at + bit) % 3 !== 0) continue;
      const bytes = flip(whole, at, bit);
      const disk = journalDisk(bytes);
      const before = [...disk.reader().outcomes()];
      const writer = await disk.openWriter();
      await writer.append({ type: 'message.added', data: {} });
      await writer.close();
      const after = [...disk.reader().outcomes()];
      same(`byte ${at} bit ${bit}`, rawOf(after).slice(0, eventsOf(before).length), rawOf(before));
      const stays = damageOf(before).filter(({ kind }) => kind !== 'torn-tail');
      if (damageOf(after).length !== stays.length) throw new Error(`byte ${at} bit ${bit}: ${story(after)}`);
      const seqs = eventsOf(after).map(({ seq }) => seq);
      if (new Set(seqs).size !== seqs.length) throw new Error(`byte ${at} bit ${bit}: ${story(after)}`);
      const kept = writer.report.recovered?.offset ?? bytes.length;
      const rest = Buffer.concat([disk.bytes().subarray(0, kept), ...disk.quarantined()]);
      sameBytes(`byte ${at} bit ${bit}`, rest, bytes);
    }
  });
});

describe('a journal with NUL bytes', () => {
  it('at its end, from 1 byte to a page, loses only them', async () => {
    for (const count of [1, 2, 27, 28, 29, 511, 512, 513, 4095, 4096, 8192]) {
      for (const length of [whole.length, whole.length - 1, whole.length - 30, startOf(whole, 3) + 40]) {
        const disk = journalDisk(append(cut(whole, length), zeros(count)));
        const kept = length >= whole.length - 1 ? 5 : length > startOf(whole, 4) ? 4 : 3;
        expect(rawOf([...disk.reader().outcomes()])).toEqual(texts.slice(0, kept));
        const writer = await disk.openWriter();
        await writer.close();
        expect(damageOf(disk.reader().outcomes())).toEqual([]);
        await readByOthers(disk.bytes());
      }
    }
  });

  it('at any place loses only the lines that they overwrite', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 600 }), (from, count) => {
        const bytes = zero(whole, from, Math.min(count, whole.length - from));
        const outcomes = [...journalDisk(bytes).reader().outcomes()];
        const expected = lines.flatMap((line, index) => {
          const start = startOf(whole, index);
          return bytes.subarray(start, start + line.length - 1).equals(line.subarray(0, -1)) ? [texts[index]] : [];
        });
        expect(rawOf(outcomes)).toEqual(expected);
        expect(damageOf(outcomes).length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('arbitrary bytes', () => {
  it('are read to the end by every reader, and every byte is accounted for', async () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(...lines),
      fc.constantFrom('\n', '\r\n', '\0', '{"seq":', '{"seq":3,"ts":"', ',"xxh64":"0123456789abcdef"}'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
        const bytes = append(Buffer.alloc(0), ...parts);
        const disk = journalDisk(bytes);
        await readEverywhere(disk.reader());
        const covered = new Uint8Array(bytes.length);
        for (const outcome of disk.reader().outcomes()) {
          if (outcome.kind === 'event') covered.fill(1, outcome.event.offset, outcome.event.end);
          else covered.fill(1, outcome.damage.offset, outcome.damage.offset + outcome.damage.length + 1);
        }
        expect(covered.indexOf(0)).toBe(-1);
        expect([...disk.reader().backwards()].length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
