import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { continueSession } from '../../../lib/session/continue.ts';
import { createSession } from '../../../lib/session/create.ts';
import { forkSession } from '../../../lib/session/fork.ts';
import { openSession } from '../../../lib/session/open.ts';
import { pruneStore } from '../../../lib/session/prune.ts';
import { resetSession } from '../../../lib/session/reset.ts';
import { summarize } from '../../../lib/session/summarize.ts';
import { newDerivation } from '../../../lib/stores/sealing/encryption.ts';
import { storeOfSession } from '../../../lib/stores/sealing/sealing-store.ts';
import { seededRandom } from '../../lab/random.ts';
import { type SimulatedDisk, simulatedDisk } from '../../lab/simulated-disk.ts';
import {
  CREATED,
  DIRECTORY,
  dataOf,
  diskWithKey,
  flipped,
  forge,
  KEY,
  KEY_FILE,
  type Line,
  log,
  makeSession,
  outcomesOf,
  PLANTED,
  SYSTEM,
  said,
  storeOf,
  storyOf,
  textsOf,
  withKey,
  write,
} from '../../support/sealed-store.ts';

/** Files that contain a word, also as base64 or inside it. */
function filesWith(disk: SimulatedDisk, word: string): string[] {
  const cores = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${word}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [...disk.files()].flatMap(([path, bytes]) => {
    const text = Buffer.from(bytes).toString('latin1');
    return [word, ...cores].some((core) => text.includes(core)) ? [path] : [];
  });
}

