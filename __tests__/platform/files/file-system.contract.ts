// The contract of every file system of the port, on a disk and in memory. Each suite runs it with its own set-up.
import type { FileHandle, FileStat, FileSystem } from '../../../lib/platform/index.ts';

export interface FileSystemUnderTest {
  readonly fileSystem: FileSystem;
  /** An empty directory. */
  readonly root: string;
  symbolicLink(target: string, path: string): void;
  /** Makes a FIFO, or something else that is not a file. */
  special(path: string): void;
  dispose(): void;
}

const STATED = [
  'kind',
  'size',
  'device',
  'inode',
  'links',
  'mode',
  'uid',
  'modifiedMs',
  'changedNs',
  'bornNs',
] as const satisfies readonly (keyof FileStat)[];

const bytes = (text: string) => new TextEncoder().encode(text);

function contentOf(handle: FileHandle): string {
  const target = new Uint8Array(handle.stat().size);
  const length = handle.read(target, 0);
  return new TextDecoder().decode(target.subarray(0, length));
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

export function fileSystemContract(name: string, setUp: () => FileSystemUnderTest): void {
  describe(`${name}, by the contract of file systems`, () => {
    let subject: FileSystemUnderTest;
    let disk: FileSystem;
    let handles: FileHandle[];
    const at = (path: string) => `${subject.root}/${path}`;
    const open: FileSystem['open'] = (...args) => {
      const handle = disk.open(...args);
      handles.push(handle);
      return handle;
    };
    const put = (path: string, text: string) => {
      const handle = disk.open(at(path), 'create');
      handle.write(bytes(text));
      handle.close();
    };
    const get = (path: string) => contentOf(open(at(path), 'read'));

    beforeEach(() => {
      subject = setUp();
      disk = subject.fileSystem;
      handles = [];
    });
    afterEach(() => {
      for (const handle of handles) handle.close();
      subject.dispose();
    });

    it('reads back written bytes, at any position', () => {
      const handle = open(at('a'), 'create');
      expect(handle.write(bytes('one'))).toBe(3);
      expect(handle.write(bytes('two'))).toBe(3);
      expect(contentOf(handle)).toBe('onetwo');
      const target = new Uint8Array(4);
      expect(handle.read(target, 4)).toBe(2);
      expect([...target]).toEqual([...bytes('wo'), 0, 0]);
      expect(handle.read(target, 6)).toBe(0);
      expect(handle.read(target, 60)).toBe(0);
    });

    it('appends at the end, through any handle', () => {
      put('a', 'one');
      const first = open(at('a'), 'append');
      const second = open(at('a'), 'append');
      first.write(bytes('two'));
      second.write(bytes('three'));
      first.write(bytes('four'));
      expect(get('a')).toBe('onetwothreefour');
    });

    it('reports size, kind and times of a file', () => {
      put('a', 'one');
      const handle = open(at('a'), 'read');
      const stat = handle.stat();
      expect(stat).toMatchObject({ kind: 'file', size: 3, links: 1, mode: 0o600, uid: process.getuid?.() ?? 0 });
      for (const member of STATED) expect([member, disk.stat(at('a'))?.[member]]).toEqual([member, stat[member]]);
      expect(Math.abs(stat.modifiedMs - Date.now())).toBeLessThan(60_000);
      put('b', 'one');
      expect(disk.stat(at('b'))?.inode).not.toBe(stat.inode);
      expect(disk.stat(at('b'))?.device).toBe(stat.device);
    });

    it('returns nothing about a missing file', () => {
      expect(disk.stat(at('a'))).toBeUndefined();
      expect(disk.stat(at('a/b'))).toBeUndefined();
    });

    it('opens only existing files for reading and appending', () => {
      expect(codeOf(() => open(at('a'), 'read'))).toBe('ENOENT');
      expect(codeOf(() => open(at('a'), 'append'))).toBe('ENOENT');
      expect(codeOf(() => open(at('no/a'), 'create'))).toBe('ENOENT');
      expect(disk.readDirectory(subject.root)).toEqual([]);
    });

    it('creates only missing files', () => {
      put('a', 'one');
      expect(codeOf(() => open(at('a'), 'create'))).toBe('EEXIST');
      subject.symbolicLink(at('nowhere'), at('link'));
      expect(codeOf(() => open(at('link'), 'create'))).toBe('EEXIST');
      expect(get('a')).toBe('one');
    });

    it('creates a lock file, and leaves an existing one unchanged', () => {
      open(at('lock'), 'lock').close();
      expect(disk.stat(at('lock'))).toMatchObject({ size: 0, mode: 0o600 });
      put('other', 'kept');
      open(at('other'), 'lock').close();
      expect(get('other')).toBe('kept');
    });

    it('gives a new file the requested permissions', () => {
      open(at('a'), 'create', 0o400).close();
      expect(disk.stat(at('a'))?.mode).toBe(0o400);
    });

    it.each(['read', 'append', 'lock'] as const)('never follows a link at the end of a path: %s', (mode) => {
      put('a', 'one');
      subject.symbolicLink(at('a'), at('link'));
      expect(codeOf(() => open(at('link'), mode))).toBe('ELOOP');
      expect(disk.stat(at('link'))?.kind).toBe('link');
    });

    it('follows links in the middle of a path', () => {
      disk.makeDirectory(at('real'));
      put('real/a', 'one');
      subject.symbolicLink('real', at('link'));
      expect(get('link/a')).toBe('one');
      expect(disk.realPath(at('link/a'))).toBe(disk.realPath(at('real/a')));
      expect(disk.realPath(at('link'))).toBe(disk.realPath(at('real')));
    });

    it('rejects circular links', () => {
      subject.symbolicLink('b', at('a'));
      subject.symbolicLink('a', at('b'));
      expect(codeOf(() => disk.realPath(at('a')))).toBe('ELOOP');
      expect(codeOf(() => open(at('a/x'), 'read'))).toBe('ELOOP');
    });

    it.each(['read', 'append', 'lock'] as const)('opens only regular files, without waiting: %s', (mode) => {
      disk.makeDirectory(at('directory'));
      subject.special(at('special'));
      expect(codeOf(() => open(at('directory'), mode))).toBe('EISDIR');
      expect(codeOf(() => open(at('special'), mode))).toBe('ENXIO');
      expect(disk.stat(at('directory'))?.kind).toBe('directory');
      expect(disk.stat(at('special'))?.kind).toBe('other');
    });

    it('distinguishes a file in the middle of a path from a missing one', () => {
      put('a', 'one');
      expect(codeOf(() => open(at('a/b'), 'read'))).toBe('ENOTDIR');
      expect(codeOf(() => disk.stat(at('a/b')))).toBe('ENOTDIR');
      expect(codeOf(() => disk.readDirectory(at('a')))).toBe('ENOTDIR');
      expect(codeOf(() => disk.readDirectory(at('no')))).toBe('ENOENT');
    });

    it('truncates, and fills with zeros when a file is extended', () => {
      const handle = open(at('a'), 'create');
      handle.write(bytes('onetwo'));
      handle.truncate(3);
      expect(contentOf(handle)).toBe('one');
      handle.truncate(5);
      expect(contentOf(handle)).toBe('one\0\0');
      handle.write(bytes('x'));
      expect(contentOf(handle)).toBe('one\0\0x');
    });

    it('does not write through a handle that was opened for reading', () => {
      put('a', 'one');
      const handle = open(at('a'), 'read');
      expect(codeOf(() => handle.write(bytes('x')))).toBe('EBADF');
      expect(codeOf(() => handle.truncate(0))).toBe('EINVAL');
      expect(get('a')).toBe('one');
    });

    it('syncs files and directories', async () => {
      const handle = open(at('a'), 'create');
      handle.write(bytes('one'));
      await handle.sync();
      await handle.dataSync();
      await disk.syncDirectory(subject.root);
      await expect(disk.syncDirectory(at('no'))).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('refuses all operations on a closed handle, and may be closed twice', async () => {
      const handle = open(at('a'), 'create');
      handle.close();
      handle.close();
      expect(codeOf(() => handle.write(bytes('x')))).toBe('EBADF');
      expect(codeOf(() => handle.read(new Uint8Array(1), 0))).toBe('EBADF');
      expect(codeOf(() => handle.stat())).toBe('EBADF');
      expect(codeOf(() => handle.truncate(0))).toBe('EBADF');
      expect(codeOf(() => handle.tryLock())).toBe('EBADF');
      await expect(handle.sync()).rejects.toMatchObject({ code: 'EBADF' });
      await expect(handle.dataSync()).rejects.toMatchObject({ code: 'EBADF' });
    });

    it('finishes a running sync when the handle is closed', async () => {
      const handle = open(at('a'), 'create');
      handle.write(bytes('one'));
      const syncs = Promise.all([handle.sync(), handle.dataSync()]);
      handle.close();
      await expect(syncs).resolves.toBeDefined();
    });

    it('lists a directory by name, each with its kind', () => {
      put('b', '');
      put('a', '');
      put('B', '');
      disk.makeDirectory(at('c'));
      subject.symbolicLink('b', at('d'));
      subject.special(at('e'));
      expect(disk.readDirectory(subject.root)).toEqual([
        { name: 'B', kind: 'file' },
        { name: 'a', kind: 'file' },
        { name: 'b', kind: 'file' },
        { name: 'c', kind: 'directory' },
        { name: 'd', kind: 'link' },
        { name: 'e', kind: 'other' },
      ]);
      expect(disk.readNames(subject.root)).toEqual(['B', 'a', 'b', 'c', 'd', 'e']);
    });

    it('creates a directory with those above it, and accepts an existing one', () => {
      disk.makeDirectory(at('a/b/c'));
      disk.makeDirectory(at('a/b/c'));
      expect(disk.stat(at('a'))).toMatchObject({ kind: 'directory', mode: 0o700 });
      expect(disk.stat(at('a/b/c'))).toMatchObject({ kind: 'directory', mode: 0o700 });
      put('f', '');
      expect(codeOf(() => disk.makeDirectory(at('f')))).toBe('EEXIST');
      expect(codeOf(() => disk.makeDirectory(at('f/g')))).toBe('ENOTDIR');
    });

    it('renames a file, replaces an existing one, and keeps open handles on their file', () => {
      put('a', 'one');
      put('b', 'two');
      const replaced = open(at('b'), 'read');
      const moved = open(at('a'), 'append');
      disk.rename(at('a'), at('b'));
      expect(disk.stat(at('a'))).toBeUndefined();
      expect(get('b')).toBe('one');
      expect(contentOf(replaced)).toBe('two');
      expect(replaced.stat().links).toBe(0);
      moved.write(bytes('more'));
      expect(get('b')).toBe('onemore');
    });

    it('renames directories with their contents, never over one that is not empty', () => {
      disk.makeDirectory(at('a'));
      put('a/x', 'one');
      disk.rename(at('a'), at('b'));
      expect(get('b/x')).toBe('one');
      disk.makeDirectory(at('c'));
      expect(codeOf(() => disk.rename(at('c'), at('b')))).toBe('ENOTEMPTY');
      expect(codeOf(() => disk.rename(at('no'), at('d')))).toBe('ENOENT');
      expect(codeOf(() => disk.rename(at('b/x'), at('c')))).toBe('EISDIR');
      expect(codeOf(() => disk.rename(at('c'), at('b/x')))).toBe('ENOTDIR');
    });

    it('gives a file a second name, never over an existing one', () => {
      put('a', 'one');
      disk.link(at('a'), at('b'));
      expect(disk.stat(at('b'))).toMatchObject({ inode: disk.stat(at('a'))?.inode, links: 2 });
      expect(codeOf(() => disk.link(at('a'), at('b')))).toBe('EEXIST');
      expect(codeOf(() => disk.link(at('no'), at('c')))).toBe('ENOENT');
      disk.unlink(at('a'));
      expect(get('b')).toBe('one');
      expect(disk.stat(at('b'))?.links).toBe(1);
    });

    it('removes only files and empty directories', () => {
      put('a', 'one');
      disk.makeDirectory(at('d/e'));
      const open_ = open(at('a'), 'read');
      disk.unlink(at('a'));
      expect(contentOf(open_)).toBe('one');
      expect(codeOf(() => disk.unlink(at('a')))).toBe('ENOENT');
      expect(['EISDIR', 'EPERM']).toContain(codeOf(() => disk.unlink(at('d'))));
      expect(codeOf(() => disk.removeDirectory(at('d')))).toBe('ENOTEMPTY');
      disk.removeDirectory(at('d/e'));
      disk.removeDirectory(at('d'));
      expect(codeOf(() => disk.removeDirectory(at('d')))).toBe('ENOENT');
      put('f', '');
      expect(codeOf(() => disk.removeDirectory(at('f')))).toBe('ENOTDIR');
    });

    it('removes a link, not its target', () => {
      put('a', 'one');
      subject.symbolicLink('a', at('link'));
      disk.unlink(at('link'));
      expect(get('a')).toBe('one');
    });

    it('changes the mode of files and directories, and never through a link', () => {
      put('a', 'one');
      disk.makeDirectory(at('d'));
      subject.symbolicLink('a', at('link'));
      disk.changeMode(at('a'), 0o640);
      disk.changeMode(at('d'), 0o750);
      expect(disk.stat(at('a'))?.mode).toBe(0o640);
      expect(disk.stat(at('d'))?.mode).toBe(0o750);
      expect(codeOf(() => disk.changeMode(at('link'), 0o777))).toBe('ELOOP');
      expect(disk.stat(at('a'))?.mode).toBe(0o640);
    });

    it('gives an exclusive lock to only one handle, even in one process', () => {
      const first = open(at('lock'), 'lock');
      const second = open(at('lock'), 'lock');
      expect(first.tryLock()).toBe(true);
      expect(first.tryLock()).toBe(true);
      expect(second.tryLock()).toBe(false);
      expect(second.tryLock('shared')).toBe(false);
      first.close();
      expect(second.tryLock()).toBe(true);
    });

    it('gives a shared lock to many handles while none has it exclusively', () => {
      const [first, second, third] = [0, 1, 2].map(() => open(at('lock'), 'lock'));
      expect(first?.tryLock('shared')).toBe(true);
      expect(second?.tryLock('shared')).toBe(true);
      expect(third?.tryLock('exclusive')).toBe(false);
      second?.close();
      expect(first?.tryLock('exclusive')).toBe(true);
      expect(third?.tryLock('shared')).toBe(false);
    });

    it('locks the file, not its name', () => {
      const first = open(at('lock'), 'lock');
      expect(first.tryLock()).toBe(true);
      disk.rename(at('lock'), at('elsewhere'));
      expect(open(at('elsewhere'), 'lock').tryLock()).toBe(false);
      expect(open(at('lock'), 'lock').tryLock()).toBe(true);
    });

    it('reports the free room', () => {
      const { freeBytes, totalBytes, type } = disk.space(subject.root);
      expect(freeBytes).toBeGreaterThan(0);
      expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
      expect(type).toBeGreaterThan(0);
      expect(codeOf(() => disk.space(at('no')))).toBe('ENOENT');
    });
  });
}
