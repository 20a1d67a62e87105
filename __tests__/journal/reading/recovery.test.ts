// The recovery table, row by row: what reading says, and what opening for writing does.
import { Chain, RECOVERY_TABLE, WRITING_ACTIONS } from '../../../lib/journal/reading/recovery.ts';
import type { DamageKind } from '../../../lib/journal/types.ts';
import { readByOthers } from '../other-readers.ts';
import {
  append,
  checksumOf,
  cut,
  damageOf,
  doubled,
  edit,
  eventsOf,
  flip,
  journalDisk,
  line,
  linesOf,
  readEverywhere,
  sampleJournal,
  startOf,
  story,
  swapped,
  welded,
  withCrLf,
  withMark,
  without,
  zero,
  zeros,
} from '../surgery.ts';

const whole = sampleJournal(); // seq 0 to 5
const reading = async (bytes: Buffer) => await readEverywhere(journalDisk(bytes).reader());
const damageIn = (bytes: Buffer) => damageOf(journalDisk(bytes).reader().outcomes());

/** Opens for writing, appends, closes; reports the lines after that. */
async function writing(bytes: Buffer) {
  const disk = journalDisk(bytes);
  const writer = await disk.openWriter();
  await writer.append({ type: 'message.added', data: { text: 'behind it' } });
  await writer.close();
  const story = await readEverywhere(disk.reader());
  // Opening once more finds nothing that the first opening should have done.
  const again = await disk.openWriter();
  await again.close();
  expect(again.report.recovered).toBeUndefined();
  return { disk, report: writer.report, story, bytes: disk.bytes() };
}

