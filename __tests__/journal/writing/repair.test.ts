import { repairJournal } from '../../../lib/journal/writing/repair.ts';
import { faultyFileSystem } from '../../support/faulty-file-system.ts';
import { readByOthers } from '../other-readers.ts';
import {
  append,
  checksumOf,
  doubled,
  edit,
  flip,
  journalDisk,
  line,
  linesOf,
  sampleJournal,
  startOf,
  swapped,
  welded,
  withCrLf,
  withMark,
  without,
  zeros,
} from '../surgery.ts';

const whole = sampleJournal();
const TARGET = '/s/.repaired';

async function repaired(bytes: Buffer, read: (copy: Buffer) => ReturnType<typeof readByOthers> = readByOthers) {
  const disk = journalDisk(bytes);
  disk.clock.set(Date.UTC(2026, 5, 1));
  const { fileSystem, clock, place } = disk;
  const result = await repairJournal({ fileSystem, clock }, { ...place, target: TARGET, archive: 'old.damaged.jsonl' });
  expect(disk.bytes().equals(bytes)).toBe(true);
  // The copy is on the device, with its name.
  fileSystem.powerCut();
  const copy = disk.bytes(TARGET);
  disk.put(copy);
  const reader = disk.reader();
  expect(await reader.verify()).toMatchObject({ damaged: 0 });
  const lines = await read(copy);
  expect(lines.at(-1)).toMatchObject({
    type: 'journal.repaired',
    data: { archive: 'old.damaged.jsonl', kept: result.kept, findingsTotal: result.findings.length },
  });
  return { ...result, copy, lines };
}

const texts = (lines: readonly { data: Record<string, unknown> }[]) => lines.map(({ data }) => data.text);

