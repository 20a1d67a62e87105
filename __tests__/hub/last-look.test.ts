// A look at the sessions of other programs that would see the same as the last one is not made again.
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../lib/app/app.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { LookRecorder, seesTheSame } from '../../lib/hub/last-look.ts';
import type { FileSystem } from '../../lib/platform/files/file-system.ts';
import { type SystemErrorCode, systemError } from '../../lib/platform/files/io.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { CLAUDE_FILE, CLAUDE_ID, claudePrompt, lines } from '../support/agent-homes.ts';
import { hubWorld } from './world.ts';

/** By then, no change of now is a recent one. */
const later = () => Date.now() + 10_000;

describe('a look', () => {
  let directory: string;
  const at = (...names: readonly string[]) => join(directory, ...names);
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'look-'));
    mkdirSync(at('sessions'));
    writeFileSync(at('sessions', 'one.jsonl'), 'one');
    mkdirSync(at('disk'));
    symlinkSync('disk', at('middle'));
    symlinkSync('middle', at('linked'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const looked = (startedMs = later()) => {
    const look = new LookRecorder({ fileSystem: nodeFileSystem, env: { HOME: directory } }, startedMs);
    for (const { name } of look.fileSystem.readDirectory(at('sessions'))) look.fileSystem.stat(at('sessions', name));
    look.fileSystem.readDirectory(at('linked'));
    expect(look.fileSystem.stat(at('elsewhere'))).toBeUndefined();
    expect([look.env.HOME, look.env.CODEX_HOME]).toEqual([directory, undefined]);
    return look.stored('1', ['/work']);
  };
  const now = { about: '1', env: {}, project: '/work', fileSystem: nodeFileSystem };
  const isSame = (stored: string | undefined, facts: Partial<Parameters<typeof seesTheSame>[1]> = {}) =>
    seesTheSame(stored!, { ...now, env: { HOME: directory }, ...facts });

  it.each<[string, () => void]>([
    ['a file grew', () => appendFileSync(at('sessions', 'one.jsonl'), ' more')],
    ['a file was rewritten', () => writeFileSync(at('sessions', 'one.jsonl'), 'two')],
    ['a file came', () => writeFileSync(at('sessions', 'two.jsonl'), '')],
    ['a file went', () => rmSync(at('sessions', 'one.jsonl'))],
    ['a directory came that was asked for', () => mkdirSync(at('elsewhere'))],
    ['a directory came into one that a link leads to', () => mkdirSync(at('disk', 'project'))],
    [
      'a link in the middle leads elsewhere',
      () => {
        rmSync(at('middle'));
        symlinkSync('sessions', at('middle'));
      },
    ],
    ['a file may not be read any more', () => chmodSync(at('sessions', 'one.jsonl'), 0)],
  ])('is made again when %s', async (_, change) => {
    const stored = looked();
    expect(isSame(stored)).toBe(true);
    // The clock of a disk ticks slowly.
    await new Promise((resolve) => setTimeout(resolve, 20));
    change();
    expect(isSame(stored)).toBe(false);
  });

  it('is made again if a variable, the project or a different input has changed', () => {
    const stored = looked();
    expect(isSame(stored, { env: { HOME: directory, TERM: 'dumb' } })).toBe(true);
    expect(isSame(stored, { env: { HOME: directory, CODEX_HOME: '/codex' } })).toBe(false);
    expect(isSame(stored, { project: '/other' })).toBe(false);
    expect(isSame(stored, { about: '2' })).toBe(false);
  });

  it('is not stored if a file changed just before it', () => {
    expect(looked(Date.now())).toBeUndefined();
  });
});

describe('a search without hits', () => {
  it('reads no directory of other programs while nothing has changed, and finds each change', async () => {
    const hub = hubWorld();
    const file = join(hub.home, CLAUDE_FILE);
    const prompt = (key: string, text: string) => claudePrompt(key, text, '2026-01-20T10:00:00.000Z');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, lines([prompt('a1', 'How do pelicans land?')]));
    let read: string[] = [];
    let failing: string | undefined;
    let failure: SystemErrorCode = 'EMFILE';
    let onOpen: ((path: string) => void) | undefined;
    const counting = (app: App): App => {
      const fileSystem: FileSystem = {
        ...nodeFileSystem,
        readDirectory(path) {
          read.push(path);
          return nodeFileSystem.readDirectory(path);
        },
        open(path, ...how) {
          onOpen?.(path);
          if (path === failing) throw systemError(failure, 'open', path);
          return nodeFileSystem.open(path, ...how);
        },
      };
      return { ...app, fileSystem, clock: { ...app.clock, now: later } };
    };
    const find = (text: string) =>
      hub.withApp(async (app) => {
        read = [];
        return (await searchSessions(counting(app), { text }, { syncOthersMs: 5_000 })).hits.map(
          ({ address }) => address,
        );
      });
    const ofClaude = () => read.filter((path) => path.startsWith(join(hub.home, '.claude')));
    await hub.withApp((app) => syncSessions(counting(app)));
    expect(ofClaude()).not.toEqual([]);
    expect(await find('heron')).toEqual([]);
    expect(ofClaude()).toEqual([]);
    appendFileSync(file, lines([prompt('a2', 'And a heron?')]));
    failing = file;
    expect(await find('heron')).toEqual([]);
    failing = undefined;
    expect(await find('heron')).toEqual([`claude:${CLAUDE_ID}#a2`]);
    writeFileSync(file.replace(CLAUDE_ID, CLAUDE_ID.replace(/^./, 'f')), lines([prompt('b1', 'A stork')]));
    expect(await find('stork')).toHaveLength(1);
    // The catalogue lost a session, which is still there.
    expect(await find('quail')).toEqual([]);
    expect(await find('quail')).toEqual([]);
    expect(ofClaude()).toEqual([]);
    const lost = { agent: 'claude', directory: join(hub.home, '.claude', 'projects'), id: CLAUDE_ID };
    expect(await hub.withApp((app) => app.catalog.forget([lost]))).toBe(true);
    expect(await find('heron')).toHaveLength(1);
    // A file that stays unreadable is not looked at in each search.
    expect(await find('quail')).toEqual([]);
    appendFileSync(file, lines([prompt('a3', 'And a crane?')]));
    [failing, failure] = [file, 'EACCES'];
    for (const _ of [1, 2]) expect(await find('quail')).toEqual([]);
    expect(ofClaude()).toEqual([]);
    failing = undefined;
    // The catalogue is changed by another process while a sync reads a file.
    appendFileSync(file, lines([prompt('a4', 'And a grebe?')]));
    onOpen = (path) => {
      if (path !== file) return;
      onOpen = undefined;
      const other = new DatabaseSync(join(hub.home, CATALOG_NAME));
      other.exec("UPDATE revisions SET number = number + 1 WHERE agent = 'claude'");
      other.close();
    };
    await hub.withApp((app) => syncSessions(counting(app)));
    expect(onOpen).toBeUndefined();
    expect(await find('quail')).toEqual([]);
    expect(ofClaude()).not.toEqual([]);
    // A session is removed by another process after a sync, before its look is stored.
    appendFileSync(file, lines([prompt('a5', 'And a smew?')]));
    await hub.withApp(async (app) => {
      let edits = 0;
      const edit: App['catalog']['edit'] = async (action) => {
        edits += 1;
        if (edits === 2) await app.catalog.forget([lost]);
        return app.catalog.edit(action);
      };
      await syncSessions({ ...counting(app), catalog: { ...app.catalog, edit } });
      expect(edits).toBe(2);
    });
    expect(await find('smew')).toHaveLength(1);
    hub.remove();
  });
});