describe('the table of damage and recovery', () => {
  it('has a row for every kind of damage', () => {
    const kinds: Record<DamageKind, true> = {
      unterminated: true,
      'torn-tail': true,
      'zero-tail': true,
      'bad-checksum': true,
      'not-json': true,
      'nul-run': true,
      welded: true,
      gap: true,
      fork: true,
      duplicate: true,
      edited: true,
      oversize: true,
      'bad-seal': true,
    };
    expect(Object.keys(WRITING_ACTIONS).sort()).toEqual(Object.keys(kinds).sort());
    expect(Object.keys(RECOVERY_TABLE).join('')).toBe('ABCDEFGHIJKL');
  });

  describe('A: a valid line', () => {
    it('is an event', async () => expect(await reading(whole)).toBe('0 1 2 3 4 5'));
    it('is continued', async () => {
      const { report, story, bytes } = await writing(whole);
      expect(report).toEqual({ damage: [], recovered: undefined, clean: false, epoch: 1, anchored: false });
      expect(story).toBe('0 1 2 3 4 5 6 7');
      expect(bytes.subarray(0, whole.length)).toEqual(whole);
      await readByOthers(bytes);
    });
  });

  describe('B: a last line without LF', () => {
    const torn = cut(whole, whole.length - 1);
    it('is an event, and reported', async () => {
      expect(await reading(torn)).toBe('0 1 2 3 4 unterminated 5');
      expect(damageIn(torn)[0]).toMatchObject({ offset: startOf(whole, 5), line: 6, seq: 5 });
    });
    it('receives its LF', async () => {
      const { story, bytes, report } = await writing(torn);
      expect(story).toBe('0 1 2 3 4 5 6 7');
      expect(report.recovered).toBeUndefined();
      await readByOthers(bytes);
    });
  });

  describe('C: a torn tail', () => {
    const tail = '{"seq":6,"ts":"2026-01-01T00:00:06.000Z","type":"mess';
    const torn = append(whole, tail);
    it('is reported', async () => {
      expect(await reading(torn)).toBe('0 1 2 3 4 5 torn-tail');
      expect(damageIn(torn)[0]).toMatchObject({ offset: whole.length, length: tail.length, line: 7, seq: 6 });
    });
    it('goes to quarantine, and the journal continues after its last whole line', async () => {
      const { disk, report, story, bytes } = await writing(torn);
      expect(story).toBe('0 1 2 3 4 5 6 7 8');
      expect(report.recovered).toMatchObject({ kind: 'torn-tail', offset: whole.length, length: tail.length });
      expect(disk.quarantined().map(String)).toEqual([tail]);
      const [recovered] = eventsOf(disk.reader().outcomes()).slice(6);
      expect(recovered).toMatchObject({ type: 'journal.recovered', data: report.recovered });
      expect(report.recovered?.quarantine).toMatch(/^patient\.\d+\.[0-9a-f]{8}\.bin$/);
      await readByOthers(bytes);
    });
    it('is cut off after a whole line whose LF it replaced', async () => {
      const torn = flip(whole, whole.length - 1, 6);
      expect(await reading(torn)).toBe('0 1 2 3 4 5 torn-tail');
      expect((await writing(torn)).story).toBe('0 1 2 3 4 5 6 7 8');
    });
    it('that ends inside data with the end of a copied line is not an event', async () => {
      const copy = linesOf(whole)[3]!.toString().trim();
      const torn = append(cut(whole, startOf(whole, 3)), `{"seq":3,"ts":"x","type":"a.b","data":{"copy":${copy}`);
      expect(await reading(torn)).toBe('0 1 2 torn-tail');
    });
  });

  describe('D: NUL bytes at the end', () => {
    it('are reported', async () => expect(await reading(append(whole, zeros(4096)))).toBe('0 1 2 3 4 5 zero-tail'));
    it('go to quarantine', async () => {
      const { disk, story } = await writing(append(whole, zeros(4096)));
      expect(story).toBe('0 1 2 3 4 5 6 7 8');
      expect(disk.quarantined()).toEqual([zeros(4096)]);
    });
    it('after a torn line go to quarantine with it', async () => {
      expect(await reading(append(cut(whole, whole.length - 9), zeros(50)))).toBe('0 1 2 3 4 torn-tail');
    });
    it('in the place of the last LF do not hide the line before them', async () => {
      const bytes = append(cut(whole, whole.length - 1), zeros(512));
      expect(await reading(bytes)).toBe('0 1 2 3 4 5 zero-tail');
      expect((await writing(bytes)).story).toBe('0 1 2 3 4 5 6 7 8');
    });
  });

  describe('E: a bad last line', () => {
    const bad = flip(whole, whole.length - 100);
    it('is reported', async () => expect(await reading(bad)).toBe('0 1 2 3 4 bad-checksum'));
    it('stays, and is the only damage once the journal continues after it', async () => {
      const { report, story, bytes } = await writing(bad);
      expect(report.damage.map(({ kind }) => kind)).toEqual(['bad-checksum']);
      expect(story).toBe('0 1 2 3 4 bad-checksum 6 7');
      expect(bytes.subarray(0, bad.length)).toEqual(bad);
    });
    it('keeps its seq from being used again', async () => {
      const noSeq = flip(whole, startOf(whole, 5) + 3);
      expect((await writing(noSeq)).story).toBe('0 1 2 3 4 bad-checksum 5 6');
      const wrongSeq = flip(whole, startOf(whole, 5) + 7, 1);
      expect((await writing(wrongSeq)).story).toBe('0 1 2 3 4 bad-checksum 8 9');
    });
    it('keeps its seq from being used again even if an old line follows it', async () => {
      const bytes = append(bad, linesOf(whole)[1]!);
      expect((await writing(bytes)).story).toBe('0 1 2 3 4 bad-checksum duplicate 1 6 7');
    });
  });

  describe('F: a bad line in the middle', () => {
    const at = startOf(whole, 2) + 90;
    it.each([
      ['a flipped bit', flip(whole, at), 'bad-checksum'],
      ['a line of something else', edit(whole, (lines) => lines.with(2, Buffer.from('oops\n'))), 'not-json'],
      ['JSON that is not a line', edit(whole, (lines) => lines.with(2, Buffer.from('{"a":1}\n'))), 'bad-checksum'],
      ['zeros', zero(whole, at, 20), 'nul-run'],
    ])('%s is skipped and reported', async (_what, bytes, kind) => {
      expect(await reading(bytes)).toBe(`0 1 ${kind} 3 4 5`);
      expect(damageIn(bytes)[0]).toMatchObject({ offset: startOf(whole, 2), line: 3 });
    });
    it('that contains several lines is reported once', async () => {
      const hole = zero(whole, startOf(whole, 1) + 5, startOf(whole, 4) - startOf(whole, 1) - 5);
      expect(await reading(hole)).toBe('0 nul-run 4 5');
    });
    it('does not hide the loss of lines after it', async () => {
      expect(await reading(without(flip(whole, startOf(whole, 1) + 90), 2))).toBe('0 bad-checksum gap 3 4 5');
    });
    it('is never changed', async () => {
      const bytes = flip(whole, at);
      const { story, ...after } = await writing(bytes);
      expect(story).toBe('0 1 bad-checksum 3 4 5 6 7');
      expect(after.bytes.subarray(0, bytes.length)).toEqual(bytes);
    });
    it('with the right checksum is not an event', async () => {
      const forged = line({ seq: 2, ts: 5, type: 'a.b', data: {}, prev: checksumOf(linesOf(whole)[1]!) });
      expect(await reading(edit(whole, (lines) => lines.with(2, forged)))).toBe('0 1 not-json 3 4 5');
    });
  });

  describe('G: welded lines', () => {
    it('are both events when only the LF is missing', async () => {
      expect(await reading(welded(whole, 2))).toBe('0 1 welded 2 3 4 5');
      expect(await reading(welded(whole, 2, 'garbage'))).toBe('0 1 welded 2 3 4 5');
    });
    it('are reported as NUL bytes if those are between them', async () => {
      expect(await reading(welded(whole, 2, '\0\0'))).toBe('0 1 nul-run 2 3 4 5');
    });
    it('are reported with the number that can be read in the lost bytes', async () => {
      const torn = edit(whole, (lines) => lines.with(4, Buffer.concat([lines[4]!.subarray(0, 40), lines[1]!])));
      expect(damageIn(torn)[0]).toMatchObject({ kind: 'welded', seq: 4 });
      expect((await writing(cut(torn, startOf(torn, 5)))).story).toBe('0 1 2 3 welded duplicate 1 5 6');
    });
    it('of which one is torn keep the whole one', async () => {
      const torn = edit(whole, (lines) => lines.toSpliced(3, 0, lines[3]!.subarray(0, 60)));
      expect(await reading(torn)).toBe('0 1 2 welded 3 4 5');
    });
    it('at the end without an LF are continued', async () => {
      const torn = append(cut(whole, startOf(whole, 5)), '{"seq":5,"ts":"', linesOf(whole)[5]!.subarray(0, -1));
      expect(await reading(torn)).toBe('0 1 2 3 4 welded 5 unterminated');
      expect((await writing(torn)).story).toBe('0 1 2 3 4 welded 5 6 7');
    });
    it('are not searched for inside data', async () => {
      const copies = linesOf(sampleJournal(9))
        .slice(6)
        .map((copy) => JSON.parse(copy.toString()) as object);
      const prev = checksumOf(linesOf(whole)[5]!);
      const holder = line({ seq: 6, ts: '2026-01-01T00:00:06.000Z', type: 'tool.finished', data: { copies }, prev });
      const bytes = append(whole, holder);
      expect(await reading(bytes)).toBe('0 1 2 3 4 5 6');
      expect(await reading(flip(bytes, whole.length + 20))).toBe('0 1 2 3 4 5 bad-checksum');
    });
    it('with many beginnings and ends are read in linear time', async () => {
      const start = '{"seq":9,"ts":"2026-01-01T00:00:06.000Z",';
      const stop = ',"xxh64":"0123456789abcdef"}';
      const hostile = `${start.repeat(5_000)}${stop.repeat(5_000)}\n`;
      expect(await reading(append(whole, hostile))).toBe('0 1 2 3 4 5 bad-checksum');
    });
  });

  describe('H: valid lines out of order', () => {
    it.each([
      ['a missing line', without(whole, 2), '0 1 gap 3 4 5'],
      ['a missing first line', without(whole, 0), 'gap 1 2 3 4 5'],
      ['a doubled line', doubled(whole, 2), '0 1 2 duplicate 2 3 4 5'],
      ['a doubled block', doubled(whole, 2, 3), '0 1 2 3 4 duplicate 2 3 4 5'],
      ['swapped lines', swapped(whole, 2), '0 1 gap 3 2 4 5'],
    ])('%s is reported once, and every line is an event', async (_what, bytes, story) => {
      expect(await reading(bytes)).toBe(story);
    });
    it('a line of a different journal is reported once', async () => {
      const foreign = linesOf(sampleJournal(30))[20]!;
      expect(await reading(edit(whole, (lines) => lines.toSpliced(3, 0, foreign)))).toBe('0 1 2 gap 20 3 4 5');
    });
    it('a line that was changed together with its checksum is detected at the next one', async () => {
      const { prev } = JSON.parse(linesOf(whole)[2]!.toString()) as { prev: string };
      const forged = line({
        seq: 2,
        ts: '2026-01-01T00:00:02.000Z',
        type: 'message.added',
        data: { text: 'never' },
        prev,
      });
      expect(await reading(edit(whole, (lines) => lines.with(2, forged)))).toBe('0 1 2 fork 3 4 5');
    });
    it('the journal continues with a seq above every existing one', async () => {
      expect((await writing(without(whole, 2))).story).toBe('0 1 gap 3 4 5 6 7');
      const foreign = linesOf(sampleJournal(30))[20]!;
      const spliced = edit(whole, (lines) => lines.toSpliced(3, 0, foreign));
      expect((await writing(spliced)).story).toBe('0 1 2 gap 20 3 4 5 21 22');
    });
  });

  describe('I: a journal saved by an editor', () => {
    it('CRLF: every line is an event and reported', async () => {
      expect(await reading(withCrLf(whole))).toBe('edited 0 edited 1 edited 2 edited 3 edited 4 edited 5');
    });
    it('a byte order mark and blank lines are reported', async () => {
      expect(await reading(withMark(whole))).toBe('edited 0 1 2 3 4 5');
      expect(await reading(edit(whole, (lines) => lines.toSpliced(2, 0, Buffer.from('\n'), Buffer.from('\r\n'))))).toBe(
        '0 1 edited edited 2 3 4 5',
      );
    });
    it.each([withCrLf(whole), withMark(whole), append(whole, '\n')])('is not written to', async (bytes) => {
      const disk = journalDisk(bytes);
      await expect(disk.openWriter()).rejects.toMatchObject({
        code: 'JOURNAL_EDITED',
        hint: expect.stringContaining('ollm repair patient'),
      });
      expect(disk.bytes()).toEqual(bytes);
      expect(disk.reader().isBeingWritten()).toBe(false);
    });
  });

  describe('J: unknown types and members', () => {
    const last = checksumOf(linesOf(whole)[5]!);
    const envelope = { seq: 6, ts: '2026-01-01T00:00:06.000Z', prev: last };
    it('an unknown type is an event', async () => {
      const bytes = append(whole, line({ ...envelope, type: 'future.thing', data: { a: 1 } }));
      expect(await reading(bytes)).toBe('0 1 2 3 4 5 6');
    });
    it('an unknown member is kept byte for byte', async () => {
      const strange = line({ ...envelope, type: 'a.b', trace: { span: 7 }, data: { a: 1 } });
      const bytes = append(whole, strange);
      const { disk, story } = await writing(bytes);
      expect(story).toBe('0 1 2 3 4 5 6 7 8');
      const event = eventsOf(disk.reader().outcomes())[6]!;
      expect(Buffer.from(event.raw).toString()).toBe(strange.toString().trim());
      expect(event.data).toEqual({ a: 1 });
    });
  });

  describe('K: a line over the limit', () => {
    it('is skipped and reported, stays, and its seq is not used again', async () => {
      const giant = append(Buffer.from('{"seq":6,"ts":"'), Buffer.alloc(64 * 1024 * 1024, 'x'), '\n');
      const disk = journalDisk(append(whole, giant));
      expect(story(disk.reader().outcomes())).toBe('0 1 2 3 4 5 oversize');
      const writer = await disk.openWriter();
      await writer.close();
      expect(writer.report.damage).toMatchObject([{ kind: 'oversize', length: giant.length - 1, line: 7, seq: 6 }]);
      expect(story(disk.reader().backwards())).toBe('7 oversize 5 4 3 2 1 0');
      expect(await disk.reader().verify()).toMatchObject({ lines: 8, events: 7, damaged: 1 });
    });
  });
});

