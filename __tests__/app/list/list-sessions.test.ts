// A list equals the journals, whatever state the catalogue is in.
import { once } from 'node:events';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listSessions } from '../../../lib/app/list/list-sessions.ts';
import { deleteSession } from '../../../lib/app/sessions/change/delete-session.ts';
import { CATALOG_FORM, CATALOG_NAME } from '../../../lib/catalog/schema.ts';
import { nodeFileSystem } from '../../../lib/platform/files/node-file-system.ts';
import { openSession } from '../../../lib/session/open.ts';
import { type CatalogWorld, catalogWorld } from '../../catalog/world.ts';
import { seededRandom } from '../../lab/random.ts';
import { OPTIONS, said } from '../../session/world.ts';
import { startSource } from '../../support/source-child.ts';

const READER = new URL('./listing-child.ts', import.meta.url).pathname;
const isRoot = process.getuid?.() === 0;

let world: CatalogWorld;
let catalog: string;

beforeEach(async () => {
  world = catalogWorld();
  catalog = join(world.home, CATALOG_NAME);
  for (const id of ['oak', 'ash', 'elm', 'fir', 'yew']) await world.add(id);
});
afterEach(() => world.remove());

/** The list is right now, and the next one reads no journal. */
async function expectRightAndMended(): Promise<void> {
  expect(await world.list()).toEqual(await world.plainly());
  expect(await world.list()).toEqual(await world.plainly());
  expect(await world.readsOfList()).toBe(0);
}

describe('a list', () => {
  it('reads a session only once', async () => {
    expect(await world.readsOfList()).toBeGreaterThan(0);
    await expectRightAndMended();
  });

  it('examines the journals of the store once, also to find the excluded ones', async () => {
    const app = await world.start();
    let lists = 0;
    const list = () => {
      lists += 1;
      return app.store.list();
    };
    const without = async (journals: readonly { readonly id: string }[]) =>
      new Set(journals.flatMap(({ id }) => (id.startsWith('e') ? [id] : [])));
    const rows = await listSessions({ ...app, store: { ...app.store, list } }, { without });
    expect(rows.map(({ id }) => id).sort()).toEqual(['ash', 'fir', 'oak', 'yew']);
    expect(lists).toBe(1);
    await app.close();
  });

  it('reads changed sessions again, and forgets missing ones', async () => {
    await world.list();
    const app = await world.start();
    const session = await openSession(app.store, 'elm', OPTIONS);
    await session.append(said('user', 'One more question'));
    await session.close('exit');
    await app.store.trash('yew');
    await app.close();
    const rows = await world.list();
    expect(rows.map(({ id }) => id).sort()).toEqual(['ash', 'elm', 'fir', 'oak']);
    expect(rows.find(({ id }) => id === 'elm')?.summary?.messageCount).toBe(2);
    await expectRightAndMended();
    expect(world.bytes().includes('Title of yew')).toBe(false);
  });

  it('notices a journal that changed without its time of writing', async () => {
    await world.list();
    const path = join(world.sessions, 'oak.jsonl');
    const { atime, mtime } = statSync(path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('A question')]! ^= 1;
    writeFileSync(path, bytes);
    utimesSync(path, atime, mtime);
    const rows = await world.list();
    expect(rows).toEqual(await world.plainly());
    expect(rows.find(({ id }) => id === 'oak')?.damaged).toBe(1);
  });

  it('marks an open session as open, and a closed one as closed', async () => {
    await world.list();
    const app = await world.start();
    const session = await openSession(app.store, 'elm', OPTIONS);
    expect((await world.list()).find(({ id }) => id === 'elm')?.locked).toBe(true);
    await session.close('exit');
    await app.close();
    expect((await world.list()).find(({ id }) => id === 'elm')?.locked).toBe(false);
  });

  it('keeps sessions with the same id in different directories apart', async () => {
    const elsewhere = { OLLM_SERVICES__SESSION__DATA_DIR: join(world.home, 'elsewhere') };
    await world.add('oak', 'Another oak', elsewhere);
    for (let count = 0; count < 2; count += 1) {
      expect((await world.list()).find(({ id }) => id === 'oak')?.summary?.title).toBe('Title of oak');
      const app = await world.start(elsewhere);
      expect((await listSessions(app)).map(({ summary }) => summary?.title)).toEqual(['Another oak']);
      await app.close();
    }
    expect(world.bytes().includes('Another oak')).toBe(true);
    expect(await world.readsOfList()).toBe(0);
  });
});

