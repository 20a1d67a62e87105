import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { LineBuffer } from '../../../lib/journal/line/buffer.ts';
import { bytesBetweenSeqAndPrev } from '../../../lib/journal/line/codec.ts';
import { forkSession } from '../../../lib/session/fork.ts';
import { openSession } from '../../../lib/session/open.ts';
import { resetSession } from '../../../lib/session/reset.ts';
import { hasOlderSeals, isEncrypted } from '../../../lib/stores/sealing/session-keys.ts';
import { type SimulatedDisk, simulatedDisk } from '../../lab/simulated-disk.ts';
import {
  DIRECTORY,
  dataOf,
  diskWithKey,
  forge,
  KEY,
  KEY_FILE,
  type Line,
  log,
  makeSession,
  outcomesOf,
  said,
  storeOf,
  storyOf,
  textsOf,
  withKey,
  write,
} from '../../support/sealed-store.ts';

const PATH = `${DIRECTORY}/notes.jsonl`;
const OLDER = new URL('../../../fixtures/encrypted/without-version.jsonl', import.meta.url);

const contentOf = (disk: SimulatedDisk, path = PATH) => Buffer.from(disk.files().get(path)!);

/** A session with each kind of line: events with every member, a torn end, another opening. */
async function everyKindOfLine(): Promise<SimulatedDisk> {
  const disk = diskWithKey();
  await makeSession(storeOf(disk, withKey), 'notes', ['one']);
  disk.start().fileSystem.open(PATH, 'append').write(Buffer.from('{"seq":99,"ts'));
  const writer = await storeOf(disk, withKey).openWriter('notes');
  await writer.append({ ...said('two'), turn: 3, id: 'ä "k"' });
  await writer.append({ type: 'test.noted', data: { blob: 'a'.repeat(64) }, ignorable: true });
  await writer.close();
  return disk;
}

/** What a reader with the key reports; a refusal is a report too. */
async function reportOf(disk: SimulatedDisk): Promise<string[]> {
  try {
    return (await storyOf(storeOf(disk, { keyFile: KEY_FILE }))).filter((each) => each.startsWith('bad-seal'));
  } catch (error) {
    return [(error as { code: string }).code];
  }
}