describe('an encrypted session', () => {
  it('leaves no readable word of its content on the disk', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    await makeSession(store);
    await storeOfSession(store, 'notes').putBlob(Buffer.from(PLANTED.repeat(9)));
    await resetSession(store, 'notes', { reason: 'reset', keepHistory: true, created: {} });
    await forkSession(store, 'notes', { id: 'other', created: {}, title: PLANTED });
    const session = await openSession(store, 'notes', { log });
    await session.save({ snapshot: 'now' });
    await session.close('exit');
    await store.trash('other');
    // What a torn write leaves goes to quarantine.
    disk.start().fileSystem.open(`${DIRECTORY}/notes.jsonl`, 'append').write(Buffer.from('{"seq":99,"ts'));
    await (await openSession(store, 'notes', { log })).close('exit');
    expect([...disk.files().keys()].map((path) => path.replace(/[0-9a-f]{64}|\d{8}-\d{6}/, 'X'))).toEqual(
      expect.arrayContaining([
        `${DIRECTORY}/notes.state.json`,
        `${DIRECTORY}/archive/notes.X.reset.jsonl`,
        `${DIRECTORY}/blobs/X`,
      ]),
    );
    expect([...disk.files().keys()].some((path) => path.includes('/quarantine/'))).toBe(true);
    expect(filesWith(disk, PLANTED)).toEqual([]);
    expect(await textsOf(store)).toEqual([SYSTEM.text, PLANTED]);
  });

  it('would be found by that search without encryption', async () => {
    const disk = simulatedDisk();
    await makeSession(storeOf(disk));
    expect(filesWith(disk, PLANTED)).toEqual(expect.arrayContaining([`${DIRECTORY}/notes.jsonl`]));
  });

  it('continues from its state file, with the key, in a different process', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const session = await openSession(storeOf(disk, { keyFile: KEY_FILE }), 'notes', { log });
    expect(session.report.notices).toEqual([]);
    expect(session.states.summary).toMatchObject({ title: PLANTED, cwd: CREATED.cwd });
    await session.append(said('and more'));
    await session.close('exit');
    expect(await textsOf(storeOf(disk, { keyFile: KEY_FILE }))).toEqual([SYSTEM.text, PLANTED, 'and more']);
  });

  it('has documents whose beginning can be read like the whole', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const store = storeOf(disk, { keyFile: KEY_FILE });
    const session = await openSession(store, 'notes', { log });
    const text = (await store.readDocument('notes', 'state'))!;
    expect(await store.readDocument('notes', 'state', 50)).toBe(text.slice(0, 50));
    await session.close('exit');
  });

  it('continues equally without its state file, and reports a line that its key does not open', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two']);
    const withIt = await openSession(storeOf(disk, withKey), 'notes', { log });
    const { summary } = structuredClone(withIt.states);
    await withIt.writer.close();
    await storeOf(disk).removeDocument('notes', 'state');
    const whole = await openSession(storeOf(disk, withKey), 'notes', { log });
    expect(whole.states.summary).toEqual({ ...summary, timeline: { ...summary.timeline, reachTokens: 0 } });
    expect(whole.report.damage).toEqual([]);
    await whole.writer.close();
    forge(disk, (lines) => {
      dataOf(lines[2]!).sealed = flipped(dataOf(lines[2]!).sealed);
      return lines;
    });
    const damaged = await openSession(storeOf(disk, withKey), 'notes', { log });
    expect(damaged.report.damage).toMatchObject([{ kind: 'bad-seal', seq: 2 }]);
    expect(damaged.states.summary).toMatchObject({ messageCount: 2, lastMessage: { excerpt: 'two' } });
    await damaged.close('exit');
  });

  it('keeps any data of an event', async () => {
    const disk = diskWithKey();
    const writer = await storeOf(disk, withKey).create('notes', CREATED);
    const asked: unknown[] = [];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (data) => {
        await writer.append({ type: 'test.noted', data });
        asked.push(data);
      }),
      { numRuns: 100 },
    );
    await writer.close();
    const found = (await outcomesOf(storeOf(disk, { keyFile: KEY_FILE }).openReader('notes'))).slice(1);
    expect(found.map((outcome) => outcome.kind === 'event' && JSON.stringify(outcome.event.data))).toEqual(
      asked.map((data) => JSON.stringify(data)),
    );
  });

  it('has every event that was on the device after a crash, and opens it', async () => {
    const batch = fc.array(fc.string({ maxLength: 2000 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 6 }),
        batch,
        fc.nat(),
        async (batches, last, seed) => {
          const disk = diskWithKey();
          const writer = await storeOf(disk, withKey).create('notes', CREATED);
          const note = (text: string) => ({ type: 'test.noted', data: { text } });
          for (const texts of batches) await writer.append(texts.map(note), { durability: 'disk' });
          await writer.append(last.map(note));
          disk.crash(seededRandom(seed));
          // The key is elsewhere.
          write(disk, KEY_FILE, KEY);
          const store = storeOf(disk, withKey);
          await (await store.openWriter('notes')).close();
          const found = (await outcomesOf(store.openReader('notes'))).flatMap((outcome) =>
            outcome.kind === 'event' && outcome.event.type === 'test.noted' ? [outcome.event.data.text] : [],
          );
          const asked = [...batches.flat(), ...last];
          expect(found.slice(0, batches.flat().length)).toEqual(batches.flat());
          expect(asked).toEqual(expect.arrayContaining(found));
          expect((await storyOf(store)).filter((each) => each.startsWith('bad-seal'))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses an event that would be too long once it is sealed, and continues', async () => {
    const disk = diskWithKey();
    const writer = await storeOf(disk, withKey).create('notes', CREATED);
    const long = { type: 'test.noted', data: { text: 'x'.repeat(13 * 1024 * 1024) } };
    await expect(writer.append(long)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    await writer.append({ type: 'test.noted', data: { text: 'short' } });
    await writer.close();
    expect(await storyOf(storeOf(disk, withKey))).toEqual(['session.created', 'test.noted']);
  });

  it('stores no different event under an existing id, also in a different process', async () => {
    const disk = diskWithKey();
    const first = await storeOf(disk, withKey).create('notes', CREATED);
    const conflict = { code: 'EVENT_CONFLICT', message: expect.stringContaining('as event 1') };
    await first.append({ ...said('one'), id: 'k' });
    await expect(first.append([said('beside it'), { ...said('two'), id: 'k' }])).rejects.toMatchObject(conflict);
    expect(await first.append({ ...said('one'), id: 'k' })).toMatchObject([{ seq: 1, duplicate: true }]);
    await first.close();
    const second = await storeOf(disk, withKey).openWriter('notes');
    await expect(second.append({ ...said('two'), id: 'k' })).rejects.toMatchObject(conflict);
    await expect(second.append({ ...said('one'), id: 'k', turn: 2 })).rejects.toMatchObject(conflict);
    expect(await second.append({ ...said('one'), id: 'k' })).toMatchObject([{ seq: 1, duplicate: true }]);
    await second.close();
    expect(await textsOf(storeOf(disk, withKey))).toEqual(['one']);
  });

  it('stores no different event under an id from the beginning of a replaced session', async () => {
    const store = storeOf(diskWithKey(), withKey);
    await (await store.create('notes', CREATED)).close();
    await store.replace('notes', {
      suffix: 'old',
      created: () => CREATED,
      async fill(writer) {
        await writer.append({ ...said('one'), id: 'k' });
        await expect(writer.append({ ...said('two'), id: 'k' })).rejects.toMatchObject({ code: 'EVENT_CONFLICT' });
      },
    });
    expect(await textsOf(store)).toEqual(['one']);
  });

  it('seals equal text differently each time', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['yes', 'yes', 'yes']);
    const sealed = String(Buffer.from(disk.files().get(`${DIRECTORY}/notes.jsonl`)!)).match(/"sealed":"[^"]*"/g) ?? [];
    expect(sealed.length).toBeGreaterThanOrEqual(5);
    expect(new Set(sealed.map((text) => text.slice(0, 26))).size).toBe(sealed.length);
  });
});

