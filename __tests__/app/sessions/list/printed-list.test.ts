import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { App } from '../../../../lib/app/app.ts';
import { createApp } from '../../../../lib/app/compose.ts';
import { deleteSession } from '../../../../lib/app/sessions/delete-session.ts';
import { formed, type ListForm } from '../../../../lib/app/sessions/list/list-forms.ts';
import { listSessions, listUnanswered } from '../../../../lib/app/sessions/list/list-sessions.ts';
import { printedList } from '../../../../lib/app/sessions/list/printed-list.ts';
import { readFile } from '../../../../lib/platform/files/io.ts';
import { type FileSystem, systemClock } from '../../../../lib/platform/index.ts';
import { openSession } from '../../../../lib/session/open.ts';
import { OPTIONS, said } from '../../../session/world.ts';
import { appWorld, SESSIONS } from '../../world.ts';
import { happen, INDEX, MINUTE_MS, makeSession, SETTLED, withoutIndex } from '../list-world.ts';

/** Of the line about the directory. */
const STAMP_BYTES = 96;

const make = (app: App, id: string, text?: string) => makeSession(app, id, text, `Title of ${id}`);

/** Sessions that changed a minute ago, and an index of them. */
async function listedWorld(options: Parameters<typeof appWorld>[0] = {}) {
  const world = await appWorld(options);
  for (let number = 0; number < SETTLED; number += 1) {
    await (await make(world.app, `s-${number}`, `Hello “${number}”`)).close('exit');
    world.clock.advance(10);
  }
  world.clock.advance(MINUTE_MS);
  listSessions(world.app);
  world.clock.advance(MINUTE_MS);
  return world;
}

/** What is printed from the index; undefined where it leaves that to others. */
async function fromIndex(app: App, form: ListForm = 'lines', limit?: number): Promise<string | undefined> {
  const read = async (unanswered: Parameters<typeof listUnanswered>[1]) => listUnanswered(app, unanswered);
  const pieces = await printedList(app, { form, limit, read });
  return pieces && Buffer.concat(pieces).toString();
}

/** The same as it is without any index. */
function plainly(app: App, form: ListForm = 'lines', limit?: number): string {
  return formed(form, listSessions(withoutIndex(app), { limit }));
}

/** The app over a disk that tells what is asked of it. */
function watched(app: App): { readonly app: App; readonly asked: string[] } {
  const asked: string[] = [];
  const { fileSystem } = app;
  const tell = (name: 'open' | 'readNames' | 'readNamesBeside', path: string) =>
    void asked.push(`${name} ${path.slice(SESSIONS.length + 1)}`);
  const watching: FileSystem = {
    ...fileSystem,
    open(path, mode, permissions) {
      tell('open', path);
      return fileSystem.open(path, mode, permissions);
    },
    readNames(path) {
      tell('readNames', path);
      return fileSystem.readNames(path);
    },
    readNamesBeside(path) {
      tell('readNamesBeside', path);
      return fileSystem.readNamesBeside(path);
    },
  };
  return { app: { ...app, fileSystem: watching }, asked };
}

async function askedBy(app: App): Promise<readonly string[]> {
  const { app: watching, asked } = watched(app);
  await fromIndex(watching);
  return asked;
}

function put({ fileSystem }: Pick<App, 'fileSystem'>, path: string, content: Uint8Array | string): void {
  if (fileSystem.stat(path)) fileSystem.unlink(path);
  const handle = fileSystem.open(path, 'create', 0o600);
  handle.write(Buffer.from(content as string));
  handle.close();
}

