import type { JournalStore } from '../../lib/journal/types.ts';
import {
  countingIds,
  type FileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  systemError,
} from '../../lib/platform/index.ts';
import { openLocalStore } from '../../lib/stores/local-disk-only.ts';
import { TEST_PROCESS } from '../journal/surgery.ts';

const NFS = 0x6969;
const EXT4 = 0xef53;
const CREATED = { model: 'm', provider: 'p', ollm: '0' };

function storeOn(
  type: number | 'silent',
  options: { allowNetworkFileSystem?: boolean } = {},
  inner = memoryFileSystem({ uid: 0 }),
) {
  const fileSystem: FileSystem = {
    ...inner,
    space(path) {
      if (type === 'silent') throw systemError('ENOSYS', 'statfs', path);
      return { ...inner.space(path), type };
    },
  };
  const ports = { fileSystem, clock: manualClock(), ids: countingIds(), process: TEST_PROCESS, log: silentLog };
  return { inner, store: openLocalStore(ports, { directory: '/home/sessions', ...options }) };
}

describe('a store on a network file system', () => {
  it.each<[string, (store: JournalStore) => Promise<unknown>]>([
    ['a new session', (store) => store.create('new', CREATED)],
    ['opening for writing', (store) => store.openWriter('notes')],
    ['a snapshot', (store) => store.writeDocument('notes', 'snapshot', '{}')],
    ['removing a snapshot', (store) => store.removeDocument('notes', 'snapshot')],
    ['setting a snapshot aside', (store) => store.setAsideDocument('notes', 'snapshot')],
    ['archiving', (store) => store.archive('notes')],
    ['repairing', (store) => store.repair('notes')],
    ['deleting', (store) => store.trash('notes')],
    ['restoring', (store) => store.restore('notes')],
    ['purging', (store) => store.purge('notes.20260101-000000')],
    ['a blob', (store) => store.putBlob(new Uint8Array(1))],
  ])('is refused in %s, with the reason and a hint', async (_what, write) => {
    const { inner, store: local } = storeOn(EXT4);
    await (await local.create('notes', CREATED)).close();
    const { store } = storeOn(NFS, {}, inner);
    await expect(write(store)).rejects.toMatchObject({
      code: 'STORE_ON_NETWORK',
      exitCode: 2,
      message: expect.stringMatching(/\/home\/sessions .*NFS.*neither locks nor syncs/),
      hint: expect.stringContaining('--allow-network-fs'),
    });
  });

  it('is checked at the nearest existing directory, without creating one', async () => {
    const { inner, store } = storeOn(NFS);
    await expect(store.create('notes', CREATED)).rejects.toMatchObject({ code: 'STORE_ON_NETWORK' });
    expect(inner.stat('/home')).toBeUndefined();
  });

  it('can still be read', async () => {
    const { inner, store: local } = storeOn(EXT4);
    await (await local.create('notes', CREATED)).close();
    const { store } = storeOn(NFS, {}, inner);
    const reader = store.openReader('notes');
    expect((await reader.verify()).events).toBe(1);
    reader.close();
    expect(await store.list()).toHaveLength(1);
    expect(await store.listTrash()).toEqual([]);
  });

  it('can be written if that is allowed, and if the system does not report its kind', async () => {
    for (const { store } of [storeOn(NFS, { allowNetworkFileSystem: true }), storeOn('silent')]) {
      await (await store.create('notes', CREATED)).close();
      expect(await store.has('notes')).toBe(true);
    }
  });
});