describe('an encrypted session without its key', () => {
  it('cannot be opened, and the error names the missing key', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const store = storeOf(disk);
    await expect(textsOf(store)).rejects.toThrow(/encrypted, and a key file opens it/);
    await expect(openSession(store, 'notes', { log })).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED' });
    expect(await store.holder('notes')).toBeUndefined();
  });

  it('is listed with its times and without its title', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const { summary, sealed, damaged } = await summarize(storeOf(disk), 'notes');
    expect({ sealed, damaged }).toEqual({ sealed: true, damaged: 0 });
    expect(summary).toMatchObject({ id: 'notes', model: 'm', messageCount: 2, closed: true });
    expect(summary.startTime).toMatch(/^\d{4}-/);
    expect(summary.title).toBeUndefined();
    const plan = await pruneStore(storeOf(disk), { keep: 0, now: Date.now(), dryRun: true });
    expect(plan).toMatchObject({ removed: [{ id: 'notes' }], spared: [] });
  });

  it('is followed by its envelopes, verified, deleted and restored', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const store = storeOf(disk);
    const sealed = await store.openReader('notes').sealed();
    const envelopes = (await Array.fromAsync(sealed!.backwards())).flat();
    expect(envelopes.map((outcome) => outcome.kind === 'event' && outcome.event.type)).toContain('message.added');
    expect(await store.openReader('notes').verify()).toMatchObject({ damaged: 0, events: 4 });
    await store.trash('notes');
    await store.restore('notes');
    expect(await textsOf(storeOf(disk, withKey))).toContain(PLANTED);
  });

  it('is repaired, and opens afterwards', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two', 'three']);
    const path = `${DIRECTORY}/notes.jsonl`;
    const lines = String(Buffer.from(disk.files().get(path)!)).split('\n');
    write(disk, path, Buffer.from([...lines.slice(0, 2), 'no line', ...lines.slice(4)].join('\n')));
    await storeOf(disk).repair('notes');
    expect(await textsOf(storeOf(disk, withKey))).toEqual([SYSTEM.text, 'three']);
  });

  it('loses its attachments when it is purged', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    const session = await createSession(store, { id: 'notes', created: CREATED }, { log });
    const blob = await store.putBlob(Buffer.from(PLANTED), 'notes');
    await session.append({
      ...said(''),
      data: { ...said('').data, parts: [{ type: 'file', name: 'a', mediaType: 'text/plain', blob }] },
    });
    expect(String(Buffer.from((await store.readBlob(blob))!))).toBe(PLANTED);
    await session.close('exit');
    const keyless = storeOf(disk);
    expect(await keyless.readBlob(blob)).toBeUndefined();
    const { entry } = await keyless.trash('notes');
    await keyless.purge(entry);
    expect([...disk.files().keys()].filter((path) => path.includes('/blobs/'))).toEqual([]);
  });
});

