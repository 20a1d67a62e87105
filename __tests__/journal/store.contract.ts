// The rules of every store of ollm: the published contract (lib/contracts.ts), and what these stores promise beyond it.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { journalContract, storeContract as publishedContract, sessionContract } from '../../lib/contracts.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore, NewEvent, Outcome, Successor } from '../../lib/journal/types.ts';
import {
  countingIds,
  type FileSystem,
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  readFile,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';

import { eventReaderContract } from './reading/event-reader.contract.ts';

/** What a store keeps, by the names that it has in a directory. */
export interface KeptFiles {
  /** Undefined: the sessions themselves and the folders that hold something. Sorted. */
  names(folder?: string): Promise<readonly string[]>;
  bytes(path: string): Promise<string>;
  /** Puts these bytes there, without the store. */
  put(path: string, text: string): Promise<void>;
}

export interface AnyStoreUnderTest {
  readonly store: JournalStore;
  readonly clock: ReturnType<typeof manualClock>;
  /** The store as another process sees it. */
  another(): JournalStore;
  dispose(): void | Promise<void>;
  readonly kept: KeptFiles;
}

/** A store on a disk. */
export interface StoreUnderTest extends Omit<AnyStoreUnderTest, 'kept'> {
  /** The disk that it is on, and where. */
  readonly fileSystem: FileSystem;
  readonly directory: string;
  symbolicLink(target: string, path: string): void;
}

/** The store over a disk in memory, as it is or with something around it. */
export function storeInMemory(
  around: (store: JournalStore, fileSystem: MemoryFileSystem) => JournalStore = (store) => store,
): StoreUnderTest {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  const ports = { fileSystem, clock, ids: countingIds(), process: thisProcess('a test'), log: silentLog };
  const directory = '/home/sessions';
  const open = () => around(openFileStore(ports, { directory }), fileSystem);
  return {
    store: open(),
    fileSystem,
    directory,
    clock,
    another: open,
    symbolicLink: fileSystem.symbolicLink,
    dispose() {},
  };
}

export const CREATED = { model: 'm', provider: 'p', ollm: '1.0.0' };
export const HOSTILE_IDS = [
  ...[
    '../../etc/passwd',
    '..',
    '.',
    '',
    '/abs',
    '%2e%2e%2f',
    'a\0',
    'a/b',
    'C:\\x',
    '-rf',
    '__proto__',
    'A',
    'é',
    '😀',
  ],
  ...['con', 'nul', 'com1', 'a.b', ' a', 'a ', 'a'.repeat(65), 'a'.repeat(300)],
];

export const say = (text: string): NewEvent => ({ type: 'message.added', data: { text } });

/** The texts of the events, and the kinds of damage. */
export function textsOf(outcomes: Iterable<Outcome>): string[] {
  const texts: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'damage') texts.push(`(${outcome.damage.kind})`);
    else if (outcome.event.type === 'message.added') texts.push(String(outcome.event.data.text));
  }
  return texts;
}

export async function read(store: JournalStore, id: string): Promise<string[]> {
  const reader = store.openReader(id);
  try {
    return textsOf((await Array.fromAsync(reader.outcomes())).flat());
  } finally {
    reader.close();
  }
}

/** Makes a session with these messages and closes it. */
export async function make(store: JournalStore, id: string, ...texts: string[]): Promise<void> {
  const writer = await store.create(id, CREATED);
  await writer.append(texts.map(say));
  await writer.close();
}

function keptOnDisk(disk: FileSystem, at: (path: string) => string): KeptFiles {
  return {
    names: async (path = '') => (disk.stat(at(path)) ? disk.readDirectory(at(path)).map((entry) => entry.name) : []),
    bytes: async (path) => new TextDecoder().decode(readFile(disk, at(path))),
    async put(path, text) {
      const handle = disk.open(at(path), disk.stat(at(path)) ? 'append' : 'create');
      handle.truncate(0);
      handle.write(new TextEncoder().encode(text));
      handle.close();
    },
  };
}

/** The contract, and what a disk adds to it. */
export function storeContract(name: string, setUp: () => StoreUnderTest): void {
  contract(name, setUp, true);
}