describe('a list that is printed from its index', () => {
  it.each<[ListForm, number | undefined]>([
    ['lines', undefined],
    ['documents', undefined],
    ['lines', 3],
    ['documents', 3],
    ['lines', SETTLED],
    ['documents', 1],
  ])('says the same as one that is made anew: %s, at most %s', async (form, limit) => {
    const { app } = await listedWorld();
    expect(await fromIndex(app, form, limit)).toBe(plainly(app, form, limit));
  });

  it('is the document that JSON.stringify would make', async () => {
    const { app } = await listedWorld();
    const text = (await fromIndex(app, 'documents')) ?? '';
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    expect(JSON.parse(text)).toHaveLength(SETTLED);
  });

  it('opens the index and nothing else', async () => {
    const { app } = await listedWorld();
    await fromIndex(app);
    expect(await askedBy(app)).toEqual(['open .list-index']);
  });

  it('is left to others where there is no index, nothing to print, or a directory that is not ours alone', async () => {
    const { app, fileSystem } = await listedWorld();
    expect(await fromIndex(app, 'lines', 0)).toBeUndefined();
    fileSystem.changeMode(SESSIONS, 0o755);
    expect(await fromIndex(app)).toBeUndefined();
    fileSystem.changeMode(SESSIONS, 0o700);
    expect(await fromIndex({ ...app, mode: 'ephemeral' })).toBeUndefined();
    expect(await fromIndex(app)).toBe(plainly(app));
    fileSystem.unlink(INDEX);
    expect(await fromIndex(app)).toBeUndefined();
  });

  it('is left to others where a quarter of the sessions has changed', async () => {
    const { app } = await listedWorld();
    for (let number = 0; number <= SETTLED / 4; number += 1) {
      const session = await openSession(app.store, `s-${number}`, OPTIONS);
      await session.append(said('user', 'More'));
      await session.close('exit');
    }
    expect(await fromIndex(app)).toBeUndefined();
  });

  it('tells what is open, damaged, encrypted, of an older form, or no journal at all', async () => {
    const keyFile = '/home/me/key';
    const { app, clock, fileSystem, start } = await listedWorld({ env: { OLLM_RETENTION__KEY_FILE: keyFile } });
    await openSession(app.store, 's-3', OPTIONS);
    const damaged = fileSystem.open(`${SESSIONS}/s-4.jsonl`, 'append');
    damaged.write(Buffer.from('{"seq":\n'));
    damaged.close();
    put(app, keyFile, randomBytes(32));
    const sealing: App = await start({ OLLM_RETENTION__ENCRYPT_AT_REST: 'true' });
    await (await make(sealing, 'secret')).close('exit');
    put(app, `${SESSIONS}/bare.json`, '{}');
    fileSystem.makeDirectory(`${SESSIONS}/folder.jsonl`);
    for (let round = 0; round < 2; round += 1) {
      const text = (await fromIndex(app)) ?? '';
      expect(text).toBe(plainly(app));
      expect(text).toMatch(/^s-3\t.*\(open\)$/m);
      expect(text).toMatch(/^s-4\t.*\(damaged\)$/m);
      expect(text).toMatch(/^secret\t.*encrypted$/m);
      expect(text).toMatch(/^bare\t.*older form/m);
      expect(text).toMatch(/^folder\t/m);
      clock.advance(MINUTE_MS);
    }
  });

  it('sees a journal that was put in the place of another, of the same length and with its time', async () => {
    const { app, fileSystem } = await listedWorld();
    await fromIndex(app);
    const path = `${SESSIONS}/s-7.jsonl`;
    const content = Buffer.from(readFile(fileSystem, path));
    put(app, '/home/me/other', Buffer.from(content.toString().replace('Title of s-7', 'Title of s-X')));
    fileSystem.rename('/home/me/other', path);
    fileSystem.unlink(`${SESSIONS}/s-7.state.json`);
    expect(fileSystem.stat(path)?.size).toBe(content.length);
    expect(await fromIndex(app)).toBe(plainly(app));
    // The checksum of that line does not hold any more, and that is what is told.
    expect(await fromIndex(app)).not.toContain('Title of s-7');
  });

  it('keeps what it read for the next one, as soon as that is worth it', async () => {
    const { app, clock } = await listedWorld();
    for (let number = 0; number < 40; number += 1) {
      await (await make(app, `later-${number}`)).close('exit');
      clock.advance(MINUTE_MS);
      expect((await fromIndex(app)) ?? formed('lines', listSessions(app))).toBe(plainly(app));
    }
    const opened = (await askedBy(app)).filter((call) => call.startsWith('open later'));
    expect(opened.length).toBeLessThan(20);
  });

  describe('and the names in its directory', () => {
    it('are not read again where the directory has not changed since', async () => {
      const { app } = await listedWorld();
      expect(await askedBy(app)).toEqual(['open .list-index', 'readNamesBeside ', 'open .list-index']);
      expect(await askedBy(app)).toEqual(['open .list-index']);
    });

    it.each<[string, (app: App) => void]>([
      ['a journal came', (app) => put(app, `${SESSIONS}/foreign.jsonl`, '{"seq":0}\n')],
      ['a session of an older form came', (app) => put(app, `${SESSIONS}/old.json`, '{}')],
      ['a journal went', ({ fileSystem }) => fileSystem.unlink(`${SESSIONS}/s-5.jsonl`)],
      [
        'a journal got another name',
        ({ fileSystem }) => fileSystem.rename(`${SESSIONS}/s-5.jsonl`, `${SESSIONS}/t.jsonl`),
      ],
    ])('are read again where %s', async (_, change) => {
      const { app, clock } = await listedWorld();
      await fromIndex(app);
      change(app);
      for (let round = 0; round < 3; round += 1) {
        expect(await fromIndex(app)).toBe(plainly(app));
        clock.advance(MINUTE_MS);
      }
    });

    it('are read again as long as the directory changed a moment ago', async () => {
      const { app, clock } = await listedWorld();
      put(app, `${SESSIONS}/s-1.json.0123456789abcdef.tmp`, '');
      clock.advance(1999);
      for (let round = 0; round < 2; round += 1) expect(await askedBy(app)).toContain('readNamesBeside ');
      clock.advance(2);
      await fromIndex(app);
      expect(await askedBy(app)).toEqual(['open .list-index']);
    });

    it('are read again where it is not known that the file system dates its directories', async () => {
      const { app } = await listedWorld();
      const space = () => ({ freeBytes: 1e9, totalBytes: 1e9, type: 0x65735546 });
      const elsewhere: App = { ...app, fileSystem: { ...app.fileSystem, space } };
      for (let round = 0; round < 2; round += 1) expect(await askedBy(elsewhere)).toContain('readNamesBeside ');
    });

    it('are read again where the line that spares it is torn, and that line is left behind', async () => {
      const { app, fileSystem } = await listedWorld();
      await fromIndex(app);
      const whole = Buffer.from(readFile(fileSystem, INDEX));
      const stamp = whole.subarray(-STAMP_BYTES);
      put(app, INDEX, Buffer.concat([whole.subarray(0, -STAMP_BYTES), stamp.subarray(0, STAMP_BYTES / 2)]));
      expect(await askedBy(app)).toContain('readNamesBeside ');
      expect(await fromIndex(app)).toBe(plainly(app));
    });

    it('leave no more than a few lines at the end of the index', async () => {
      const { app, clock, fileSystem } = await listedWorld();
      const size = fileSystem.stat(INDEX)!.size;
      for (let round = 0; round < 100; round += 1) {
        put(app, `${SESSIONS}/s-1.lock`, '');
        clock.advance(MINUTE_MS);
        expect(await fromIndex(app)).toBe(plainly(app));
      }
      expect(await askedBy(app)).toEqual(['open .list-index']);
      expect(fileSystem.stat(INDEX)!.size - size).toBeLessThanOrEqual(64 * STAMP_BYTES);
    });

    it('are said of no index but the one that was read', async () => {
      const { app, clock, fileSystem } = await listedWorld();
      await (await make(app, 'later')).close('exit');
      const bytes = readFile(fileSystem, INDEX);
      await deleteSession(app, 'later');
      clock.advance(MINUTE_MS);
      // Somebody else replaces it while we read the names, by one that knows less.
      const meanwhile: FileSystem = {
        ...fileSystem,
        async readNamesBeside(path) {
          const names = fileSystem.readNames(path);
          put(app, INDEX, bytes);
          return names;
        },
      };
      await fromIndex({ ...app, fileSystem: meanwhile });
      expect(fileSystem.stat(INDEX)!.size).toBe(bytes.length);
    });
  });

  it('is right on a real disk, whatever others do there', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ollm-list-'));
    try {
      // Ahead of the disk's, so that nobody has to wait until it has settled.
      const clock = { ...systemClock, now: () => Date.now() + MINUTE_MS };
      const app = await createApp({ env: { HOME: home }, cwd: home, command: 'test', parts: { clock } });
      for (let number = 0; number < SETTLED; number += 1) await (await make(app, `s-${number}`)).close('exit');
      listSessions(app);
      const at = (name: string) => join(app.paths.sessions, name);
      const lastByte = (name: string, byte: string) => {
        const descriptor = openSync(at(name), 'r+');
        writeSync(descriptor, byte, statSync(at(name)).size - 1);
        closeSync(descriptor);
      };
      const changes: readonly (() => void)[] = [
        () => {},
        () => {},
        () => copyFileSync(at('s-1.jsonl'), at('copy.jsonl')),
        () => rmSync(at('copy.jsonl')),
        () => appendFileSync(at('s-2.jsonl'), '{"seq":\n'),
        () => utimesSync(at('s-2.jsonl'), 1, 1),
        // Of the same length and with its time, which only the disk's own time gives away.
        () => {
          const { atime, mtime } = statSync(at('s-3.jsonl'));
          rmSync(at('s-3.state.json'));
          lastByte('s-3.jsonl', ' ');
          utimesSync(at('s-3.jsonl'), atime, mtime);
        },
        () => symlinkSync(at('s-4.jsonl'), at('link.jsonl')),
        () => renameSync(at('s-5.jsonl'), at('s-6.jsonl')),
      ];
      for (const change of changes) {
        // Longer than any disk's clock stands still: that a change is not believed at once is shown above.
        await setTimeout(50);
        change();
        for (const form of ['lines', 'documents'] as const) expect(await fromIndex(app, form)).toBe(plainly(app, form));
      }
      await app.close();
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it('says what there is where sessions come and go while it is made', async () => {
    const { app, fileSystem } = await listedWorld();
    const meanwhile: FileSystem = {
      ...fileSystem,
      async readNamesBeside(path) {
        fileSystem.unlink(`${SESSIONS}/s-2.jsonl`);
        const names = fileSystem.readNames(path);
        fileSystem.unlink(`${SESSIONS}/s-3.jsonl`);
        put(app, `${SESSIONS}/foreign.jsonl`, '{"seq":0}\n');
        return [...names, 'gone.jsonl'].sort();
      },
    };
    const text = await fromIndex({ ...app, fileSystem: meanwhile });
    expect(text?.split('\n')).toHaveLength(SETTLED + 1 - 1);
    expect(await fromIndex(app)).toBe(plainly(app));
  });

  it.each([
    ['in its numbers', 'glances '],
    ['in what it prints', 'lines '],
    ['in an end', 'linesEnds '],
  ])('is not believed where it is damaged %s, and made anew', async (_, section) => {
    const { app, fileSystem } = await listedWorld();
    const good = Buffer.from(readFile(fileSystem, INDEX));
    const table = good.toString('latin1').split('\n')[1] ?? '';
    const words = table.split(' ');
    let offset = good.toString('latin1').indexOf(table) + table.length + 1;
    for (let word = 0; `${words[word]} ` !== section; word += 3) offset += Number(words[word + 1]);
    const bad = Buffer.from(good);
    bad[offset] = bad[offset]! ^ 1;
    put(app, INDEX, bad);
    expect(await fromIndex(app)).toBeUndefined();
    expect(formed('lines', listSessions(app))).toBe(plainly(app));
    expect(Buffer.from(readFile(fileSystem, INDEX)).equals(good)).toBe(true);
  });

  it('never says anything else than one that is made anew', async () => {
    const which = fc.nat({ max: SETTLED - 1 }).map((number) => `s-${number}`);
    const limit = fc.constantFrom(undefined, 1, 5, SETTLED - 1, SETTLED, 1000);
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('talk', 'leave open', 'trash', 'restore', 'purge', 'repair', 'new'),
        id: which,
      }),
      fc.record({ kind: fc.constantFrom('append bytes', 'cut', 'take its place', 'unlink', 'bare'), id: which }),
      fc.record({ kind: fc.constantFrom('crash', 'damage index', 'lose index', 'list'), id: which }),
      fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(0, 1, 1999, 2001, MINUTE_MS) }),
    );
    const look = fc.record({ form: fc.constantFrom<ListForm>('lines', 'documents'), limit });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, look), { maxLength: 8 }), async (steps) => {
        const world = await listedWorld();
        const { app, clock, fileSystem } = world;
        for (const [index, [next, { form, limit }]] of steps.entries()) {
          const count = index + 1;
          const act = async () => {
            if (next.kind === 'wait') return clock.advance(next.ms);
            switch (next.kind) {
              case 'new':
                return (await make(app, `new-${count}`)).close('exit');
              case 'unlink':
                return fileSystem.unlink(`${SESSIONS}/${next.id}.jsonl`);
              case 'bare':
                return put(app, `${SESSIONS}/bare-${count}.json`, '{}');
              case 'damage index':
                return flipBit(app, count);
              case 'list':
                return void listSessions(app);
              default:
                return happen(world, next.kind, next.id, count);
            }
          };
          // What cannot be done now is not done.
          await act().catch(() => {});
          const expected = plainly(app, form, limit);
          expect((await fromIndex(app, form, limit)) ?? formed(form, listSessions(app, { limit }))).toBe(expected);
        }
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});

/** Another bit of the index for each number. */
function flipBit(app: App, number: number): void {
  const bytes = Buffer.from(readFile(app.fileSystem, INDEX));
  const at = (number * 7919) % bytes.length;
  bytes[at] = bytes[at]! ^ 1;
  put(app, INDEX, bytes);
}