describe('a changed line', () => {
  async function forged(change: (lines: Line[]) => Line[]): Promise<string[]> {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two']);
    forge(disk, change);
    expect((await storeOf(disk).openReader('notes').verify()).damaged).toBe(0);
    return await storyOf(storeOf(disk, withKey));
  }
  const whole = ['session.created', 'message.added', 'message.added', 'message.added', 'session.closed'];

  it('is not reported if nothing was changed', async () => expect(await forged((lines) => lines)).toEqual(whole));

  it('does not open after a change of any bit, and the rest does', async () => {
    const story = await forged((lines) => {
      dataOf(lines[2]!).sealed = flipped(dataOf(lines[2]!).sealed);
      return lines;
    });
    expect(story).toEqual(whole.with(2, 'bad-seal 2'));
  });

  it('does not open if it is cut short', async () => {
    const story = await forged((lines) => {
      dataOf(lines[2]!).sealed = String(dataOf(lines[2]!).sealed).slice(0, 24);
      return lines;
    });
    expect(story).toEqual(whole.with(2, 'bad-seal 2'));
  });

  it('does not open in the place of a different one', async () => {
    const story = await forged((lines) => {
      const [second, third] = [lines[2]!.data, lines[3]!.data];
      return lines.with(2, { ...lines[2], data: third }).with(3, { ...lines[3], data: second });
    });
    // The line that is too early, the one that is too late, and the line that is in its place again.
    expect(story).toEqual(whole.with(3, 'bad-seal 3').toSpliced(4, 0, 'bad-seal 4').toSpliced(2, 0, 'bad-seal 2'));
  });

  it('does not open with the number of a different one', async () => {
    const story = await forged((lines) => {
      dataOf(lines[3]!).seq = 9;
      return lines;
    });
    expect(story).toEqual(whole.with(3, 'bad-seal 3'));
  });

  it('does not open with a different type', async () => {
    const story = await forged((lines) => lines.with(2, { ...lines[2], type: 'session.titled' }));
    expect(story).toEqual(whole.with(2, 'bad-seal 2'));
  });

  it('does not count if it was never sealed', async () => {
    const story = await forged((lines) => lines.with(2, { ...lines[2], data: said('trust me').data }));
    expect(story).toEqual(whole.with(2, 'bad-seal 2'));
  });

  it('does not open if it is the first, with a different provider', async () => {
    const story = await forged((lines) => {
      dataOf(lines[0]!).provider = 'evil';
      return lines;
    });
    expect(story).toEqual(whole.with(0, 'bad-seal 0'));
  });

  it('does not open in a different session, not even in a fork of its own', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    await makeSession(store, 'notes', ['one']);
    await forkSession(store, 'notes', { id: 'other', created: {} });
    let taken: Line | undefined;
    forge(disk, (lines) => {
      taken = lines[2];
      return lines;
    });
    forge(disk, (lines) => lines.with(2, { ...lines[2], data: taken!.data }), 'other');
    expect((await storyOf(storeOf(disk, withKey), 'other'))[2]).toBe('bad-seal 2');
  });
});

