// What another process does in the middle of a purge: between the look at the directory and the reading of each file.
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import {
  countingIds,
  type FileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';
import { CREATED, make } from '../journal/store.contract.ts';

const DIRECTORY = '/home/sessions';
const CONTENT = new TextEncoder().encode('a large output');

async function makeNaming(store: JournalStore, id: string): Promise<string> {
  const blob = await store.putBlob(CONTENT);
  const writer = await store.create(id, CREATED);
  await writer.append({ type: 'tool.finished', data: { blob } });
  await writer.close();
  return blob;
}

describe('an attachment of a session that is purged', () => {
  it.each([
    ['is finished', 'two.jsonl.0a.repair'],
    ['comes from elsewhere', 'elsewhere.txt'],
  ])('stays if a journal that names it %s while others are read', async (_, nameBefore) => {
    const clock = manualClock();
    const disk = memoryFileSystem({ clock });
    const ports = { clock, ids: countingIds(), process: thisProcess('a test'), log: silentLog };
    const store = openFileStore({ ...ports, fileSystem: disk }, { directory: DIRECTORY });
    const blob = await makeNaming(store, 'one');
    await makeNaming(store, 'two');
    await make(store, 'other', 'x');
    clock.advance(60_000);
    const { entry } = await store.trash('one');
    disk.rename(`${DIRECTORY}/two.jsonl`, `${DIRECTORY}/${nameBefore}`);
    // Who makes a journal holds the lock of its session.
    const lock = disk.open(`${DIRECTORY}/two.lock`, 'lock');
    lock.tryLock();

    let isFinished = false;
    const fileSystem: FileSystem = {
      ...disk,
      open(path, mode, permissions) {
        if (path === `${DIRECTORY}/other.jsonl` && !isFinished) {
          isFinished = true;
          disk.rename(`${DIRECTORY}/${nameBefore}`, `${DIRECTORY}/two.jsonl`);
          lock.close();
        }
        return disk.open(path, mode, permissions);
      },
    };
    await openFileStore({ ...ports, fileSystem }, { directory: DIRECTORY }).purge(entry);
    expect(isFinished).toBe(true);
    expect(await store.readBlob(blob)).toEqual(CONTENT);
  });
});
