// A journal with a beginning of its own, on a disk that says no once, and under a process that dies, at each call in
// turn.
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { Beginning, JournalStore } from '../../lib/journal/types.ts';
import {
  type FileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { CREATED, make, read, say } from '../journal/store.contract.ts';
import { type Failure, failingFileSystem, ProcessDied } from '../support/failing-file-system.ts';

const DIRECTORY = '/home/sessions';
const FULL = expect.objectContaining({ exitCode: 9 });
const TEXTS = ['one', 'two', 'three', 'four'];

const storeOn = (fileSystem: FileSystem): JournalStore =>
  openFileStore(
    { fileSystem, clock: manualClock(), ids: systemIds, process: thisProcess('test'), log: silentLog },
    { directory: DIRECTORY },
  );

const beginning: Beginning = {
  created: CREATED,
  async fill(writer) {
    for (const text of TEXTS) await writer.append(say(text));
  },
};

describe('a journal that begins with more than its first line', () => {
  it.each<Failure>(['ENOSPC', 'EIO', 'death'])('is whole or absent, wherever %s interrupts', async (failure) => {
    let failures = 0;
    for (let at = 1; ; at += 1) {
      const disk = memoryFileSystem();
      await make(storeOn(disk), 'notes', 'something else');
      const failing = failingFileSystem(disk, failure, at);
      const outcome = await storeOn(failing.fileSystem)
        .createFilled('other', beginning)
        .catch((error: unknown) => error);
      if (!failing.hasFailed()) break;

      const store = storeOn(disk);
      if (outcome !== undefined) failures += 1;
      if (outcome !== undefined && failure === 'ENOSPC') expect([at, outcome]).toEqual([at, FULL]);
      if (outcome instanceof ProcessDied) expect(failure).toBe('death');
      // Only a process that died may leave a session of which nothing was reported.
      if (failure !== 'death') expect([at, await store.has('other')]).toEqual([at, outcome === undefined]);
      if (await store.has('other')) expect([at, await read(store, 'other')]).toEqual([at, TEXTS]);
      else expect([at, outcome]).not.toEqual([at, undefined]);
      expect(await read(store, 'notes')).toEqual(['something else']);

      // The rest of it goes with the next session that is made so, whatever its id.
      await store.createFilled('third', beginning);
      expect(disk.readNames(DIRECTORY).filter((name) => name.includes('.repair'))).toEqual([]);
      if (!(await store.has('other'))) await store.createFilled('other', beginning);
      expect(await read(store, 'other')).toEqual(TEXTS);
      expect(disk.readNames(DIRECTORY).filter((name) => name.includes('.repair'))).toEqual([]);
      await (await store.openWriter('other')).close();
    }
    expect(failures).toBeGreaterThan(3);
  });

  it('leaves no file if the function that fills it fails', async () => {
    const disk = memoryFileSystem();
    const store = storeOn(disk);
    const fill = async () => Promise.reject(new TypeError('no more'));
    await expect(store.createFilled('other', { created: CREATED, fill })).rejects.toMatchObject({ message: /no more/ });
    expect(disk.readNames(DIRECTORY)).toEqual([]);
  });

  it('does not replace an existing one, nor an open one', async () => {
    const store = storeOn(memoryFileSystem());
    await make(store, 'notes', 'first');
    await expect(store.createFilled('notes', beginning)).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    const writer = await store.openWriter('notes');
    await expect(store.createFilled('notes', beginning)).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await writer.close();
    expect(await read(store, 'notes')).toEqual(['first']);
  });

  it('replaces a file that a crash left empty', async () => {
    const disk = memoryFileSystem();
    const store = storeOn(disk);
    await make(store, 'notes', 'first');
    disk.open(`${DIRECTORY}/other.jsonl`, 'create').close();
    await store.createFilled('other', beginning);
    expect(await read(store, 'other')).toEqual(TEXTS);
  });

  it('replaces a file that a crash left with a torn first line, and keeps a copy of that', async () => {
    const disk = memoryFileSystem();
    const store = storeOn(disk);
    await make(store, 'notes', 'first');
    const handle = disk.open(`${DIRECTORY}/other.jsonl`, 'create');
    handle.write(Buffer.from('{"seq":0,"ts":"2026-'));
    handle.close();
    await store.createFilled('other', beginning);
    expect(await read(store, 'other')).toEqual(TEXTS);
    expect(disk.readNames(`${DIRECTORY}/quarantine`)).toHaveLength(1);
  });

  it('does not replace a file with different contents', async () => {
    const disk = memoryFileSystem();
    const store = storeOn(disk);
    await make(store, 'notes', 'first');
    const handle = disk.open(`${DIRECTORY}/other.jsonl`, 'create');
    handle.write(Buffer.from('a diary\n'));
    handle.close();
    await expect(store.createFilled('other', beginning)).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    expect(disk.stat(`${DIRECTORY}/other.jsonl`)?.size).toBe(8);
  });

  it('is in no list before it is whole', async () => {
    const store = storeOn(memoryFileSystem());
    const seen: boolean[] = [];
    await store.createFilled('other', {
      created: CREATED,
      async fill(writer) {
        await writer.append(say('one'));
        seen.push(await store.has('other'), (await store.list()).length > 0);
      },
    });
    expect(seen).toEqual([false, false]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['other']);
  });
});