describe('a line that was cut out of an encrypted session, with numbers and checksums forged', () => {
  const TYPES = [
    ...['message.added', 'context.added', 'context.removed', 'branch.moved', 'turn.started', 'tool.requested'],
    ...['tool.decided', 'tool.finished', 'turn.ended', 'message.added'],
  ];
  const isIn = (types: readonly string[]) => (line: Line) => types.includes(String(line.type));

  /** The rest of such a session after the change, read forwards and backwards. */
  async function forged(
    change: (lines: Line[]) => Line[],
  ): Promise<{ story: string[]; back: string[]; reasons: string[] }> {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    const writer = await store.create('notes', CREATED);
    for (const type of TYPES) await writer.append({ type, data: { text: PLANTED } });
    await writer.close();
    await (await storeOf(disk, withKey).openWriter('notes')).close();
    forge(disk, change);
    expect((await storeOf(disk).openReader('notes').verify()).damaged).toBe(0);
    const later = storeOf(disk, withKey);
    const reader = later.openReader('notes');
    const back = (await Array.fromAsync(reader.backwards())).flat();
    const outcomes = await outcomesOf(reader);
    return {
      story: outcomes.map((each) =>
        each.kind === 'event' ? each.event.type : `${each.damage.kind} ${each.damage.seq}`,
      ),
      back: back.flatMap((each) => (each.kind === 'damage' ? [`${each.damage.kind} ${each.damage.seq}`] : [])),
      reasons: outcomes.flatMap((each) => (each.kind === 'damage' ? [each.damage.reason] : [])),
    };
  }
  const whole = ['session.created', ...TYPES, 'writer.opened'];

  it('is not reported if nothing was cut', async () => expect((await forged((lines) => lines)).story).toEqual(whole));

  it.each<readonly [string, (line: Line, index: number) => boolean, number, string]>([
    ['context.removed', isIn(['context.removed']), 3, '1 line'],
    ['branch.moved', isIn(['branch.moved']), 4, '1 line'],
    ['a message', (_, index) => index === 1, 1, '1 line'],
    ['tool.decided', isIn(['tool.decided']), 7, '1 line'],
    [
      'a whole turn',
      isIn(['turn.started', 'tool.requested', 'tool.decided', 'tool.finished', 'turn.ended']),
      5,
      '5 lines',
    ],
  ])('is detected if it is %s, and no other line is lost', async (_, isCut, at, lines) => {
    const { story, back, reasons } = await forged((all) => all.filter((line, index) => !isCut(line, index)));
    expect(story.filter((each) => !each.startsWith('bad-seal'))).toHaveLength(
      whole.length - Number.parseInt(lines, 10),
    );
    expect(story.flatMap((each, index) => (each.startsWith('bad-seal') ? [[each, index]] : []))).toEqual([
      [`bad-seal ${at}`, at],
    ]);
    expect(back).toEqual([`bad-seal ${at}`]);
    expect(reasons).toEqual([expect.stringContaining(`skip ${lines} before`)]);
  });

  it('is detected as damage when the session is opened for writing', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two']);
    forge(disk, (lines) => lines.toSpliced(2, 1));
    const session = await openSession(storeOf(disk, withKey), 'notes', { log });
    expect(session.report.damage).toMatchObject([{ kind: 'bad-seal', seq: 2 }]);
    expect(session.states.summary).toMatchObject({ messageCount: 2, lastMessage: { excerpt: 'two' } });
    await session.close('exit');
  });

  it.each(['journal.noted', 'journal.sealed', 'writer.opened', 'journal.repaired'])(
    'is detected if its type was changed to %s, so that it is not read',
    async (type) => {
      const { story } = await forged((lines) => lines.with(3, { ...lines[3], type }));
      expect(story).toEqual(whole.with(3, 'bad-seal 3'));
    },
  );

  it('is detected if it was replaced by a line that the journal never writes', async () => {
    const { story } = await forged((lines) => lines.with(3, { ...lines[3], type: 'journal.noted', data: {} }));
    expect(story).toEqual(whole.with(3, 'bad-seal 3'));
  });

  it('is detected if it was replaced by the note of a repair', async () => {
    const data = { archive: 'x', kept: 3, findings: [], findingsTotal: 0 };
    const { story, back } = await forged((lines) => lines.with(3, { ...lines[3], type: 'journal.repaired', data }));
    expect(story).toEqual(whole.with(3, 'journal.repaired').toSpliced(4, 0, 'bad-seal 4'));
    expect(back).toEqual(['bad-seal 4']);
  });

  it('is detected if a line was inserted instead', async () => {
    const data = { epoch: 1, clean: true, pid: 1, host: 'h', command: 'c' };
    const { story, back } = await forged((lines) =>
      lines.toSpliced(3, 0, { ...lines[3], type: 'writer.opened', data }),
    );
    expect(story).toEqual(whole.toSpliced(3, 0, 'bad-seal 3', 'bad-seal 4'));
    expect(back).toEqual(['bad-seal 3', 'bad-seal 4']);
  });

  it('is reported with the repair that left it out', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two', 'three']);
    const path = `${DIRECTORY}/notes.jsonl`;
    const lines = String(Buffer.from(disk.files().get(path)!)).split('\n');
    write(disk, path, Buffer.from([...lines.slice(0, 2), 'no line', ...lines.slice(4)].join('\n')));
    await storeOf(disk).repair('notes');
    const found = await outcomesOf(storeOf(disk, withKey).openReader('notes'));
    expect(found.flatMap((each) => (each.kind === 'damage' ? [each.damage] : []))).toMatchObject([
      { kind: 'bad-seal', reason: expect.stringContaining('skip 2 lines before this one: a repair left them out') },
    ]);
  });

  it('is reported once if a repair left out every other line', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey), 'notes', ['two', 'three', 'four', 'five', 'six']);
    const path = `${DIRECTORY}/notes.jsonl`;
    const lines = String(Buffer.from(disk.files().get(path)!)).split('\n');
    write(disk, path, Buffer.from(lines.filter((_, index) => index !== 2 && index !== 4).join('\n')));
    await storeOf(disk).repair('notes');
    const session = await openSession(storeOf(disk, withKey), 'notes', { log });
    await session.append(said('and more'));
    await session.close('exit');
    const found = await outcomesOf(storeOf(disk, withKey).openReader('notes'));
    expect(found.flatMap((each) => (each.kind === 'damage' ? [each.damage.reason] : []))).toEqual([
      expect.stringContaining('skip 1 line before'),
      expect.stringContaining('skip 1 line before'),
    ]);
    expect(await textsOf(storeOf(disk, withKey))).toEqual([SYSTEM.text, 'three', 'five', 'six', 'and more']);
  });

  it('costs no line that is written after a repair that left out thousands', async () => {
    const disk = diskWithKey();
    const writer = await storeOf(disk, withKey).create('notes', CREATED);
    await writer.append(Array.from({ length: 1200 }, (_, n) => ({ type: 'test.noted', data: { n } })));
    await writer.close();
    const path = `${DIRECTORY}/notes.jsonl`;
    write(
      disk,
      path,
      Buffer.from(
        String(Buffer.from(disk.files().get(path)!))
          .split('\n')
          .toSpliced(2, 1100)
          .join('\n'),
      ),
    );
    await storeOf(disk).repair('notes');
    const later = await storeOf(disk, withKey).openWriter('notes');
    await later.append({ type: 'test.noted', data: { n: 1200 } });
    await later.close();
    const reader = storeOf(disk, withKey).openReader('notes');
    const back = (await Array.fromAsync(reader.backwards())).flat();
    for (const found of [back, await outcomesOf(reader)]) {
      expect(found.filter((each) => each.kind === 'event' && each.event.type === 'test.noted')).toHaveLength(101);
      expect(found.flatMap((each) => (each.kind === 'damage' ? [each.damage.reason] : []))).toEqual([
        expect.stringContaining('skip 1100 lines before'),
      ]);
    }
  });

  it('is never reported for a genuine session, after any operations and crashes', async () => {
    const step = fc.constantFrom('append', 'reopen', 'crash', 'fork', 'reset', 'double', 'tear');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(), async (steps, seed) => {
        const disk = diskWithKey();
        const path = `${DIRECTORY}/notes.jsonl`;
        await makeSession(storeOf(disk, withKey), 'notes', ['one', 'two']);
        const forks: string[] = [];
        for (const [index, each] of steps.entries()) {
          const store = storeOf(disk, withKey);
          if (each === 'append' || each === 'reopen' || each === 'crash') {
            const session = await openSession(store, 'notes', { log });
            if (each !== 'reopen') await session.append(said(`text ${index}`));
            if (each !== 'crash') await session.close('exit');
            else {
              disk.crash(seededRandom(seed + index));
              write(disk, KEY_FILE, KEY);
            }
          } else if (each === 'fork') {
            forks.push(`fork-${index}`);
            await forkSession(store, 'notes', { id: `fork-${index}`, created: {} });
          } else if (each === 'reset') {
            await resetSession(store, 'notes', { reason: 'reset', keepHistory: true, created: {} });
          } else if (each === 'double') {
            const lines = String(Buffer.from(disk.files().get(path)!)).split('\n');
            write(disk, path, Buffer.from(lines.toSpliced(2, 0, lines[1]!).join('\n')));
            await storeOf(disk).repair('notes');
          } else {
            disk.start().fileSystem.open(path, 'append').write(Buffer.from('{"seq":99,"ts'));
          }
        }
        for (const id of ['notes', ...forks]) {
          const reader = storeOf(disk, withKey).openReader(id);
          const back = (await Array.fromAsync(reader.backwards())).flat();
          const found = [...back, ...(await outcomesOf(reader))];
          expect(found.filter((each) => each.kind === 'damage' && each.damage.kind === 'bad-seal')).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a fork of an encrypted session', () => {
  it('is encrypted, with any settings, and outlives its parent', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    await makeSession(store);
    const later = storeOf(disk, { keyFile: KEY_FILE });
    await forkSession(later, 'notes', { id: 'other', created: {} });
    await later.purge((await later.trash('notes')).entry);
    expect(filesWith(disk, PLANTED)).toEqual([]);
    expect(await textsOf(storeOf(disk, withKey), 'other')).toEqual([SYSTEM.text, PLANTED]);
  });
});

describe('a session that continues an encrypted one', () => {
  it('is encrypted, and reads its attachments', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    const session = await createSession(store, { id: 'notes', created: CREATED }, { log });
    const blob = await store.putBlob(Buffer.from(PLANTED), 'notes');
    const parts = [{ type: 'file' as const, name: 'a', mediaType: 'text/plain', blob }];
    await session.append({ ...said(''), data: { ...said('').data, parts } });
    await continueSession(store, session, { id: 'notes-2', created: {} });
    await session.close('exit');
    const later = storeOf(disk, { keyFile: KEY_FILE });
    expect(await storyOf(later, 'notes-2')).toEqual(['session.created', 'message.added', 'session.closed']);
    expect(String(Buffer.from((await later.readBlob(blob))!))).toBe(PLANTED);
    expect(filesWith(disk, PLANTED)).toEqual([]);
  });
});

