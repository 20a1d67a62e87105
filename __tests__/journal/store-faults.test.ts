// Each operation of a store on files, interrupted at every call that changes the disk: by an error of the system, by
// the death of the process, and by that of the machine. In each case the earlier contents still exist once.
import { createHash } from 'node:crypto';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import {
  countingIds,
  type FileSystem,
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  type PowerCutOptions,
  readFile,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { type Failure, failingFileSystem } from '../support/failing-file-system.ts';
import { CREATED, make, read, say } from './store.contract.ts';

const DIRECTORY = '/home/sessions';
const BLOB = new TextEncoder().encode('a large output');
const SHA256 = createHash('sha256').update(BLOB).digest('hex');

function open(fileSystem: FileSystem): JournalStore {
  // Random names: two processes do not use the same.
  const ports = { fileSystem, clock: manualClock(), ids: systemIds, process: thisProcess('a test'), log: silentLog };
  return openFileStore(ports, { directory: DIRECTORY });
}

const names = (disk: FileSystem, path = '') =>
  disk.stat(`${DIRECTORY}${path}`) ? disk.readDirectory(`${DIRECTORY}${path}`).map(({ name }) => name) : [];
const bytesOf = (disk: FileSystem, path: string) => Buffer.from(readFile(disk, `${DIRECTORY}/${path}`)).toString();

interface Interruption {
  readonly failure: Failure;
  /** What follows on the death of the process. */
  readonly powerCut?: PowerCutOptions;
}

const INTERRUPTIONS: readonly (readonly [string, Interruption])[] = [
  ['an error of the disk', { failure: 'EIO' }],
  ['a full disk', { failure: 'ENOSPC' }],
  ['the death of the process', { failure: 'death' }],
  ['a power cut that loses all unsynced changes', { failure: 'death', powerCut: {} }],
  ['a power cut that loses only content', { failure: 'death', powerCut: { entries: 'all' } }],
  ['a power cut that loses only names', { failure: 'death', powerCut: { content: 'all' } }],
];

/** Runs `work` once for each call that may fail, and then `check`. */
async function interruptEverywhere(
  { failure, powerCut }: Interruption,
  prepare: (store: JournalStore, disk: MemoryFileSystem) => Promise<void>,
  work: (store: JournalStore) => Promise<unknown>,
  check: (disk: MemoryFileSystem, store: JournalStore, isDone: boolean) => Promise<void> | void,
): Promise<void> {
  for (let at = 1; ; at += 1) {
    const disk = memoryFileSystem();
    await prepare(open(disk), disk);
    const failing = failingFileSystem(disk, failure, at);
    const isDone = await work(open(failing.fileSystem)).then(
      () => true,
      () => false,
    );
    if (failure === 'death') disk.crash();
    if (powerCut) disk.powerCut(powerCut);
    try {
      await check(disk, open(disk), isDone);
    } catch (error) {
      (error as Error).message = `interrupted at call ${at}: ${(error as Error).message}`;
      throw error;
    }
    if (!failing.hasFailed()) {
      expect(isDone).toBe(true);
      expect(at).toBeGreaterThan(3);
      return;
    }
  }
}

describe.each(INTERRUPTIONS)('interrupted by %s', (_, interruption) => {
  const loses =
    interruption.powerCut?.entries !== undefined || interruption.powerCut === undefined ? 'nothing' : 'names';

  async function prepare(store: JournalStore): Promise<void> {
    await make(store, 'one', 'hello', 'there');
    await make(store, 'two', 'another');
    await store.writeDocument('one', 'snapshot', 'evidence');
    await store.setAsideDocument('one', 'snapshot');
    await store.writeDocument('one', 'snapshot', 'old');
    await store.writeDocument('one', 'state', 'old');
  }

  async function isWhole(store: JournalStore, id = 'one'): Promise<void> {
    expect(await read(store, id)).toEqual(['hello', 'there']);
    const writer = await store.openWriter(id);
    expect(writer.report.damage).toEqual([]);
    await writer.close();
  }

  it('deleting leaves a session wholly in its place or wholly in the trash', async () => {
    await interruptEverywhere(
      interruption,
      prepare,
      (store) => store.trash('one'),
      async (_disk, store, isDone) => {
        const trashed = (await store.listTrash()).filter(({ id }) => id === 'one').length;
        // Where a rename can be half lost, a session may be in both places; it never is in none.
        if (loses === 'nothing') expect(Number(await store.has('one')) + trashed).toBe(1);
        else expect(Number(await store.has('one')) + trashed).toBeGreaterThan(0);
        if (isDone) expect(await store.has('one')).toBe(false);
        if (!(await store.has('one'))) {
          expect(await store.readDocument('one', 'snapshot')).toBeUndefined();
          await store.restore('one');
          await isWhole(store);
        } else if (loses === 'nothing') {
          await isWhole(store);
        }
        expect(await read(store, 'two')).toEqual(['another']);
      },
    );
  });

  it('deleting can be repeated, and leaves no file', async () => {
    await interruptEverywhere(
      interruption,
      prepare,
      (store) => store.trash('one'),
      async (disk, store) => {
        if (loses !== 'nothing') return;
        if (await store.has('one')) await store.trash('one');
        expect(await store.listTrash()).toHaveLength(1);
        expect(names(disk, '/trash')).toHaveLength(1);
        expect(names(disk).filter((name) => name.startsWith('one.') && !/suspect|lock/.test(name))).toEqual([]);
      },
    );
  });

  it('restoring leaves a session wholly in the trash or wholly in its place', async () => {
    await interruptEverywhere(
      interruption,
      async (store) => {
        await prepare(store);
        await store.trash('one');
      },
      (store) => store.restore('one'),
      async (disk, store, isDone) => {
        const trashed = (await store.listTrash()).filter(({ id }) => id === 'one').length;
        if (loses === 'nothing') expect(Number(await store.has('one')) + trashed).toBe(1);
        else expect(Number(await store.has('one')) + trashed).toBeGreaterThan(0);
        if (isDone) expect(await store.has('one')).toBe(true);
        if (!(await store.has('one'))) await store.restore('one');
        if (loses !== 'nothing') return;
        await isWhole(store);
        expect(names(disk).filter((name) => name.endsWith('.suspect'))).toHaveLength(1);
      },
    );
  });

  it('purging removes a session permanently or not at all, and keeps blobs that other sessions name', async () => {
    await interruptEverywhere(
      interruption,
      async (store) => {
        await make(store, 'one', 'hello', 'there');
        await store.putBlob(BLOB);
        for (const id of ['three', 'four']) {
          const writer = await store.create(id, CREATED);
          await writer.append({ type: 'tool.finished', data: { blob: SHA256 } });
          await writer.close();
        }
        await store.trash('three');
        await store.trash('one');
      },
      async (store) => {
        for (const { entry } of await store.listTrash()) await store.purge(entry);
      },
      async (disk, store, isDone) => {
        if (isDone) expect(await store.listTrash()).toEqual([]);
        expect(await store.readBlob(SHA256)).toEqual(BLOB);
        expect((await store.list()).map(({ id }) => id)).toEqual(['four']);
        if ((await store.listTrash()).some(({ id }) => id === 'one')) {
          await store.restore('one');
          await isWhole(store);
        }
        // The next purge finishes the interrupted one.
        const { entry } = await store.trash('four');
        for (const { entry } of await store.listTrash()) await store.purge(entry);
        expect(entry).toMatch(/^four/);
        expect(names(disk, '/trash')).toEqual([]);
        expect(names(disk, '/blobs')).toEqual([]);
      },
    );
  });

  it('writing a document leaves the old one or the new one, and its leftovers are removed later', async () => {
    await interruptEverywhere(
      interruption,
      prepare,
      (store) => store.writeDocument('one', 'state', ['n', 'e', 'w']),
      async (disk, store, isDone) => {
        expect(['old', 'new']).toContain(await store.readDocument('one', 'state'));
        if (isDone) expect(await store.readDocument('one', 'state')).toBe('new');
        await store.writeDocument('two', 'state', 'x');
        expect(names(disk).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      },
    );
  });

  it('storing a blob leaves it whole or absent', async () => {
    await interruptEverywhere(
      interruption,
      async () => {},
      (store) => store.putBlob(BLOB),
      async (disk, store, isDone) => {
        const found = await store.readBlob(SHA256);
        if (isDone || found !== undefined) expect(found).toEqual(BLOB);
        await store.putBlob(BLOB);
        expect(names(disk, '/blobs')).toEqual([SHA256]);
      },
    );
  });

  it('archiving leaves a journal in its place or in the archive', async () => {
    await interruptEverywhere(
      interruption,
      prepare,
      (store) => store.archive('one'),
      async (disk, store, isDone) => {
        const archived = names(disk, '/archive').length;
        if (loses === 'nothing') expect(Number(await store.has('one')) + archived).toBe(1);
        else expect(Number(await store.has('one')) + archived).toBeGreaterThan(0);
        if (isDone) expect(await store.has('one')).toBe(false);
        if ((await store.has('one')) && loses === 'nothing') await isWhole(store);
        else if (!(await store.has('one'))) {
          expect(await store.readDocument('one', 'snapshot')).toBeUndefined();
          await (await store.create('one', CREATED)).close();
        }
      },
    );
  });

  it('replacing leaves the old journal or the whole new one in place, and keeps the old one', async () => {
    let old = '';
    await interruptEverywhere(
      interruption,
      async (store, disk) => {
        await prepare(store);
        old = bytesOf(disk, 'one.jsonl');
      },
      (store) =>
        store.replace('one', {
          suffix: 'reset',
          created: (archive) => ({ ...CREATED, previous: { archive, reason: 'reset' } }),
          fill: async (writer) => {
            await writer.append([say('first'), say('again')]);
          },
        }),
      async (disk, store, isDone) => {
        const archived = names(disk, '/archive').filter((name) => !name.endsWith('.tmp'));
        const isNew = bytesOf(disk, 'one.jsonl') !== old;
        if (isNew) {
          expect((await read(store, 'one')).slice(0, 2)).toEqual(['first', 'again']);
          expect(archived.map((name) => bytesOf(disk, `archive/${name}`))).toContain(old);
          expect(await store.readDocument('one', 'snapshot')).toBeUndefined();
        } else await isWhole(store);
        if (isDone) expect(isNew).toBe(true);
        await store.repair('one');
        expect(names(disk).filter((name) => name.includes('.repair'))).toEqual([]);
      },
    );
  });

  it('purging leaves nothing of a session that the next purge does not remove', async () => {
    await interruptEverywhere(
      interruption,
      async (store) => {
        await make(store, 'two', 'another');
        await make(store, 'one', 'hello');
        for (const text of ['first', 'again']) {
          await store.replace('one', {
            suffix: 'reset',
            created: (archive) => ({ ...CREATED, previous: { archive, reason: 'reset' } }),
            fill: async (writer) => void (await writer.append(say(text))),
          });
        }
        await store.trash('one');
      },
      async (store) => store.purge((await store.listTrash())[0]?.entry ?? ''),
      async (disk, store, isDone) => {
        const [entry] = await store.listTrash();
        if (isDone) expect([entry, names(disk, '/archive')]).toEqual([undefined, []]);
        if (entry) await store.purge(entry.entry);
        else if (!isDone) await store.purge((await store.trash('two')).entry);
        expect(names(disk, '/archive')).toEqual([]);
        expect(names(disk, '/trash')).toEqual([]);
      },
    );
  });

  it('repairing leaves the damaged journal or the repaired one, and keeps the damaged bytes', async () => {
    let damaged = '';
    await interruptEverywhere(
      interruption,
      async (store, disk) => {
        await make(store, 'one', 'hello', 'broken', 'there');
        damaged = bytesOf(disk, 'one.jsonl').replace('broken', 'br0ken');
        const handle = disk.open(`${DIRECTORY}/one.jsonl`, 'append');
        handle.truncate(0);
        handle.write(Buffer.from(damaged));
        await handle.sync();
        handle.close();
      },
      (store) => store.repair('one'),
      async (disk, store, isDone) => {
        const copies = ['one.jsonl', ...names(disk, '/archive').map((name) => `archive/${name}`)];
        const whole = copies.filter((path) => !path.endsWith('.tmp')).map((path) => bytesOf(disk, path));
        expect(whole).toContain(damaged);
        expect(whole.filter((text) => text === damaged || text.includes('journal.repaired'))).toEqual(whole);
        expect((await read(store, 'one')).filter((text) => !text.startsWith('('))).toEqual(['hello', 'there']);
        if (isDone) expect(await read(store, 'one')).toEqual(['hello', 'there']);
        await store.repair('one');
        expect(names(disk).filter((name) => name.endsWith('.repair'))).toEqual([]);
      },
    );
  });

  it('creating and opening keep acknowledged events', async () => {
    let acknowledged: string[] = [];
    await interruptEverywhere(
      interruption,
      async () => {
        acknowledged = [];
      },
      async (store) => {
        const writer = await store.create('one', CREATED);
        for (const text of ['a', 'b', 'c']) {
          await writer.append(say(text), { durability: 'disk' });
          acknowledged.push(text);
        }
        await writer.close();
      },
      async (_disk, store) => {
        if (acknowledged.length > 0)
          expect((await read(store, 'one')).slice(0, acknowledged.length)).toEqual(acknowledged);
      },
    );
  });
});

describe('a random name that exists already', () => {
  it('is not written through, and a second name is taken', async () => {
    const disk = memoryFileSystem();
    const ports = { fileSystem: disk, clock: manualClock(), process: thisProcess('a test'), log: silentLog };
    const first = countingIds().token();
    const store = openFileStore({ ...ports, ids: countingIds() }, { directory: DIRECTORY });
    disk.makeDirectory(DIRECTORY);
    disk.symbolicLink('/victim', `${DIRECTORY}/one.json.${first}.tmp`);
    await store.writeDocument('one', 'snapshot', 'x');
    expect(await store.readDocument('one', 'snapshot')).toBe('x');
    expect(disk.stat('/victim')).toBeUndefined();
  });
});