describe('repair', () => {
  it('changes no byte of a whole journal, and records itself', async () => {
    const { copy, kept, findings } = await repaired(whole);
    expect(copy.subarray(0, whole.length).toString('latin1')).toBe(whole.toString('latin1'));
    expect({ kept, findings }).toEqual({ kept: 6, findings: [] });
  });

  it.each([
    ['CRLF', withCrLf(whole)],
    ['a byte order mark', withMark(whole)],
    [
      'blank lines',
      append(
        Buffer.from('\n'),
        edit(whole, (lines) => lines.toSpliced(3, 0, Buffer.from('\r\n'))),
      ),
    ],
    ['a missing LF', welded(whole, 2)],
    ['garbage between lines', welded(whole, 2, 'garbage')],
    ['a torn tail', append(whole, '{"seq":6')],
    ['zeros at the end', append(whole, zeros(600))],
    ['a missing last LF', whole.subarray(0, -1)],
    ['swapped lines', swapped(whole, 2)],
    ['a doubled line', doubled(whole, 2)],
    ['a doubled block', doubled(whole, 1, 3)],
  ])('removes %s and keeps every line unchanged', async (_what, bytes) => {
    const { copy, kept, findings } = await repaired(bytes);
    expect(copy.subarray(0, whole.length).toString('latin1')).toBe(whole.toString('latin1'));
    expect(kept).toBe(6);
    expect(findings.length).toBeGreaterThan(0);
  });

  it.each([
    ['a bad line', flip(whole, startOf(whole, 2) + 90)],
    ['a missing line', without(whole, 2)],
  ])('replaces %s by a line, so that the later lines keep their seq', async (_what, bytes) => {
    const { lines, kept } = await repaired(bytes);
    expect(kept).toBe(5);
    const original = await readByOthers(whole);
    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(lines[2]).toMatchObject({ type: 'journal.repaired', data: { kept: 2 } });
    expect(texts(lines).toSpliced(2, 1)).toEqual([...texts(original).toSpliced(2, 1), undefined]);
    expect(lines[5]).toMatchObject({ ts: original[5]!.ts, data: original[5]!.data });
  });

  it('restores good lines between the bad ones of a swapped block, also a displaced first line', async () => {
    const [zero, one, two, three, four, five] = linesOf(whole).map((each) => each.toString('latin1'));
    // The end of line 2 and lines 3 and 4 came before lines 0 and 1 and the beginning of line 2.
    const bytes = Buffer.from(`${two!.slice(70)}${three}${four}${two!.slice(0, 40)}${zero}${one}${five}`, 'latin1');
    const { lines, kept } = await repaired(bytes);
    expect(kept).toBe(5);
    const original = await readByOthers(whole);
    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(lines[2]).toMatchObject({ type: 'journal.repaired' });
    for (const seq of [0, 1, 3, 4, 5]) expect(lines[seq]).toMatchObject({ data: original[seq]!.data });
  });

  it('keeps the order of lines that claim the same number, also if lines were lost', async () => {
    const lost = linesOf(flip(whole, startOf(whole, 2) + 90));
    const claim = { seq: 3, ts: '2026-01-01T00:00:03.000Z', type: 'message.added', data: { text: 'other' } };
    const other = line({ ...claim, prev: 'f'.repeat(16) });
    const inFile = [lost[0]!, lost[1]!, lost[2]!, lost[4]!, lost[5]!, other, lost[3]!];
    // Each line keeps its time, so that times go back here, which the other readers refuse.
    const plainly = async (copy: Buffer) => linesOf(copy).map((each) => JSON.parse(each.toString()));
    const { lines, kept } = await repaired(Buffer.concat(inFile), plainly);
    expect(kept).toBe(6);
    const said = lines.filter(({ type }) => type === 'message.added').map(({ data }) => data.text);
    const original = texts(await readByOthers(whole));
    expect(said).toEqual([original[1], original[4], original[5], 'other', original[3]]);
  });

  it('begins with the first line even if the order of the others is not known', async () => {
    const [zero, , two, three] = linesOf(whole);
    const { prev } = JSON.parse(two!.toString()) as { prev: string };
    const ts = '2026-01-01T00:00:02.000Z';
    const other = line({ seq: 2, ts, type: 'message.added', data: { text: 'other' }, prev });
    const { lines } = await repaired(Buffer.concat([two!, other, three!, zero!]));
    expect(lines[0]).toMatchObject({ seq: 0, type: 'session.created' });
    expect(texts(lines)).toContain('other');
  });

  it('gives a new seq to lines without a place', async () => {
    const foreign = linesOf(sampleJournal(3000))[2902]!;
    const { lines, kept } = await repaired(edit(whole, (lines) => lines.toSpliced(3, 0, foreign)));
    expect(kept).toBe(7);
    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('keeps both lines of a fork', async () => {
    const [, , two] = linesOf(whole);
    const { prev } = JSON.parse(two!.toString()) as { prev: string };
    const other = line({
      seq: 2,
      ts: '2026-01-01T00:00:02.000Z',
      type: 'message.added',
      data: { text: 'other' },
      prev,
    });
    const { lines } = await repaired(edit(whole, (lines) => lines.toSpliced(3, 0, other)));
    expect(texts(lines)).toContain('other');
    expect(lines).toHaveLength(8);
  });

  it('keeps unknown members, even if it must change the chain', async () => {
    const strange = line({
      seq: 6,
      ts: '2026-01-01T00:00:06.000Z',
      type: 'a.b',
      trace: { big: 1 },
      data: { a: 1 },
      prev: checksumOf(linesOf(whole)[5]!),
    });
    const { copy } = await repaired(without(append(whole, strange), 5));
    expect(copy.toString()).toContain('"trace":{"big":1},"data":{"a":1}');
  });

  it('refuses a file without a readable line, and leaves it unchanged', async () => {
    const disk = journalDisk(Buffer.from('nothing\nhere\n'));
    const { fileSystem, clock, place } = disk;
    await expect(
      repairJournal({ fileSystem, clock }, { ...place, target: TARGET, archive: 'a' }),
    ).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
    });
    expect(fileSystem.stat(TARGET)).toBeUndefined();
  });

  it.each([
    ['write', 'ENOSPC', 'JOURNAL_FULL'],
    ['sync', 'EIO', 'JOURNAL_UNREADABLE'],
  ] as const)('that fails at %s leaves no copy', async (call, answer, code) => {
    const disk = journalDisk(without(whole, 2));
    const fileSystem = faultyFileSystem(disk.fileSystem);
    fileSystem.fail({ call, answer });
    const { clock, place } = disk;
    await expect(
      repairJournal({ fileSystem, clock }, { ...place, target: TARGET, archive: 'a' }),
    ).rejects.toMatchObject({
      code,
    });
    expect(disk.fileSystem.stat(TARGET)).toBeUndefined();
  });
});