describe('reading backwards', () => {
  it.each([
    ['a whole journal', whole, '5 4 3 2 1 0'],
    ['a torn tail', append(whole, '{"seq":'), 'torn-tail 5 4 3 2 1 0'],
    ['a bad line', flip(whole, startOf(whole, 2) + 90), '5 4 3 bad-checksum 1 0'],
    ['a missing line', without(whole, 2), '5 4 3 gap 1 0'],
    ['a missing first line', without(whole, 0), '5 4 3 2 1 gap'],
    ['welded lines', welded(whole, 2), '5 4 3 2 welded 1 0'],
    ['a bad last line before a continued journal', undefined, '7 6 bad-checksum 4 3 2 1 0'],
  ])('reports %s', async (_what, bytes, expected) => {
    const given = bytes ?? (await writing(flip(whole, whole.length - 100))).bytes;
    // The second opening of `writing` is one line more.
    const told = story(journalDisk(given).reader().backwards());
    expect(bytes ? told : told.replace(/^8 /, '')).toBe(expected);
  });
});

describe('a line after unreadable bytes', () => {
  const tip = { seq: 4, xxh64: '4'.repeat(16) };
  const part = { bytes: 300, seq: undefined, xxh64: undefined };

  it.each([
    ['is valid if it names the line before', { seq: 5, prev: tip.xxh64 }, 'holds'],
    ['is valid if its number leaves room for the possible number of lines', { seq: 7, prev: 'a' }, 'holds'],
    ['is a fork if its number leaves no room for a line', { seq: 5, prev: 'a' }, 'fork'],
    ['is a gap if more are missing than there can have been', { seq: 50, prev: 'a' }, 'gap'],
    ['is a double if its number came before', { seq: 4, prev: 'a' }, 'duplicate'],
  ])('%s', (_, { seq, prev }, verdict) => {
    const chain = new Chain(tip);
    chain.addHole(part);
    expect(chain.add({ seq, prev, xxh64: 'b' })).toBe(verdict);
  });
});
