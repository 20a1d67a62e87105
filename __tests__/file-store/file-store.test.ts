import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import {
  countingIds,
  type FileSystem,
  manualClock,
  memoryFileSystem,
  nodeFileSystem,
  type ProcessInfo,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { CREATED, make, read, storeContract } from '../journal/store.contract.ts';

const newRoot = () => realpathSync(mkdtempSync(join(tmpdir(), 'ollm-store-')));

function portsOf(fileSystem: FileSystem, process: ProcessInfo = thisProcess('a test')) {
  return { fileSystem, clock: manualClock(), ids: countingIds(), process, log: silentLog };
}

storeContract('the store on a disk', () => {
  const root = newRoot();
  const directory = join(root, 'home/sessions');
  const ports = { ...portsOf(nodeFileSystem), ids: systemIds };
  // The disk has a clock of its own; events that are compared with it must come from the same.
  const clock = manualClock();
  const open = () => openFileStore({ ...ports, clock }, { directory });
  return {
    store: open(),
    fileSystem: nodeFileSystem,
    directory,
    clock,
    another: open,
    symbolicLink: (target, path) => symlinkSync(target, path),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
});

describe('the directory of a store', () => {
  let root: string;
  beforeEach(() => {
    root = newRoot();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const open = (directory: string, process?: ProcessInfo) =>
    openFileStore(portsOf(nodeFileSystem, process), { directory });

  it('has a name', () => {
    expect(() => open('')).toThrow(expect.objectContaining({ code: 'STORE_REFUSED' }));
  });

  it('is created with the first session, readable only by the user, and not before', async () => {
    const directory = join(root, 'a/b/c');
    const store = open(directory);
    expect(store.location).toBe(directory);
    expect(await store.list()).toEqual([]);
    expect(await store.listTrash()).toEqual([]);
    expect(nodeFileSystem.stat(join(root, 'a'))).toBeUndefined();
    await make(store, 'one');
    for (const path of ['a', 'a/b', 'a/b/c']) expect(nodeFileSystem.stat(join(root, path))?.mode).toBe(0o700);
  });

  it('is refused with an explanation if it is a link, or not a directory', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    writeFileSync(join(root, 'file'), '');
    for (const [name, what] of [
      ['link', 'is a symbolic link'],
      ['file', 'is not a directory'],
      ['file/sessions', 'a part of the path is not a directory'],
    ] as const) {
      expect(() => open(join(root, name))).toThrow(
        expect.objectContaining({ code: 'STORE_REFUSED', exitCode: 2, message: expect.stringContaining(what) }),
      );
    }
  });

  it('is refused if it belongs to a different user', () => {
    const directory = join(root, 'theirs');
    mkdirSync(directory);
    const stranger = { ...thisProcess('a test'), uid: 4242 };
    expect(() => open(directory, stranger)).toThrow(
      expect.objectContaining({ code: 'STORE_REFUSED', message: expect.stringContaining('another user') }),
    );
  });

  it('is refused, and left unchanged, if other users may read it and it contains other files', async () => {
    const directory = join(root, 'shared');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, 'passwd'), '');
    expect(() => open(directory)).toThrow(
      expect.objectContaining({ code: 'STORE_REFUSED', message: expect.stringContaining('such as "passwd"') }),
    );
    expect(nodeFileSystem.stat(directory)?.mode).toBe(0o755);
    chmodSync(directory, 0o700);
    expect(await open(directory).list()).toEqual([]);
  });

  it('is closed to other users if it contains only files of a store', async () => {
    const directory = join(root, 'sessions');
    const store = open(directory);
    await make(store, 'one', 'x');
    await store.writeDocument('one', 'state', '{}');
    await store.setAsideDocument('one', 'state');
    await store.putBlob(new Uint8Array(1));
    await store.trash('one');
    await make(store, 'one', 'x');
    await store.archive('one');
    chmodSync(directory, 0o755);
    open(directory);
    expect(nodeFileSystem.stat(directory)?.mode).toBe(0o700);
  });

  it.each(['trash', 'archive', 'blobs'])('does not follow links inside it: %s', async (name) => {
    const directory = join(root, 'sessions');
    const store = open(directory);
    await make(store, 'one', 'x');
    mkdirSync(join(root, 'outside'));
    symlinkSync(join(root, 'outside'), join(directory, name));
    const action = {
      trash: () => store.trash('one'),
      archive: () => store.archive('one'),
      blobs: () => store.putBlob(new Uint8Array(1)),
    };
    await expect(action[name as keyof typeof action]()).rejects.toMatchObject({ code: 'STORE_REFUSED' });
    expect(nodeFileSystem.readDirectory(join(root, 'outside'))).toEqual([]);
    expect(await read(store, 'one')).toEqual(['x']);
  });

  it('lists every entry under the name of a journal, and names its kind when it is opened', async () => {
    const directory = join(root, 'sessions');
    mkdirSync(join(directory, 'two.jsonl'), { recursive: true });
    const store = open(directory);
    await make(store, 'one', 'x');
    expect((await store.list()).map(({ id }) => id)).toEqual(['one', 'two']);
    await expect(store.openWriter('two')).rejects.toMatchObject({ code: 'JOURNAL_NOT_A_FILE', exitCode: 4 });
    await expect(store.create('two', CREATED)).rejects.toMatchObject({ exitCode: expect.any(Number) });
  });
});

describe('a read-only store', () => {
  function closed() {
    const fileSystem = memoryFileSystem();
    return { fileSystem, store: openFileStore(portsOf(fileSystem), { directory: '/sessions' }) };
  }

  it('can be read, and explains why all else is refused', async () => {
    const { fileSystem, store } = closed();
    await make(store, 'one', 'x');
    fileSystem.changeMode('/sessions', 0o500);
    expect(await read(store, 'one')).toEqual(['x']);
    expect(await store.list()).toHaveLength(1);
    const readOnly = { code: 'JOURNAL_READ_ONLY', exitCode: 9 };
    await expect(store.create('two', CREATED)).rejects.toMatchObject({
      ...readOnly,
      message: 'Session two cannot be created: /sessions cannot be written (EACCES).',
    });
    await expect(store.writeDocument('one', 'state', 'x')).rejects.toMatchObject(readOnly);
    await expect(store.archive('one')).rejects.toMatchObject(readOnly);
    await expect(store.trash('one')).rejects.toMatchObject(readOnly);
    await expect(store.putBlob(new Uint8Array(1))).rejects.toMatchObject(readOnly);
    expect(await read(store, 'one')).toEqual(['x']);
  });

  it('is an error and not an empty store if it cannot be listed', async () => {
    const { fileSystem, store } = closed();
    await make(store, 'one', 'x');
    fileSystem.changeMode('/sessions', 0o300);
    await expect(store.list()).rejects.toThrow(expect.objectContaining({ code: expect.any(String) }));
  });
});