describe('a passphrase', () => {
  const answers = (...given: readonly (string | undefined)[]) => {
    const questions: string[] = [];
    const left = [...given];
    const ask = (question: string) => {
      questions.push(question);
      return left.shift();
    };
    return { questions, ask };
  };

  it('is asked for twice when a session is created, and once when it is opened', async () => {
    const disk = simulatedDisk();
    const making = answers('correct horse', 'correct horse');
    await makeSession(storeOf(disk, { ask: making.ask, encryptNew: true }));
    expect(making.questions).toHaveLength(2);
    const opening = answers('correct horse');
    expect(await textsOf(storeOf(disk, opening))).toContain(PLANTED);
    expect(opening.questions).toEqual(['Passphrase of session notes: ']);
  });

  it('is asked for again if it is wrong, and then refused', async () => {
    const disk = simulatedDisk();
    await makeSession(storeOf(disk, { ask: answers('correct horse', 'correct horse').ask, encryptNew: true }));
    const wrong = answers('wrong', '', 'wrong again');
    await expect(textsOf(storeOf(disk, wrong))).rejects.toThrow(/this passphrase does not open it/);
    expect(wrong.questions).toHaveLength(3);
    expect(await textsOf(storeOf(disk, answers('wrong', 'correct horse')))).toContain(PLANTED);
  });

  it('creates no session if it is too short, differs the second time, or cannot be asked for', async () => {
    const disk = simulatedDisk();
    const make = (asked: ReturnType<typeof answers>) =>
      makeSession(storeOf(disk, { ask: asked.ask, encryptNew: true }));
    const person = answers('short', 'correct horse', 'battery', 'short', 'x');
    await expect(make(person)).rejects.toMatchObject({ code: 'KEY_WRONG' });
    expect(person.questions).toEqual([
      'New passphrase, of 8 characters or more: ',
      'That has fewer than 8 characters. New passphrase: ',
      'Repeat the passphrase: ',
      'Those were not the same. New passphrase: ',
    ]);
    await expect(make(answers(undefined))).rejects.toMatchObject({ code: 'SESSION_ENCRYPTED' });
    expect(disk.files().has(`${DIRECTORY}/notes.jsonl`)).toBe(false);
  });

  it('opens every session of the process that it fits, next to unencrypted sessions', async () => {
    const disk = simulatedDisk();
    await makeSession(storeOf(disk), 'plain', ['in the open']);
    for (const id of ['one', 'two']) {
      await makeSession(storeOf(disk, { ask: answers('correct horse', 'correct horse').ask, encryptNew: true }), id, [
        id,
      ]);
    }
    const asked = answers('correct horse');
    const store = storeOf(disk, asked);
    for (const [id, text] of [
      ['plain', 'in the open'],
      ['one', 'one'],
      ['two', 'two'],
    ] as const) {
      expect((await textsOf(store, id)).at(-1)).toBe(text);
    }
    expect(asked.questions).toHaveLength(1);
  });

  it('has the present cost parameters', () =>
    expect(newDerivation('passphrase')).toMatchObject({ N: 131_072, r: 8, p: 1 }));
});

