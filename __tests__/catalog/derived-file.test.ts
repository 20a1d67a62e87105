// A derived file on a real disk: it is made for its user, refused where it is not safe, made again where it is damaged,
// and never taken from a process that has it open.
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { DerivedFile, type DerivedFileForm } from '../../lib/catalog/derived-file.ts';
import { nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';

const FORM: DerivedFileForm = {
  number: 3,
  nameOf: (number) => `things-${number}.sqlite`,
  lockName: 'things.lock',
  schema: 'CREATE TABLE things (name TEXT PRIMARY KEY) STRICT; PRAGMA user_version = 3',
  indexes: [],
};

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ollm-derived-'));
  path = join(home, 'things-3.sqlite');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = () =>
  new DerivedFile({ home, fileSystem: nodeFileSystem, process: thisProcess('test'), log: silentLog }, FORM);

const add = (file: DerivedFile, name: string) =>
  file.write((database) => {
    database.prepare('INSERT OR REPLACE INTO things VALUES (?)').run(name);
    return false;
  });

const namesIn = (file: DerivedFile) =>
  file.tryRead((database) =>
    database
      .prepare('SELECT name FROM things ORDER BY name')
      .all()
      .map(({ name }) => String(name)),
  );

function overwrite(at: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(100, 0xff), 0, 100, at);
  closeSync(descriptor);
}

describe('a derived file', () => {
  it('is absent until it is written, readable only by its user, and read by every later process', async () => {
    expect(await namesIn(open())).toEqual({ kind: 'absent' });
    expect(await add(open(), 'oak')).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await namesIn(open())).toEqual({ kind: 'done', value: ['oak'] });
  });

  it('replaces the files of older versions, and keeps those of newer ones', async () => {
    for (const number of [1, 2, 4]) writeFileSync(join(home, FORM.nameOf(number)), 'x');
    await add(open(), 'oak');
    expect([1, 2, 3, 4].map((number) => existsSync(join(home, FORM.nameOf(number))))).toEqual([
      ...[false, false, true, true],
    ]);
  });

  it('is refused with the reason if other users could write or read it', async () => {
    await add(open(), 'oak');
    const refused = { kind: 'refused', reason: 'is open to other users' };
    chmodSync(path, 0o644);
    expect([await namesIn(open()), await open().edit(async () => 1)]).toEqual([refused, refused]);
    chmodSync(path, 0o600);
    linkSync(path, join(home, 'second-name'));
    expect(await namesIn(open())).toEqual({ kind: 'refused', reason: 'is not a regular file with one name' });
  });

  it('is read by one connection while it is kept open, which sees what others write, and then by another one', async () => {
    const file = open();
    await add(file, 'oak');
    const connection = async () => {
      const outcome = await file.tryRead((database) => database);
      return outcome.kind === 'done' ? outcome.value : undefined;
    };
    const kept = file.keepOpen();
    const first = await connection();
    expect(await connection()).toBe(first);
    await add(open(), 'yew');
    expect(await namesIn(file)).toEqual({ kind: 'done', value: ['oak', 'yew'] });
    kept[Symbol.dispose]();
    expect(first?.isOpen).toBe(false);
    expect(await connection()).not.toBe(first);
  });

  it('has all that was written while it was kept open, and nothing of it in its log', async () => {
    const file = open();
    await add(file, 'oak');
    {
      using _kept = file.keepOpen();
      await namesIn(file);
      await add(file, 'yew');
      expect(await namesIn(file)).toEqual({ kind: 'done', value: ['oak', 'yew'] });
    }
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  it('is created again after damage that is found while it is kept open', async () => {
    const file = open();
    await add(file, 'oak');
    using _kept = file.keepOpen();
    await namesIn(file);
    expect(await file.tryRead((database) => database.exec('SELECT * FROM missing'))).toMatchObject({ kind: 'refused' });
    expect(await add(file, 'yew')).toBe(true);
    expect(await namesIn(file)).toEqual({ kind: 'done', value: ['yew'] });
  });

  it('is created again by the next write after damage at any place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), async (share, isCut) => {
        rmSync(path, { force: true });
        await add(open(), 'oak');
        const at = Math.floor(share * (statSync(path).size - 100));
        if (isCut) truncateSync(path, at);
        else overwrite(at);
        const file = open();
        await file.read((database) => database.prepare('PRAGMA integrity_check').all());
        await add(file, 'elm');
        const names = await namesIn(file);
        // Bytes of a page that nothing uses may change without damage: then nothing is lost.
        if (names.kind === 'done') expect(names.value).toContain('elm');
      }),
      { numRuns: 12 },
    );
  });

  it('is not removed while a second process has it open', async () => {
    await add(open(), 'oak');
    const opened = Promise.withResolvers<void>();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const reading = open().tryRead(() => {
      opened.resolve();
      return over;
    });
    await opened.promise;
    writeFileSync(path, 'not a database at all, and longer than a header of one would be: '.repeat(40));
    expect(await open().edit(async () => 1)).toMatchObject({ kind: 'refused' });
    expect(existsSync(path)).toBe(true);
    resolve();
    await reading;
    expect(await add(open(), 'elm')).toBe(true);
    expect(await namesIn(open())).toEqual({ kind: 'done', value: ['elm'] });
  });

  it('stores all steps of a write, and none of a failed one', async () => {
    let left = 3;
    const file = open();
    await file.write((database) => {
      database.prepare('INSERT INTO things VALUES (?)').run(`thing ${left}`);
      left -= 1;
      return left > 0;
    });
    const failing = file.write((database) => {
      database.prepare('INSERT INTO things VALUES (?)').run('half');
      throw new Error('the step failed');
    });
    await expect(failing).rejects.toThrow('the step failed');
    expect(await namesIn(file)).toEqual({ kind: 'done', value: ['thing 1', 'thing 2', 'thing 3'] });
  });
});
