import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { App } from '../../../../lib/app/app.ts';
import { deleteSession } from '../../../../lib/app/sessions/delete-session.ts';
import { listSessions, type SessionRow } from '../../../../lib/app/sessions/list/list-sessions.ts';
import { readFile } from '../../../../lib/platform/files/io.ts';
import type { FileSystem } from '../../../../lib/platform/index.ts';
import { openSession } from '../../../../lib/session/open.ts';
import { OPTIONS } from '../../../session/world.ts';
import { appWorld, SESSIONS } from '../../world.ts';
import { happen, INDEX, MINUTE_MS, makeSession, SETTLED, withoutIndex } from '../list-world.ts';

async function worldWithSessions(options: Parameters<typeof appWorld>[0] = {}) {
  const world = await appWorld(options);
  for (let number = 0; number < SETTLED; number += 1)
    await (await makeSession(world.app, `s-${number}`, `Hello ${number}`, `Title ${number}`)).close('exit');
  world.clock.advance(MINUTE_MS);
  return world;
}

/** The list as it is without any index. */
function plainly(app: App): SessionRow[] {
  return listSessions(withoutIndex(app));
}

/** Each of its bytes as a character: there are numbers in it. */
function indexText({ fileSystem }: Pick<App, 'fileSystem'>): string {
  return Buffer.from(readFile(fileSystem, INDEX)).toString('latin1');
}

function replaceIndex({ fileSystem }: Pick<App, 'fileSystem'>, content: string, mode = 0o600): void {
  if (fileSystem.stat(INDEX)) fileSystem.unlink(INDEX);
  const handle = fileSystem.open(INDEX, 'create', mode);
  handle.write(Buffer.from(content, 'latin1'));
  handle.close();
}

/** An index that says something else, so that one sees whether it was believed. */
function forge(app: App): string {
  listSessions(app);
  return indexText(app).replaceAll('Title 7', 'Title X');
}

function titleOf(app: App, id: string): string | undefined {
  return listSessions(app).find((row) => row.id === id)?.summary?.title;
}