describe('a key that is lost or broken', () => {
  const open = (disk: SimulatedDisk) => async () => await textsOf(storeOf(disk, { keyFile: KEY_FILE }));

  it.each<readonly [string, (disk: SimulatedDisk) => void, RegExp]>([
    ['gone', (disk) => disk.start().fileSystem.unlink(KEY_FILE), /is not there: \/home\/key/],
    ['another', (disk) => write(disk, KEY_FILE, randomBytes(32)), /the key file does not open it/],
    ['too short', (disk) => write(disk, KEY_FILE, Buffer.from('secret')), /has 6 bytes/],
    ['open to others', (disk) => disk.start().fileSystem.changeMode(KEY_FILE, 0o644), /can be read by others/],
  ])('is reported for a key file that is %s', async (_, hurt, message) => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    hurt(disk);
    await expect(open(disk)()).rejects.toThrow(message);
  });

  it.each<readonly [string, (encryption: Line) => void, RegExp]>([
    ['is cut short', (encryption) => (encryption.key = 'AAAA'), /its wrapped key is not whole/],
    ['was changed', (encryption) => (encryption.key = flipped(encryption.key)), /the key file does not open it/],
    ['names a different cipher', (encryption) => (encryption.cipher = 'rot13'), /names a cipher/],
    [
      'asks for a cost without end',
      (encryption) =>
        Object.assign(encryption, { by: 'passphrase', kdf: { name: 'scrypt', salt: 'AAAA', N: 2 ** 40, r: 8, p: 1 } }),
      /would cost more than this version pays/,
    ],
  ])('is reported for a wrapped key that %s', async (_, hurt, message) => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const hurtIn = (isHurt: (at: number) => boolean) =>
      forge(disk, (lines) => {
        for (const [at, line] of lines.entries()) {
          const { encryption } = dataOf(line);
          if (encryption !== undefined && isHurt(at)) hurt(encryption as Line);
        }
        return lines;
      });
    const store = () => storeOf(disk, { keyFile: KEY_FILE, ask: () => 'anything' });
    const texts = await textsOf(store());
    // A copy is enough, whichever was changed.
    const whole = disk.files().get(`${DIRECTORY}/notes.jsonl`)!;
    for (const isHurt of [(at: number) => at === 0, (at: number) => at > 0]) {
      hurtIn(isHurt);
      expect(await textsOf(store())).toEqual(expect.arrayContaining(texts.slice(1)));
      write(disk, `${DIRECTORY}/notes.jsonl`, whole);
    }
    hurtIn(() => true);
    await expect(textsOf(store())).rejects.toThrow(message);
  });

  it('is reported if every copy of the wrapped key is damaged', async () => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    const path = `${DIRECTORY}/notes.jsonl`;
    const lines = String(Buffer.from(disk.files().get(path)!)).split('\n');
    write(disk, path, Buffer.from(lines.map((line) => line.replace('"cipher"', '"cIpher"')).join('\n')));
    await expect(open(disk)()).rejects.toThrow(/its lines that hold the wrapped key are damaged/);
  });

  it.each([
    ['zeros', Buffer.alloc(32)],
    ['one byte', Buffer.alloc(64, 7)],
  ])('of only %s in a key file creates no session, and opens an older one', async (_, key) => {
    const disk = diskWithKey();
    await makeSession(storeOf(disk, withKey));
    write(disk, KEY_FILE, key);
    const store = storeOf(disk, withKey);
    await expect(makeSession(store, 'other')).rejects.toThrow(/has one byte again and again/);
    await expect(textsOf(store)).rejects.toThrow(/the key file does not open it/);
  });
});