describe('a catalogue that is', () => {
  const damages: readonly (readonly [string, () => void])[] = [
    ['absent', () => rmSync(catalog)],
    ['empty', () => truncateSync(catalog, 0)],
    ['cut in its header', () => truncateSync(catalog, 50)],
    ['cut in the middle', () => truncateSync(catalog, Math.floor(statSync(catalog).size / 2))],
    ['not a database', () => writeFileSync(catalog, 'x'.repeat(20_000))],
    ['a database of a different kind', () => otherDatabase('CREATE TABLE cats (name TEXT)')],
    ['from a different version under its name', () => otherDatabase('PRAGMA user_version = 99')],
  ];
  it.each(damages)('%s is created again, and the list is equal', async (_, damage) => {
    await world.list();
    damage();
    await expectRightAndMended();
  });

  it('flipped anywhere never changes a list', async () => {
    await world.list();
    const whole = readFileSync(catalog);
    const expected = await world.plainly();
    const random = seededRandom(20_261_123);
    for (let flips = 0; flips < 60; flips += 1) {
      const bytes = Buffer.from(whole);
      const offset = Math.floor(random() * bytes.length);
      bytes[offset]! ^= 1 << Math.floor(random() * 8);
      rmSync(`${catalog}-wal`, { force: true });
      rmSync(`${catalog}-shm`, { force: true });
      writeFileSync(catalog, bytes);
      expect({ offset, rows: await world.list() }).toEqual({ offset, rows: expected });
    }
  });

  it('flipped in the text of a row is detected', async () => {
    await world.list();
    const bytes = readFileSync(catalog);
    bytes[bytes.indexOf('Title of ash') + 4]! ^= 1;
    writeFileSync(catalog, bytes);
    await expectRightAndMended();
  });

  it('of a newer version is left unchanged', async () => {
    const newer = join(world.home, CATALOG_FORM.nameOf(CATALOG_FORM.number + 1));
    writeFileSync(newer, 'of a newer version');
    await expectRightAndMended();
    expect(readFileSync(newer, 'utf8')).toBe('of a newer version');
  });

  it('locked by a writer for longer than a list waits is skipped', async () => {
    const writer = await heldOpen('BEGIN EXCLUSIVE');
    await world.add('new');
    expect(await world.list()).toEqual(await world.plainly());
    writer.close();
    await expectRightAndMended();
  });

  it('damaged is not removed as long as a different process has it open', async () => {
    await world.list();
    const lock = nodeFileSystem.open(join(world.home, 'catalog.lock'), 'lock');
    expect(lock.tryLock('shared')).toBe(true);
    writeFileSync(catalog, 'x'.repeat(20_000));
    const { ino } = statSync(catalog);
    expect(await world.list()).toEqual(await world.plainly());
    expect(statSync(catalog).ino).toBe(ino);
    expect(readFileSync(catalog, 'utf8')).toBe('x'.repeat(20_000));
    lock.close();
    await expectRightAndMended();
  });

  it('being replaced by a different process is not opened', async () => {
    await world.list();
    const lock = nodeFileSystem.open(join(world.home, 'catalog.lock'), 'lock');
    expect(lock.tryLock('exclusive')).toBe(true);
    expect(await world.readsOfList()).toBeGreaterThan(0);
    expect(await world.list()).toEqual(await world.plainly());
    lock.close();
  });

  (isRoot ? it.skip : it)('read-only, or in a read-only directory, is used as far as possible', async () => {
    await world.list();
    await world.add('new');
    for (const [path, mode] of [
      [catalog, 0o400],
      [world.home, 0o500],
    ] as const) {
      chmodSync(path, mode);
      expect(await world.list()).toEqual(await world.plainly());
      chmodSync(path, mode | 0o200);
    }
  });

  it('open to other users is not trusted', async () => {
    await world.list();
    chmodSync(catalog, 0o644);
    expect(await world.readsOfList()).toBeGreaterThan(0);
  });

  async function heldOpen(sql: string): Promise<DatabaseSync> {
    await world.list();
    const database = new DatabaseSync(catalog);
    database.exec(sql);
    return database;
  }

  function otherDatabase(sql: string): void {
    rmSync(catalog);
    const database = new DatabaseSync(catalog);
    database.exec(sql);
    database.close();
    chmodSync(catalog, 0o600);
  }
});

