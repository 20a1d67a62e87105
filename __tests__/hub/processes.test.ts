// Several processes, one that is killed, a disk without room, a file that is damaged: the catalogue is right, or made
// again, or the reason is said.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { CATALOG_FORM, CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import { seededRandom } from '../lab/random.ts';
import { startSource } from '../support/source-child.ts';
import { type HubWorld, hubWorld } from './world.ts';

const CHILD = new URL('./hub-child.ts', import.meta.url).pathname;

let hub: HubWorld;
let catalog: string;
beforeEach(() => {
  hub = hubWorld();
  catalog = join(hub.home, CATALOG_NAME);
});
afterEach(() => hub.remove());

const talk = (id: string, count: number) =>
  Array.from({ length: count }, (_, index) => `walrus number ${index} in ${id} ${'and more words '.repeat(20)}`);

function child(...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: hub.home, OLLM_HOME: hub.home };
  return startSource(CHILD, args, { env, cwd: hub.home, errors: 'pipe' });
}

async function ended(process: ReturnType<typeof child>): Promise<{ code: unknown; errors: string }> {
  let errors = '';
  process.stdout.resume();
  process.stderr.on('data', (bytes) => (errors += bytes));
  const [code] = await once(process, 'close');
  return { code, errors };
}

/** Everything that a search could find, and whether the index has just that. */
function contentOf(path = catalog): unknown[] {
  const database = new DatabaseSync(path);
  try {
    database.exec("INSERT INTO words(words, rank) VALUES ('integrity-check', 0)");
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const [{ lost } = {}] = database
      .prepare('SELECT count(*) AS lost FROM messages WHERE id NOT IN (SELECT rowid FROM words)')
      .all();
    expect(lost).toBe(0);
    return database
      .prepare(
        'SELECT s.id, m.seq, m.role, m.kind, m.text FROM messages m JOIN sessions s ON s.number = session ORDER BY s.id, m.seq, m.id',
      )
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

describe('many processes', () => {
  it('search next to one that syncs, and none fails or sees half a row', async () => {
    for (const id of ['oak', 'ash', 'elm']) await hub.make(id, talk(id, 30));
    await hub.sync();
    const readers = Array.from({ length: 10 }, () => ended(child('search', 'walrus', '8')));
    for (let round = 0; round < 6; round += 1) {
      await hub.make(`new-${round}`, talk(`new-${round}`, 60));
      await hub.withApp((app) => syncSessions(app));
    }
    for (const { code, errors } of await Promise.all(readers))
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    await hub.sync();
    expect(contentOf()).toHaveLength(3 * 30 + 6 * 60);
  });

  it('that sync at the same time leave every session there once', async () => {
    for (let count = 0; count < 8; count += 1) await hub.make(`s-${count}`, talk(`s-${count}`, 40));
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => ended(child('sync'))));
    for (const { code, errors } of outcomes) expect({ code, errors }).toEqual({ code: 0, errors: '' });
    await hub.sync();
    expect(contentOf()).toHaveLength(8 * 40);
  });

  it('may be killed in the middle of a sync, and the next one ends like one that was never killed', async () => {
    for (let count = 0; count < 10; count += 1) await hub.make(`s-${count}`, talk(`s-${count}`, 150));
    await hub.sync();
    const whole = contentOf();
    const random = seededRandom(20_261_123);
    rmSync(catalog);
    for (let kills = 0; kills < 5; kills += 1) {
      const writer = child('sync');
      const closed = once(writer, 'close');
      await Promise.race([once(writer.stdout, 'data'), closed]);
      await new Promise((resolve) => setTimeout(resolve, random() * 120));
      writer.kill('SIGKILL');
      await closed;
    }
    await hub.sync();
    expect(contentOf()).toEqual(whole);
  });

  it('do not wait for each other: a search during an endless sync uses the present index, and says so', async () => {
    await hub.make('oak', ['A walrus in oak']);
    await hub.sync();
    await hub.make('elm', ['A walrus in elm']);
    const lock = nodeFileSystem.open(join(hub.home, 'sync.lock'), 'lock');
    expect(lock.tryLock('exclusive')).toBe(true);
    const answer = await hub.withApp((app) => searchSessions(app, { text: 'walrus' }));
    expect(answer.hits.map(({ id }) => id)).toEqual(['oak']);
    expect(answer.leftOut.join()).toContain('Another process brings the catalogue up to date');
    lock.close();
    expect(await hub.addresses('walrus')).toHaveLength(2);
  });
});