describe('an encrypted line, with its checksum and the chain forged without the key,', () => {
  const TYPES = [
    ...['session.created', 'message.added', 'message.added', 'session.closed', 'journal.recovered', 'writer.opened'],
    ...['message.added', 'test.noted'],
  ];

  it('is whole if nothing was changed', async () => {
    const disk = await everyKindOfLine();
    forge(disk, (lines) => lines);
    expect(await storyOf(storeOf(disk, withKey))).toEqual(TYPES);
  });

  const CHANGES: Readonly<Record<string, (line: Line) => Line>> = {
    'a different time': (line) => ({ ...line, ts: '2001-01-01T00:00:00.000Z' }),
    'a different turn': (line) => ({ ...line, turn: Number(line.turn ?? 0) + 1 }),
    'no turn, or one': (line) => ({ ...line, turn: line.turn === undefined ? 1 : undefined }),
    'a different id': (line) => ({ ...line, id: `${line.id ?? ''}x` }),
    'no id, or one': (line) => ({ ...line, id: line.id === undefined ? 'x' : undefined }),
    'leave to pass it over, or none': (line) => ({ ...line, ignorable: line.ignorable ? undefined : true }),
    'a different type': (line) => ({ ...line, type: `${line.type}x` }),
    'the type of a note': (line) => ({
      ...line,
      type: line.type === 'writer.opened' ? 'journal.recovered' : 'writer.opened',
    }),
    'a member more': (line) => ({ ...line, extra: 1 }),
    'an additional member in its data': (line) => ({ ...line, data: { ...dataOf(line), title: 'of the attacker' } }),
    'a missing member in its data': (line) => {
      const { seq: _seq, ...data } = dataOf(line);
      return { ...line, data };
    },
    'a different host, which is readable': (line) => ({ ...line, data: { ...dataOf(line), host: 'elsewhere' } }),
    'a different number in its data': (line) => ({
      ...line,
      data: { ...dataOf(line), seq: Number(dataOf(line).seq) + 1 },
    }),
    'a different attachment': (line) => ({ ...line, data: { ...dataOf(line), blobs: ['b'.repeat(64)] } }),
    'a different wrapped key': (line) => ({
      ...line,
      data: {
        ...dataOf(line),
        encryption: { ...(dataOf(line).encryption as object | undefined), by: 'key-file', extra: 1 },
      },
    }),
    'its members in a different order': (line) => ({
      ...line,
      data: Object.fromEntries(Object.entries(dataOf(line)).toReversed()),
    }),
    'equivalent base64': (line) => ({ ...line, data: { ...dataOf(line), sealed: `${dataOf(line).sealed}=` } }),
  };

  it.each(Object.entries(CHANGES))('is reported with %s', async (_, change) => {
    const disk = await everyKindOfLine();
    const before = contentOf(disk);
    for (const at of TYPES.keys()) {
      write(disk, PATH, before);
      forge(disk, (lines) => lines.with(at, change(lines[at]!)));
      expect(contentOf(disk).equals(before)).toBe(false);
      expect((await storeOf(disk).openReader('notes').verify()).damaged).toBe(0);
      expect({ at, report: await reportOf(disk) }).not.toEqual({ at, report: [] });
    }
  });

  it('is reported with two exchanged times or ids', async () => {
    const disk = await everyKindOfLine();
    forge(disk, (lines) => lines.with(6, { ...lines[6], id: 'x' }).with(7, { ...lines[7], id: lines[6]!.id }));
    expect(await reportOf(disk)).toEqual(expect.arrayContaining(['bad-seal 6', 'bad-seal 7']));
  });

  it('is reported if the first line no longer says that it is encrypted', async () => {
    const disk = await everyKindOfLine();
    forge(disk, (lines) => {
      const { encryption: _encryption, ...data } = dataOf(lines[0]!);
      return lines.with(0, { ...lines[0], data });
    });
    expect(await reportOf(disk)).toEqual(['bad-seal 0']);
  });

  it('is reported with any byte changed', async () => {
    const disk = await everyKindOfLine();
    const before = contentOf(disk);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 32, max: 126 }), async (lineAt, byteAt, byte) => {
        const lines = String(before)
          .trimEnd()
          .split('\n')
          .map((line) => bytesBetweenSeqAndPrev(Buffer.from(line))!);
        const changed = Buffer.from(lines[lineAt % lines.length]!);
        const at = byteAt % changed.length;
        fc.pre(changed[at] !== byte);
        changed[at] = byte;
        const buffer = new LineBuffer();
        let prev = '0'.repeat(16);
        for (const [seq, line] of lines.with(lineAt % lines.length, changed).entries())
          prev = buffer.addRenumbered(line, seq, prev);
        write(disk, PATH, buffer.bytes);
        const damage = (await storeOf(disk).openReader('notes').verify()).damaged;
        expect(damage > 0 || (await reportOf(disk)).length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is whole in a fork and after a reset', async () => {
    const disk = await everyKindOfLine();
    const store = storeOf(disk, withKey);
    await forkSession(store, 'notes', { id: 'other', created: {} });
    await resetSession(store, 'notes', { reason: 'reset', keepHistory: true, created: {} });
    for (const id of ['notes', 'other']) {
      const story = await storyOf(storeOf(disk, withKey), id);
      expect(story.filter((each) => each.startsWith('bad-seal'))).toEqual([]);
      const copies = String(contentOf(disk, `${DIRECTORY}/${id}.jsonl`)).match(/"encryption":/g) ?? [];
      expect(copies.length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('a damaged first line of an encrypted session', () => {
  it('damages only itself, whichever byte flips', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two']);
    const before = contentOf(disk);
    const texts = await textsOf(storeOf(disk, withKey));
    for (let at = 0; at <= before.indexOf('\n'); at += 1) {
      const bytes = Buffer.from(before);
      bytes[at]! ^= 1 << (at % 8);
      write(disk, PATH, bytes);
      const reader = storeOf(disk, { keyFile: KEY_FILE }).openReader('notes');
      const outcomes = await outcomesOf(reader);
      expect({ at, isReported: outcomes.some(({ kind }) => kind === 'damage') }).toEqual({ at, isReported: true });
      expect(await textsOf(storeOf(disk, { keyFile: KEY_FILE }))).toEqual(texts);
    }
  });

  it('does not prevent continuing, a fork, or a repair', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one']);
    const bytes = contentOf(disk);
    bytes[200]! ^= 1;
    write(disk, PATH, bytes);
    const session = await openSession(storeOf(disk, withKey), 'notes', { log });
    await session.append(said('two'));
    await session.close('exit');
    expect((await textsOf(storeOf(disk, withKey))).slice(1)).toEqual(['one', 'two']);
    // With the key at hand and without it, the session is known for an encrypted one.
    expect(await isEncrypted(storeOf(disk), 'notes')).toBe(true);
    const withTheKey = storeOf(disk, withKey);
    await textsOf(withTheKey);
    expect(await isEncrypted(withTheKey, 'notes')).toBe(true);
    await forkSession(storeOf(disk, withKey), 'notes', { id: 'forked', created: { ollm: '0' } });
    expect((await textsOf(storeOf(disk, withKey), 'forked')).slice(1)).toEqual(['one', 'two']);
    expect(await isEncrypted(storeOf(disk), 'forked')).toBe(true);
    expect(String(contentOf(disk, `${DIRECTORY}/forked.jsonl`))).not.toContain('"one"');
    await storeOf(disk).repair('notes');
    expect((await textsOf(storeOf(disk, withKey))).slice(1)).toEqual(['one', 'two']);
  });
});

describe('a session that was encrypted before seals covered whole lines', () => {
  function older(): SimulatedDisk {
    const disk = simulatedDisk();
    write(disk, KEY_FILE, KEY);
    disk.start().fileSystem.makeDirectory(DIRECTORY, 0o700);
    write(disk, PATH, readFileSync(OLDER));
    return disk;
  }

  it('is read and continued in its own form', async () => {
    const disk = older();
    const store = storeOf(disk, withKey);
    expect(await textsOf(store)).toEqual(['Be brief.', 'one', 'two', 'three']);
    const session = await openSession(store, 'notes', { log });
    expect(session.states.summary).toMatchObject({ title: 'of an older version', cwd: '/home/user' });
    await session.append(said('four'));
    await session.close('exit');
    expect(await textsOf(storeOf(disk, withKey))).toEqual(['Be brief.', 'one', 'two', 'three', 'four']);
    expect(await reportOf(disk)).toEqual([]);
    expect(String(contentOf(disk))).not.toContain('"version"');
  });

  it('has its wrapped key twice once it was continued', async () => {
    const disk = older();
    await (await openSession(storeOf(disk, withKey), 'notes', { log })).close('exit');
    const bytes = contentOf(disk);
    bytes[300]! ^= 1;
    write(disk, PATH, bytes);
    expect(await textsOf(storeOf(disk, withKey))).toEqual(['Be brief.', 'one', 'two', 'three']);
  });

  it('does not open as one of the present form', async () => {
    const disk = older();
    forge(disk, (lines) => {
      Object.assign(dataOf(lines[0]!).encryption as Line, { version: 2 });
      return lines;
    });
    expect(await textsOf(storeOf(disk, withKey))).toEqual([]);
  });

  it('reports a changed type, number and text, and no changed time', async () => {
    const disk = older();
    forge(disk, (lines) => lines.with(3, { ...lines[3], type: 'session.titled' }));
    expect(await reportOf(disk)).toEqual(['bad-seal 3']);
    const other = older();
    forge(other, (lines) => lines.with(3, { ...lines[3], ts: '2026-01-01T00:00:00.001Z' }));
    expect(await reportOf(other)).toEqual([]);
    expect(hasOlderSeals(await storeOf(other).openReader('notes').first())).toBe(true);
    const today = await everyKindOfLine();
    expect(hasOlderSeals(await storeOf(today).openReader('notes').first())).toBe(false);
  });
});