/** The contract for a store that is not on a disk. */
export function storeContractWithoutDisk(name: string, setUp: () => Promise<AnyStoreUnderTest>): void {
  contract(name, setUp, false);
}

function contract(name: string, setUp: () => StoreUnderTest | Promise<AnyStoreUnderTest>, isOnDisk: boolean): void {
  describe(`${name}, by the published contract`, () => {
    const cases = [...publishedContract(setUp), ...journalContract(setUp), ...sessionContract(setUp)];
    for (const { name, run } of cases) it(name, run);
  });

  describe(`${name}, by the contract of every store`, () => {
    let given: StoreUnderTest | AnyStoreUnderTest;
    let store: JournalStore;
    /** Only where the store is on one. */
    let subject: StoreUnderTest;
    let disk: FileSystem;
    let kept: KeptFiles;
    const at = (path: string) => join(subject.directory, path);
    const namesIn = (path?: string) => kept.names(path);
    const bytesOf = (path: string) => kept.bytes(path);
    const put = (path: string, text: string) => kept.put(path, text);
    /** A lock is a file on a disk. */
    const withLock = (...names: string[]) => (isOnDisk ? names : names.filter((each) => !each.endsWith('.lock')));

    /** What only a disk has: links, permissions, and what crashes leave under other names. */
    const itOnDisk = (isOnDisk ? it : Object.assign(() => {}, { each: () => () => {} })) as typeof it;

    beforeEach(async () => {
      given = await setUp();
      store = given.store;
      subject = given as StoreUnderTest;
      disk = subject.fileSystem;
      kept = isOnDisk ? keptOnDisk(disk, at) : (given as AnyStoreUnderTest).kept;
    });
    afterEach(() => given.dispose());

    describe('sessions', () => {
      it('give their first line without the others, if it is valid', async () => {
        await make(store, 'one', 'hello');
        const reader = store.openReader('one');
        expect(await reader.first()).toMatchObject({ seq: 0, type: 'session.created', data: CREATED });
        reader.close();
        await put('one.jsonl', (await bytesOf('one.jsonl')).replace('"model":"m"', '"model":"n"'));
        const changed = store.openReader('one');
        expect(await changed.first()).toBeUndefined();
        changed.close();
      });

      it('are listed by id, with their size', async () => {
        for (const id of ['b', 'a', 'c-1']) await make(store, id, 'x');
        expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b', 'c-1']);
        expect((await store.list())[0]?.bytes).toBe((await bytesOf('a.jsonl')).length);
        await store.writeDocument('a', 'snapshot', '{}');
        if (isOnDisk) for (const other of ['notes.txt', 'UPPER.jsonl']) await put(other, '');
        expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b', 'c-1']);
      });

      it('are named only by their ids, and a missing one is not confused with others', async () => {
        expect([await store.ids(), await store.info('a')]).toEqual([[], undefined]);
        for (const id of ['b', 'a', 'c-1']) await make(store, id, 'x');
        expect(await store.ids()).toEqual(['a', 'b', 'c-1']);
        for (const { id, bytes, modifiedMs } of await store.list()) {
          expect(await store.info(id)).toMatchObject({ bytes, modifiedMs });
        }
        for (const id of ['d', ...HOSTILE_IDS]) expect(await store.info(id)).toBeUndefined();
      });

      it('that do not exist are reported as missing, and nothing is created', async () => {
        await make(store, 'one');
        const before = await namesIn();
        const missing = { code: 'SESSION_NOT_FOUND' };
        await expect(store.openWriter('two')).rejects.toMatchObject(missing);
        await expect(store.archive('two')).rejects.toMatchObject(missing);
        await expect(store.repair('two')).rejects.toMatchObject(missing);
        await expect(store.trash('two')).rejects.toMatchObject(missing);
        await expect(async () => await store.openReader('two').first()).rejects.toMatchObject(missing);
        expect(await store.holder('two')).toBeUndefined();
        expect(await namesIn()).toEqual(before);
      });

      it('have one writer at a time, and name it to the others', async () => {
        const writer = await store.create('one', CREATED);
        const other = given.another();
        const locked = { code: 'JOURNAL_LOCKED', message: expect.stringContaining(String(process.pid)) };
        await expect(other.openWriter('one')).rejects.toMatchObject(locked);
        expect(await other.holder('one')).toMatchObject({ pid: process.pid });
        await writer.append(say('hello'));
        expect(await read(other, 'one')).toEqual(['hello']);
        await writer.close();
        expect(await other.holder('one')).toBeUndefined();
        await (await other.openWriter('one')).close();
      });

      it('that are open cannot be archived, repaired, deleted or replaced by a restore', async () => {
        await make(store, 'one', 'old');
        await store.trash('one');
        const writer = await store.create('one', CREATED);
        const other = given.another();
        const locked = { code: 'JOURNAL_LOCKED' };
        await expect(other.archive('one')).rejects.toMatchObject(locked);
        await expect(other.repair('one')).rejects.toMatchObject(locked);
        await expect(other.trash('one')).rejects.toMatchObject(locked);
        await expect(other.restore('one')).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
        await writer.append(say('new'));
        await writer.close();
        expect(await read(store, 'one')).toEqual(['new']);
        expect(await store.listTrash()).toHaveLength(1);
      });

      it.each(HOSTILE_IDS)('are never created with the id %j', async (id) => {
        const invalid = { code: 'SESSION_ID_INVALID', exitCode: 2 };
        expect(() => store.openReader(id)).toThrow(expect.objectContaining(invalid));
        for (const refused of [
          async () => await store.holder(id),
          async () => await store.readDocument(id, 'state'),
          async () => await store.readDocument(id, 'state', 10),
          () => store.create(id, CREATED),
          () => store.openWriter(id),
          () => store.writeDocument(id, 'state', ''),
          () => store.removeDocument(id, 'state'),
          () => store.setAsideDocument(id, 'state'),
          () => store.archive(id),
          () => store.repair(id),
          () => store.trash(id),
          () => store.restore(id),
        ]) {
          await expect(refused()).rejects.toMatchObject(invalid);
        }
        await expect(store.purge(id)).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND', exitCode: 3 });
        expect(await store.has(id)).toBe(false);
        expect(await store.readBlob(id)).toBeUndefined();
        expect(await namesIn()).toEqual([]);
      });

      itOnDisk('are readable only by their owner', async () => {
        await make(store, 'one', 'x');
        await store.writeDocument('one', 'snapshot', '{}');
        await store.putBlob(new Uint8Array(3));
        await store.archive('one');
        await make(store, 'one', 'x');
        await store.trash('one');
        await make(store, 'one', 'x');
        const check = (path: string) => {
          expect([path, disk.stat(path)?.mode]).toEqual([path, 0o700]);
          for (const { name, kind } of disk.readDirectory(path)) {
            if (kind === 'directory') check(join(path, name));
            else expect([name, disk.stat(join(path, name))?.mode]).toEqual([name, 0o600]);
          }
        };
        check(subject.directory);
      });

      itOnDisk('whose files are readable by other users are made private', async () => {
        await make(store, 'one', 'x');
        await store.writeDocument('one', 'state', '{}');
        for (const path of ['one.jsonl', 'one.state.json']) disk.changeMode(at(path), 0o666);
        disk.changeMode(subject.directory, 0o755);
        const other = given.another();
        await read(other, 'one');
        await other.readDocument('one', 'state');
        expect(['', 'one.jsonl', 'one.state.json'].map((path) => disk.stat(at(path))?.mode)).toEqual([
          0o700, 0o600, 0o600,
        ]);
        disk.changeMode(at('one.state.json'), 0o666);
        await other.readDocument('one', 'state', 1);
        expect(disk.stat(at('one.state.json'))?.mode).toBe(0o600);
      });

      itOnDisk.each(['one.jsonl', 'one.state.json'])('are never reached through a link: %s', async (name) => {
        await make(store, 'one', 'x');
        await store.writeDocument('one', 'state', 'mine');
        disk.rename(at(name), at('elsewhere'));
        subject.symbolicLink('elsewhere', at(name));
        if (name === 'one.jsonl') {
          expect(() => store.openReader('one')).toThrow(expect.objectContaining({ code: 'JOURNAL_NOT_A_FILE' }));
          await expect(store.trash('one')).rejects.toMatchObject({ code: 'JOURNAL_NOT_A_FILE' });
        } else {
          expect(await store.readDocument('one', 'state')).toBeUndefined();
          await store.writeDocument('one', 'state', 'new');
          expect(await store.readDocument('one', 'state')).toBe('new');
          expect(await bytesOf('elsewhere')).toBe('mine');
        }
      });
    });

    describe('documents', () => {
      it('are replaced as a whole, from one text or many', async () => {
        await make(store, 'one');
        expect(await store.readDocument('one', 'snapshot')).toBeUndefined();
        await store.writeDocument('one', 'snapshot', 'first');
        await store.writeDocument('one', 'state', ['a', 'é', '😀', '']);
        await store.writeDocument('one', 'snapshot', 'second');
        expect(await store.readDocument('one', 'snapshot')).toBe('second');
        expect(await store.readDocument('one', 'state')).toBe('aé😀');
        expect(await store.readDocument('one', 'state', 3)).toBe('aé');
        expect(await store.readDocument('one', 'state', 100)).toBe('aé😀');
        expect(await store.readDocument('two', 'state', 100)).toBeUndefined();
        expect(await namesIn()).toEqual(withLock('one.json', 'one.jsonl', 'one.lock', 'one.state.json'));
      });

      it('keep the old text if the new one cannot be written', async () => {
        await store.writeDocument('one', 'snapshot', 'first');
        function* broken() {
          yield 'half';
          throw new TypeError('no more');
        }
        await expect(store.writeDocument('one', 'snapshot', broken())).rejects.toThrow('no more');
        expect(await store.readDocument('one', 'snapshot')).toBe('first');
        expect(await namesIn()).toEqual(['one.json']);
      });

      it('can be removed, also if they do not exist', async () => {
        await store.writeDocument('one', 'snapshot', 'x');
        await store.removeDocument('one', 'snapshot');
        await store.removeDocument('one', 'snapshot');
        expect(await namesIn()).toEqual([]);
      });

      it('can be set aside, each under a name of its own', async () => {
        for (const text of ['first', 'second']) {
          await store.writeDocument('one', 'snapshot', text);
          const name = await store.setAsideDocument('one', 'snapshot');
          expect(name).toMatch(/^one\.json\.20260101-00000[01]\.suspect$/);
          expect(await bytesOf(name)).toBe(text);
        }
        expect(await store.readDocument('one', 'snapshot')).toBeUndefined();
        expect(await namesIn()).toHaveLength(2);
        await expect(store.setAsideDocument('one', 'snapshot')).rejects.toMatchObject({ code: 'IO_FAILED' });
      });

      itOnDisk('lose the leftovers of crashes, but no file that a different process is writing', async () => {
        await make(store, 'one');
        await put('one.json.00ff.tmp', 'left over');
        const underWay = disk.open(at('two.json.00ff.tmp'), 'create');
        expect(underWay.tryLock()).toBe(true);
        await given.another().writeDocument('one', 'state', 'x');
        expect((await namesIn()).filter((name) => name.endsWith('.tmp'))).toEqual(['two.json.00ff.tmp']);
        underWay.close();
      });
    });

    describe('the archive', () => {
      it('takes a journal in, and removes its derived files', async () => {
        await make(store, 'one', 'hello');
        await store.writeDocument('one', 'snapshot', 'x');
        await store.writeDocument('one', 'state', 'x');
        const before = await bytesOf('one.jsonl');
        expect(await store.archive('one')).toBe('one.20260101-000000.jsonl');
        expect(await bytesOf('archive/one.20260101-000000.jsonl')).toBe(before);
        expect(await store.has('one')).toBe(false);
        expect(await namesIn()).toEqual(['archive']);
      });

      it('never overwrites a journal, and adds a suffix to the name', async () => {
        const names: string[] = [];
        for (const suffix of [undefined, undefined, 'reset', 'reset']) {
          await make(store, 'one', String(names.length));
          names.push(await store.archive('one', suffix));
        }
        expect(names).toEqual([
          'one.20260101-000000.jsonl',
          'one.20260101-000001.jsonl',
          'one.20260101-000000.reset.jsonl',
          'one.20260101-000001.reset.jsonl',
        ]);
        for (const [index, file] of names.entries())
          expect(await bytesOf(`archive/${file}`)).toContain(`"text":"${index}"`);
        await make(store, 'one');
        await expect(store.archive('one', '../x')).rejects.toMatchObject({
          code: 'USAGE',
          data: { argument: 'suffix' },
        });
        expect(await store.has('one')).toBe(true);
      });
    });

    describe('repair', () => {
      it('replaces the journal by a sound copy and keeps the damaged one', async () => {
        await make(store, 'one', 'first', 'second', 'third');
        const damaged = (await bytesOf('one.jsonl')).replace('"second"', '"sec0nd"');
        await put('one.jsonl', damaged);
        expect(await read(store, 'one')).toContain('(bad-checksum)');
        const { archive, kept, findings } = await store.repair('one');
        expect(archive).toBe('one.20260101-000000.damaged.jsonl');
        expect(await bytesOf(`archive/${archive}`)).toBe(damaged);
        expect(kept).toBeGreaterThan(0);
        expect(findings.length).toBeGreaterThan(0);
        expect(await read(store, 'one')).toEqual(['first', 'third']);
        expect(await namesIn()).toEqual(withLock('archive', 'one.jsonl', 'one.lock'));
        await (await store.openWriter('one')).close();
      });

      itOnDisk('removes the leftovers of an interrupted repair, and nothing else', async () => {
        await make(store, 'one', 'x');
        await put('one.jsonl.00ff.repair', 'half');
        await put('one-more.jsonl.00ff.repair', 'of another');
        await store.repair('one');
        expect((await namesIn()).filter((name) => name.endsWith('.repair'))).toEqual(['one-more.jsonl.00ff.repair']);
      });
    });

    describe('the trash', () => {
      it('takes a session, and gives it back unchanged', async () => {
        await make(store, 'one', 'hello');
        await store.writeDocument('one', 'snapshot', 'x');
        const before = await bytesOf('one.jsonl');
        const entry = await store.trash('one');
        expect(entry).toEqual({
          id: 'one',
          entry: 'one.20260101-000000',
          bytes: before.length,
          deletedAt: '2026-01-01T00:00:00.000Z',
        });
        expect(await store.has('one')).toBe(false);
        expect(await store.list()).toEqual([]);
        expect(await store.listTrash()).toEqual([entry]);
        expect(await namesIn()).toEqual(['trash']);
        await store.restore('one');
        expect(await bytesOf('one.jsonl')).toBe(before);
        expect(await store.listTrash()).toEqual([]);
        expect(await namesIn('trash')).toEqual([]);
        await (await store.openWriter('one')).close();
      });

      it('takes the documents that were set aside, and gives them back', async () => {
        await make(store, 'one', 'hello');
        await make(store, 'one-more', 'hello');
        for (const id of ['one', 'one-more']) {
          await store.writeDocument(id, 'snapshot', 'evidence');
          await store.setAsideDocument(id, 'snapshot');
        }
        await store.trash('one');
        expect((await namesIn()).filter((name) => name.endsWith('.suspect'))).toHaveLength(1);
        await store.restore('one');
        expect((await namesIn()).filter((name) => name.endsWith('.suspect'))).toHaveLength(2);
      });

      it('distinguishes sessions with one id, and gives back the newest', async () => {
        for (const text of ['oldest', 'older', 'newest']) {
          await make(store, 'one', text);
          await store.trash('one');
          if (text === 'oldest') given.clock.advance(-5000);
          else given.clock.advance(60_000);
        }
        const trash = await store.listTrash();
        expect(trash.map(({ deletedAt }) => deletedAt)).toEqual(
          trash
            .map(({ deletedAt }) => deletedAt)
            .sort()
            .reverse(),
        );
        await store.restore('one');
        expect(await read(store, 'one')).toEqual(['newest']);
        expect(await store.listTrash()).toHaveLength(2);
      });

      it('gives back the session that was deleted last, also after the clock stepped back or others were purged', async () => {
        for (const text of ['first', 'second', 'third']) {
          await make(store, 'one', text);
          await store.trash('one');
          if (text === 'first') given.clock.advance(-3_600_000);
          if (text === 'second') await store.purge((await store.listTrash()).at(-1)?.entry ?? '');
        }
        await store.restore('one');
        expect(await read(store, 'one')).toEqual(['third']);
      });

      it('does not replace an existing session', async () => {
        await make(store, 'one', 'old');
        await store.trash('one');
        await make(store, 'one', 'new');
        await expect(store.restore('one')).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
        expect(await read(store, 'one')).toEqual(['new']);
        await store.trash('one');
        await store.restore('one');
        expect(await read(store, 'one')).toEqual(['new']);
      });

      it('reports a session that it does not contain', async () => {
        await expect(store.restore('one')).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND' });
        for (const entry of ['one.20260101-000000', '../one.20260101-000000', '..', '']) {
          await expect(store.purge(entry)).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND' });
        }
        if (isOnDisk) expect(disk.stat(subject.directory)).toBeUndefined();
      });

      it('loses the archived journal that a successor replaces, and none of a different session', async () => {
        const successor = (supersedes?: string): Successor => ({
          suffix: 'reset',
          created: () => CREATED,
          fill: async (writer) => void (await writer.append(say('new'))),
          supersedes,
        });
        await make(store, 'one', 'old');
        await make(store, 'two', 'old');
        const first = await store.replace('one', successor());
        const other = await store.replace('two', successor());
        const second = await store.replace('one', successor(first));
        expect(await namesIn('archive')).toEqual([second, other].sort());
        const third = await store.replace('one', successor(other));
        expect(await namesIn('archive')).toEqual([second, third, other].sort());
        expect(await read(store, 'one')).toEqual(['new']);
      });

      it('loses all remains of a purged session, and none of a different one', async () => {
        const restarted = (text: string): Successor => ({
          suffix: 'reset',
          created: (archive) => ({ ...CREATED, previous: { archive, reason: 'reset' } }),
          fill: async (writer) => void (await writer.append(say(text))),
        });
        await make(store, 'one', 'earlier');
        await store.replace('one', restarted('another one'));
        await store.trash('one');
        const archived = await namesIn('archive');

        const blob = new Uint8Array([1, 2, 3]);
        const sha256 = await store.putBlob(blob);
        await make(store, 'one', `names ${sha256}`);
        await store.replace('one', restarted('twice reset'));
        await store.replace('one', restarted('torn'));
        await put('one.jsonl', `${await bytesOf('one.jsonl')}{"seq":9`);
        await (await store.openWriter('one')).close();
        expect(await namesIn('archive')).toHaveLength(3);
        expect(await namesIn('quarantine')).toHaveLength(1);
        // Copied from elsewhere: it names what belongs to "one".
        const fork = await store.create('fork', { ...CREATED, previous: { archive: archived[0], reason: 'reset' } });
        await fork.close();
        await store.purge((await store.trash('fork')).entry);
        expect(await namesIn('archive')).toHaveLength(3);

        given.clock.advance(60_000);
        await store.purge((await store.trash('one')).entry);
        expect([await namesIn('archive'), await namesIn('quarantine'), await namesIn('blobs')]).toEqual([
          archived,
          [],
          [],
        ]);
        await store.restore('one');
        expect(await read(store, 'one')).toEqual(['another one']);
      });

      it('loses a purged session permanently, and nothing else', async () => {
        await make(store, 'one', 'x');
        await make(store, 'two', 'y');
        const { entry } = await store.trash('one');
        await store.trash('two');
        await make(store, 'one', 'again');
        await store.purge(entry);
        expect((await store.listTrash()).map(({ id }) => id)).toEqual(['two']);
        expect(await read(store, 'one')).toEqual(['again']);
        await expect(store.purge(entry)).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND' });
        expect(await namesIn('trash')).toHaveLength(1);
      });

      itOnDisk('loses the copies of a purged session that a crash left half made', async () => {
        await make(store, 'one', 'x');
        await make(store, 'two', 'y');
        await store.archive('two');
        const put = (name: string) => {
          const handle = disk.open(at(name), 'create');
          handle.write(Buffer.from('x'));
          handle.close();
        };
        const left = [
          'one.jsonl.0a.repair',
          'one.jsonl.0a.repair.lock',
          'one.json.0b.tmp',
          'archive/one.0c.jsonl.0d.tmp',
        ];
        // The id is not used again: it may be a copy of the one that is purged.
        left.push('forked.jsonl.0e.repair', 'forked.jsonl.0e.repair.lock');
        for (const name of left) put(name);
        await store.purge((await store.trash('one')).entry);
        expect(left.filter((name) => disk.stat(at(name)) !== undefined)).toEqual([]);
        expect(await namesIn('archive')).toHaveLength(1);
      });

      it('loses everything of a session that several processes purge at the same time', async () => {
        const ids = ['one', 'two', 'three', 'four'];
        for (const id of ids) {
          await make(store, id, `only in ${id}`);
          await store.trash(id);
        }
        await Promise.all((await store.listTrash()).map(({ entry }) => store.purge(entry)));
        expect(await namesIn('trash')).toEqual([]);
      });
    });

    describe('reading', () => {
      const LINE_BYTES = 10_000;
      const size = (outcome: Outcome) => (outcome.kind === 'event' ? outcome.event.end - outcome.event.offset : 0);

      beforeEach(async () => {
        await make(store, 'short', ...Array.from({ length: 600 }, (_, number) => `${number}`));
        await make(store, 'long', ...Array.from({ length: 60 }, (_, number) => `${number} `.padEnd(LINE_BYTES)));
        await make(store, 'huge', 'a', 'b'.repeat(400 * 1024), 'c');
      });

      it.each(['outcomes', 'backwards'] as const)('comes in batches of bounded size (%s)', async (way) => {
        const sizes: Record<string, number[]> = {};
        for (const id of ['short', 'long', 'huge']) {
          const reader = store.openReader(id);
          const batches = await Array.fromAsync(reader[way]());
          reader.close();
          for (const batch of batches) {
            const bytes = batch.reduce((sum, outcome) => sum + size(outcome), 0);
            expect(batch.length).toBeLessThanOrEqual(256);
            expect(batch.length === 1 || bytes <= 256 * 1024).toBe(true);
          }
          sizes[id] = batches.map(({ length }) => length);
        }
        expect(sizes.short!.slice(0, 2)).toEqual([256, 256]);
        expect(sizes.long!.length).toBeGreaterThan(2);
        expect(sizes.huge).toContain(1);
      });

      it.each(['outcomes', 'backwards'] as const)('ends with the reason of its abort signal (%s)', async (way) => {
        const reader = store.openReader('short');
        const stop = new AbortController();
        const batches: number[] = [];
        const reading = async () => {
          for await (const { length } of reader[way]({ signal: stop.signal })) {
            batches.push(length);
            stop.abort(new Error('enough'));
          }
        };
        await expect(reading()).rejects.toThrow('enough');
        expect(batches).toHaveLength(1);
        await expect(reading()).rejects.toThrow('enough');
        expect(batches).toHaveLength(1);
        await expect(reader.verify({ signal: stop.signal })).rejects.toThrow('enough');
        reader.close();
      });

      it('has a position for any event, and continues after it', async () => {
        const reader = store.openReader('long');
        const all = (await Array.fromAsync(reader.outcomes())).flat();
        for (const at of [0, 25, 26, 59, all.length - 1]) {
          const outcome = all[at]!;
          const { position } = outcome.kind === 'event' ? outcome.event : {};
          const rest = (await Array.fromAsync(reader.outcomes({ after: structuredClone(position) }))).flat();
          expect(textsOf(rest)).toEqual(textsOf(all.slice(at + 1)));
          expect(await reader.holds(position!)).toBe(true);
        }
        reader.close();
      });
    });

    eventReaderContract('its reader', async (texts) => {
      const message = (text: string): NewEvent => ({
        type: 'message.added',
        data: { parts: [{ type: 'text', text }] },
      });
      const writer = await store.create('spoken', CREATED);
      await writer.append(texts.map(message));
      const reader = store.openReader('spoken');
      return {
        reader,
        say: async (text) => void (await writer.append(message(text))),
        async dispose() {
          reader.close();
          await writer.close();
        },
      };
    });

    describe('blobs', () => {
      const content = new TextEncoder().encode('a large output');
      const sha256 = createHash('sha256').update(content).digest('hex');

      it('are stored under their hash, once', async () => {
        expect(await store.readBlob(sha256)).toBeUndefined();
        expect(await store.putBlob(content)).toBe(sha256);
        expect(await store.putBlob(content)).toBe(sha256);
        expect(await store.readBlob(sha256)).toEqual(content);
        expect(await namesIn('blobs')).toEqual([sha256]);
        const empty = await store.putBlob(new Uint8Array(0));
        expect(await store.readBlob(empty)).toEqual(new Uint8Array(0));
        const long = Buffer.alloc(3_000_000, 'long');
        expect(await store.putBlob(long)).toBe(createHash('sha256').update(long).digest('hex'));
      });

      it('are refused if their content does not match their name, and are restored when they are stored again', async () => {
        await store.putBlob(content);
        await put(`blobs/${sha256}`, 'something else');
        await expect(store.readBlob(sha256)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
        await store.putBlob(content);
        expect(await store.readBlob(sha256)).toEqual(content);
      });

      const naming = (): NewEvent => ({ type: 'tool.finished', data: { blob: sha256 } });
      async function makeNaming(id: string): Promise<void> {
        await store.putBlob(content);
        const writer = await store.create(id, CREATED);
        await writer.append(naming());
        await writer.close();
      }
      const purge = async (id: string) => store.purge((await store.trash(id)).entry);

      it('are removed with the last journal that names them', async () => {
        await makeNaming('one');
        await makeNaming('two');
        const other = await store.putBlob(new Uint8Array(1));
        await purge('one');
        expect(await store.readBlob(sha256)).toEqual(content);
        await purge('two');
        expect(await namesIn('blobs')).toEqual([other]);
      });

      it.each(['archive', 'trash'] as const)('stay if a journal in the %s names them', async (place) => {
        await makeNaming('one');
        await makeNaming('two');
        await store[place]('two');
        await purge('one');
        expect(await store.readBlob(sha256)).toEqual(content);
      });

      it('stay if a journal is damaged, because it may have named them', async () => {
        await makeNaming('one');
        await make(store, 'two', 'x');
        await put('two.jsonl', (await bytesOf('two.jsonl')).replace('"x"', '"y"'));
        await purge('one');
        expect(await store.readBlob(sha256)).toEqual(content);
      });

      it('stay while a journal is being created, because it may name them', async () => {
        await makeNaming('one');
        await store.createFilled('two', {
          created: CREATED,
          async fill(writer) {
            await purge('one');
            await writer.append(naming());
          },
        });
        expect(await store.readBlob(sha256)).toEqual(content);
        await purge('two');
        expect(await store.readBlob(sha256)).toBeUndefined();
      });

      itOnDisk('stay if the path of a journal is not a file', async () => {
        await makeNaming('one');
        disk.makeDirectory(at('two.jsonl'));
        await purge('one');
        expect(await store.readBlob(sha256)).toEqual(content);
      });

      it('stay if they were stored again since, because an event may soon name them', async () => {
        await makeNaming('one');
        const { entry } = await store.trash('one');
        await new Promise((resolve) => setTimeout(resolve, 20));
        given.clock.advance(20);
        await given.another().putBlob(content);
        await store.purge(entry);
        expect(await store.readBlob(sha256)).toEqual(content);
      });

      it('stay if an open writer may soon name them', async () => {
        const writer = await store.create('two', CREATED);
        await new Promise((resolve) => setTimeout(resolve, 20));
        given.clock.advance(20);
        await makeNaming('one');
        await purge('one');
        expect(await store.readBlob(sha256)).toEqual(content);
        await writer.close();
      });
    });
  });
}