describe('the index of a list', () => {
  it('is made by a list that is worth it, for its owner alone, and says what the list says', async () => {
    const { app, fileSystem } = await worldWithSessions();
    const before = plainly(app);
    expect(listSessions(app)).toEqual(before);
    expect(fileSystem.stat(INDEX)).toMatchObject({ kind: 'file', mode: 0o600 });
    expect(fileSystem.readNames(SESSIONS).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(listSessions(app)).toEqual(before);
    expect(listSessions(app, { limit: 3, sort: 'title' })).toEqual(before.toSorted(byTitle).slice(0, 3));
  });

  it('is not made of a few sessions, nor of those that changed a moment ago', async () => {
    const { app, clock, fileSystem } = await appWorld();
    for (let number = 0; number < SETTLED; number += 1) await (await makeSession(app, `s-${number}`)).close('exit');
    clock.advance(1000);
    listSessions(app);
    expect(fileSystem.stat(INDEX)).toBeUndefined();
    clock.advance(MINUTE_MS);
    listSessions(app, { limit: 5 });
    expect(fileSystem.stat(INDEX)).toBeUndefined();
    listSessions(app);
    expect(fileSystem.stat(INDEX)).toBeDefined();
  });

  it('spares the next list the files of the sessions', async () => {
    const { app, fileSystem } = await worldWithSessions();
    listSessions(app);
    // What the rows would be read from is not there any more.
    for (let number = 0; number < SETTLED; number += 1) fileSystem.unlink(`${SESSIONS}/s-${number}.state.json`);
    const opened: string[] = [];
    const watched: FileSystem = {
      ...fileSystem,
      open(path, mode, permissions) {
        opened.push(path);
        return fileSystem.open(path, mode, permissions);
      },
    };
    expect(listSessions({ ...app, fileSystem: watched })).toHaveLength(SETTLED);
    expect(opened).toEqual([INDEX]);
  });

  it.each([
    ['damaged', (text: string) => text.replaceAll('Title 7', 'Title X')],
    ['damaged in the table of its sections', (text: string) => text.replace('closed 20 ', 'closed 21 ')],
    ['damaged in its numbers', (text: string) => text.replaceAll('\x00', '\x01')],
    ['cut off', (text: string) => text.slice(0, -100)],
    ['empty', () => ''],
    ['without a line', () => 'x'],
    ['of another version', (text: string) => text.replace('list-index 2', 'list-index 3')],
    ['made by another fold', (text: string) => text.replace('summary 1', 'summary 0')],
    ['made by another form', (text: string) => text.replace('forms 1', 'forms 0')],
  ])('is not believed where it is %s, and made anew', async (_, change) => {
    const { app } = await worldWithSessions();
    listSessions(app);
    const good = indexText(app);
    replaceIndex(app, change(good));
    expect(titleOf(app, 's-7')).toBe('Title 7');
    expect(indexText(app)).toBe(good);
  });

  it('is not believed where others may read or write it, or where it is no file of its own', async () => {
    const { app, fileSystem } = await worldWithSessions();
    listSessions(app);
    const before = plainly(app);
    fileSystem.changeMode(INDEX, 0o644);
    for (let number = 0; number < SETTLED; number += 1) fileSystem.unlink(`${SESSIONS}/s-${number}.state.json`);
    expect(listSessions(app)).toEqual(before);
    expect(fileSystem.stat(INDEX)?.mode).toBe(0o600);
    fileSystem.link(INDEX, `${SESSIONS}/.list-index.second`);
    expect(listSessions(app)).toEqual(before);
    fileSystem.unlink(INDEX);
    fileSystem.symbolicLink(`${SESSIONS}/.list-index.second`, INDEX);
    expect(listSessions(app)).toEqual(before);
    fileSystem.unlink(INDEX);
    fileSystem.makeDirectory(INDEX);
    expect(listSessions(app)).toEqual(before);
  });

  it('is left alone where the directory takes nothing, and on a network', async () => {
    const { app, fileSystem } = await worldWithSessions();
    const before = plainly(app);
    const onNetwork = { ...fileSystem, space: () => ({ freeBytes: 1e9, totalBytes: 1e9, type: 0x6969 }) };
    expect(listSessions({ ...app, fileSystem: onNetwork })).toEqual(before);
    expect(fileSystem.stat(INDEX)).toBeUndefined();
    fileSystem.changeMode(SESSIONS, 0o500);
    expect(listSessions(app)).toEqual(before);
    fileSystem.changeMode(SESSIONS, 0o700);
    expect(fileSystem.stat(INDEX)).toBeUndefined();
  });

  it('goes with the first session that is removed for good', async () => {
    const { app, fileSystem } = await worldWithSessions();
    listSessions(app);
    await deleteSession(app, 's-7');
    expect(indexText(app)).toContain('Title 7');
    await deleteSession(app, 's-8', { purge: true });
    expect(fileSystem.stat(INDEX)).toBeUndefined();
    listSessions(app);
    expect(indexText(app)).not.toMatch(/Title [78]"/);
  });

  it('does not bring back what is removed for good while a list is being made', async () => {
    const { app, fileSystem } = await worldWithSessions();
    // The other process is through just before the new index gets its name.
    const meanwhile: FileSystem = {
      ...fileSystem,
      rename(from, to) {
        if (to === INDEX) fileSystem.rename(`${SESSIONS}/s-7.jsonl`, '/home/me/gone');
        fileSystem.rename(from, to);
      },
    };
    listSessions({ ...app, fileSystem: meanwhile });
    expect(fileSystem.stat(INDEX)).toBeUndefined();
  });

  it('is whole when two lists write it at once', async () => {
    const { app, fileSystem } = await worldWithSessions();
    const before = plainly(app);
    const meanwhile: FileSystem = {
      ...fileSystem,
      rename(from, to) {
        if (to === INDEX) listSessions(app);
        fileSystem.rename(from, to);
      },
    };
    expect(listSessions({ ...app, fileSystem: meanwhile })).toEqual(before);
    expect(forge(app)).toContain('Title X');
    expect(listSessions(app)).toEqual(before);
  });

  it('holds nothing of an encrypted session, also where its key is there', async () => {
    const keyFile = '/home/me/key';
    const { app, fileSystem, start, clock } = await worldWithSessions({ env: { OLLM_RETENTION__KEY_FILE: keyFile } });
    const key = fileSystem.open(keyFile, 'create', 0o600);
    key.write(randomBytes(32));
    key.close();
    const sealing: App = await start({ OLLM_RETENTION__ENCRYPT_AT_REST: 'true' });
    await (await makeSession(sealing, 'secret', 'the plan', 'Plan B')).close('exit');
    clock.advance(MINUTE_MS);
    const holdingTheKey: App = await start();
    expect(titleOf(holdingTheKey, 'secret')).toBeUndefined();
    await (await openSession(holdingTheKey.store, 'secret', OPTIONS)).close('exit');
    clock.advance(MINUTE_MS);
    fileSystem.unlink(INDEX);
    expect(titleOf(holdingTheKey, 'secret')).toBe('Plan B');
    expect(indexText(app)).toContain('Title 7');
    expect(indexText(app)).not.toMatch(/secret|Plan B|the plan/);
  });

  it('never makes a list say anything else than it says without one', async () => {
    const which = fc.nat({ max: SETTLED - 1 }).map((number) => `s-${number}`);
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('talk', 'leave open', 'trash', 'restore', 'purge', 'repair'), id: which }),
      fc.record({ kind: fc.constantFrom('append bytes', 'cut', 'lose state', 'take its place'), id: which }),
      fc.record({ kind: fc.constantFrom('crash', 'damage index', 'lose index'), id: which }),
      fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(0, 1, 1999, 2001, MINUTE_MS, -MINUTE_MS) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const world = await worldWithSessions();
        const { app, clock } = world;
        for (const [count, next] of steps.entries()) {
          const act = async () => {
            if (next.kind === 'wait') clock.advance(next.ms);
            else if (next.kind === 'damage index') replaceIndex(app, indexText(app).replace('Title', 'Other'));
            else await happen(world, next.kind, next.id, count + 1);
          };
          // What cannot be done now is not done.
          await act().catch(() => {});
          expect(listSessions(app)).toEqual(plainly(app));
        }
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});

function byTitle(a: SessionRow, b: SessionRow): number {
  return (a.summary?.title ?? '') < (b.summary?.title ?? '') ? -1 : 1;
}