describe('the files of the catalogue', () => {
  it('are readable only by their owner, and have no title of an encrypted session', async () => {
    const key = join(world.home, 'key');
    writeFileSync(key, 'a key file that is for the tests', { mode: 0o600 });
    const encrypted = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: key };
    await world.add('secret', 'A blue whale', encrypted);
    const app = await world.start(encrypted);
    // From here on the app knows the key, and its lists the title.
    await (await openSession(app.store, 'secret', OPTIONS)).close('exit');
    expect((await listSessions(app)).map(({ summary }) => summary?.title)).toContain('A blue whale');
    await app.close();
    expect(world.bytes().includes('Title of oak')).toBe(true);
    expect(world.bytes().includes('blue whale')).toBe(false);
    expect(world.bytes().includes('/home/ada/secret')).toBe(false);
    for (const name of readdirSync(world.home).filter((each) => each.startsWith('catalog')))
      expect(statSync(join(world.home, name)).mode & 0o077).toBe(0);
  });

  it('have no text that would be redacted, even from a journal that was written unredacted', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    await world.add('leaky', `Use ${secret} here`, { OLLM_SERVICES__REDACTION__ENABLED: 'false' });
    expect(readFileSync(join(world.sessions, 'leaky.jsonl'), 'utf8')).toContain(secret);
    expect(await world.list()).toEqual(await world.plainly());
    expect(world.bytes().includes('Title of oak')).toBe(true);
    expect(world.bytes().includes(secret)).toBe(false);
  });

  it('have no word of a purged session', async () => {
    await world.list();
    expect(world.bytes().includes('Title of fir')).toBe(true);
    const app = await world.start();
    await deleteSession(app, 'fir', { purge: true });
    await app.close();
    expect(world.bytes().includes('Title of fir')).toBe(false);
    expect(world.bytes().includes('question in fir')).toBe(false);
    expect(world.bytes().includes('Title of oak')).toBe(true);
  });
});

describe('many processes', () => {
  it('list next to one that writes, and none fails or sees half a row', async () => {
    const readers = Array.from({ length: 10 }, () => ended(child('read', '6')));
    for (let count = 0; count < 8; count += 1) {
      await world.add(`new-${count}`);
      await world.list();
    }
    for (const { code, errors } of await Promise.all(readers))
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    await expectRightAndMended();
  });

  it('may be killed in the middle of an update', async () => {
    const random = seededRandom(9);
    for (let kills = 0; kills < 4; kills += 1) {
      const writer = child('write', '2000');
      await once(writer.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, random() * 30));
      writer.kill('SIGKILL');
      await once(writer, 'close');
      expect(await world.list()).toEqual(await world.plainly());
    }
    await expectRightAndMended();
  });

  function child(...args: string[]) {
    const env = { PATH: process.env.PATH ?? '', HOME: world.home, OLLM_HOME: world.home };
    return startSource(READER, args, { env, cwd: world.home, errors: 'pipe' });
  }

  async function ended(process: ReturnType<typeof child>): Promise<{ code: unknown; errors: string }> {
    let errors = '';
    process.stdout.resume();
    process.stderr.on('data', (bytes) => (errors += bytes));
    const [code] = await once(process, 'close');
    return { code, errors };
  }
});