describe('a catalogue that is', () => {
  beforeEach(async () => {
    await hub.make('oak', talk('oak', 50));
    await hub.sync();
  });

  it.each<[string, () => void]>([
    ['absent', () => rmSync(catalog)],
    ['empty', () => truncateSync(catalog, 0)],
    ['cut in the middle', () => truncateSync(catalog, Math.floor(statSync(catalog).size / 2))],
    ['not a database', () => writeFileSync(catalog, 'x'.repeat(20_000))],
  ])('%s is created again by the next search', async (_, damage) => {
    damage();
    expect(await hub.search({ text: 'walrus', limit: 100 })).toHaveLength(50);
    expect(contentOf()).toHaveLength(50);
  });

  it('flipped at any bit never makes a search fail', async () => {
    const whole = readFileSync(catalog);
    const random = seededRandom(7);
    for (let flips = 0; flips < 25; flips += 1) {
      const bytes = Buffer.from(whole);
      bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
      for (const suffix of ['-wal', '-shm']) rmSync(catalog + suffix, { force: true });
      writeFileSync(catalog, bytes);
      const hits = await hub.search({ text: 'walrus', limit: 100 });
      expect(hits.length).toBeLessThanOrEqual(50);
    }
  });

  it('of an older version is removed when no process has it open, and of a newer version stays', async () => {
    const [older, newer] = [
      CATALOG_FORM.nameOf(CATALOG_FORM.number - 1),
      CATALOG_FORM.nameOf(CATALOG_FORM.number + 1),
    ].map((name) => join(hub.home, name));
    for (const path of [older!, newer!]) writeFileSync(path, 'of another version');
    const lock = nodeFileSystem.open(join(hub.home, 'catalog.lock'), 'lock');
    expect(lock.tryLock('shared')).toBe(true);
    rmSync(catalog);
    await hub.sync();
    expect(existsSync(older!)).toBe(true);
    lock.close();
    rmSync(catalog);
    await hub.sync();
    expect([existsSync(older!), existsSync(newer!)]).toEqual([false, true]);
  });

  it('damaged is not replaced as long as a second process has it open', async () => {
    writeFileSync(catalog, 'x'.repeat(20_000));
    const lock = nodeFileSystem.open(join(hub.home, 'catalog.lock'), 'lock');
    expect(lock.tryLock('shared')).toBe(true);
    await expect(hub.search('walrus')).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect(readFileSync(catalog, 'utf8')).toBe('x'.repeat(20_000));
    lock.close();
    expect(await hub.search({ text: 'walrus', limit: 100 })).toHaveLength(50);
  });

  it('a link, or open to other users, is neither read nor written', async () => {
    const elsewhere = join(hub.home, 'elsewhere.sqlite');
    renameSync(catalog, elsewhere);
    const before = readFileSync(elsewhere);
    spawnSync('ln', ['-s', elsewhere, catalog]);
    await expect(hub.search('walrus')).rejects.toThrow('is not a regular file');
    rmSync(catalog);
    writeFileSync(catalog, before, { mode: 0o644 });
    await expect(hub.search('walrus')).rejects.toThrow('open to other users');
    expect(readFileSync(elsewhere)).toEqual(before);
  });
});

/** A file system of its own, of that many bytes; undefined where only root could have one, and why. */
function smallDisk(bytes: number) {
  if (process.getuid?.() !== 0) return { why: 'only root can mount a small file system' };
  const path = mkdtempSync(join(tmpdir(), 'ollm-small-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'none', path], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) return { why: `mount refused: ${mounted.stderr ?? mounted.error}` };
  return {
    path,
    mount: (options: string) => spawnSync('mount', ['-o', `remount,${options}`, path]),
    remove() {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

const disk = smallDisk(3 * 1024 * 1024);
afterAll(() => {
  if (disk.remove !== undefined) disk.remove();
});

(disk.why === undefined ? describe : describe.skip)(
  `a small disk${disk.why === undefined ? '' : ` (${disk.why})`}`,
  () => {
    const env = () => ({ OLLM_HOME: disk.path!, OLLM_SERVICES__SESSION__DATA_DIR: hub.sessions });

    it('full stops no search, which reports the reason', async () => {
      await hub.make('first', talk('first', 20));
      expect(await hub.search({ text: 'walrus', limit: 100 }, env())).toHaveLength(20);
      for (let count = 0; count < 24; count += 1) await hub.make(`s-${count}`, talk(`s-${count}`, 300));
      const outcome = await hub.withApp((app) => syncSessions(app), env());
      expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('full') });
      const answer = await hub.withApp((app) => searchSessions(app, { text: 'walrus', limit: 10_000 }), env());
      expect(answer.hits.length).toBeGreaterThanOrEqual(20);
      expect(answer.leftOut.join()).toContain('full');
      // With room again, everything comes in.
      disk.mount!('size=60m');
      await hub.sync(env());
      expect(contentOf(join(disk.path!, CATALOG_NAME))).toHaveLength(20 + 24 * 300);
    });

    it('read-only is searched without changes', async () => {
      await hub.make('oak', talk('oak', 5));
      await hub.sync(env());
      await hub.make('elm', talk('elm', 5));
      disk.mount!('ro');
      try {
        const answer = await hub.withApp((app) => searchSessions(app, { text: 'walrus in oak', limit: 100 }), env());
        expect(answer.hits).toHaveLength(5);
        expect(answer.leftOut.join()).toContain('read-only');
      } finally {
        disk.mount!('rw');
      }
    });
  },
);
