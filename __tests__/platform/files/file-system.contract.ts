// What every file system behind the port does, whether on a disk or in memory. Each suite runs it with its own set-up.
import type { FileHandle, FileSystem } from '../../../lib/platform/index.ts';

export interface FileSystemUnderTest {
  readonly fileSystem: FileSystem;
  /** An empty directory. */
  readonly root: string;
  symbolicLink(target: string, path: string): void;
  /** Makes a FIFO, or something else that is not a file. */
  special(path: string): void;
  dispose(): void;
}

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
  describe(`${name}, as every file system`, () => {
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

    it('reads back what was written, at any position', () => {
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

    it('appends at the end, through whichever handle was written before', () => {
      put('a', 'one');
      const first = open(at('a'), 'append');
      const second = open(at('a'), 'append');
      first.write(bytes('two'));
      second.write(bytes('three'));
      first.write(bytes('four'));
      expect(get('a')).toBe('onetwothreefour');
    });

    it('says of a file what it is', () => {
      put('a', 'one');
      const handle = open(at('a'), 'read');
      const stat = handle.stat();
      expect(stat).toMatchObject({ kind: 'file', size: 3, links: 1, mode: 0o600, uid: process.getuid?.() ?? 0 });
      expect(disk.stat(at('a'))).toEqual(stat);
      expect(Math.abs(stat.modifiedMs - Date.now())).toBeLessThan(60_000);
      put('b', 'one');
      expect(disk.stat(at('b'))?.inode).not.toBe(stat.inode);
      expect(disk.stat(at('b'))?.device).toBe(stat.device);
    });

    it('has nothing to say of what is not there', () => {
      expect(disk.stat(at('a'))).toBeUndefined();
      expect(disk.stat(at('a/b'))).toBeUndefined();
    });

    it('opens for reading and appending only what is there', () => {
      expect(codeOf(() => open(at('a'), 'read'))).toBe('ENOENT');
      expect(codeOf(() => open(at('a'), 'append'))).toBe('ENOENT');
      expect(codeOf(() => open(at('no/a'), 'create'))).toBe('ENOENT');
      expect(disk.readDirectory(subject.root)).toEqual([]);
    });

    it('creates only what is not there', () => {
      put('a', 'one');
      expect(codeOf(() => open(at('a'), 'create'))).toBe('EEXIST');
      subject.symbolicLink(at('nowhere'), at('link'));
      expect(codeOf(() => open(at('link'), 'create'))).toBe('EEXIST');
      expect(get('a')).toBe('one');
    });

    it('makes a lock file, and leaves one that is there as it is', () => {
      open(at('lock'), 'lock').close();
      expect(disk.stat(at('lock'))).toMatchObject({ size: 0, mode: 0o600 });
      put('other', 'kept');
      open(at('other'), 'lock').close();
      expect(get('other')).toBe('kept');
    });

    it('gives a new file the permissions asked for', () => {
      open(at('a'), 'create', 0o400).close();
      expect(disk.stat(at('a'))?.mode).toBe(0o400);
    });

    it.each(['read', 'append', 'lock'] as const)('never follows a link in the last place: %s', (mode) => {
      put('a', 'one');
      subject.symbolicLink(at('a'), at('link'));
      expect(codeOf(() => open(at('link'), mode))).toBe('ELOOP');
      expect(disk.stat(at('link'))?.kind).toBe('link');
    });

    it('follows links on the way', () => {
      disk.makeDirectory(at('real'));
      put('real/a', 'one');
      subject.symbolicLink('real', at('link'));
      expect(get('link/a')).toBe('one');
      expect(disk.realPath(at('link/a'))).toBe(disk.realPath(at('real/a')));
      expect(disk.realPath(at('link'))).toBe(disk.realPath(at('real')));
    });

    it('gives up on links that go round', () => {
      subject.symbolicLink('b', at('a'));
      subject.symbolicLink('a', at('b'));
      expect(codeOf(() => disk.realPath(at('a')))).toBe('ELOOP');
      expect(codeOf(() => open(at('a/x'), 'read'))).toBe('ELOOP');
    });

    it.each(['read', 'append', 'lock'] as const)('opens nothing that is not a file, and does not wait: %s', (mode) => {
      disk.makeDirectory(at('directory'));
      subject.special(at('special'));
      expect(codeOf(() => open(at('directory'), mode))).toBe('EISDIR');
      expect(codeOf(() => open(at('special'), mode))).toBe('ENXIO');
      expect(disk.stat(at('directory'))?.kind).toBe('directory');
      expect(disk.stat(at('special'))?.kind).toBe('other');
    });

    it('tells a file in the middle of a path from nothing', () => {
      put('a', 'one');
      expect(codeOf(() => open(at('a/b'), 'read'))).toBe('ENOTDIR');
      expect(codeOf(() => disk.stat(at('a/b')))).toBe('ENOTDIR');
      expect(codeOf(() => disk.readDirectory(at('a')))).toBe('ENOTDIR');
      expect(codeOf(() => disk.readDirectory(at('no')))).toBe('ENOENT');
    });

    it('truncates, and fills with zeros when it is made longer', () => {
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

    it('refuses everything once it is closed, and closing twice is harmless', async () => {
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

    it('finishes a sync that was under way when the handle was closed', async () => {
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

    it('makes a directory with those above it, and does not mind that it is there', () => {
      disk.makeDirectory(at('a/b/c'));
      disk.makeDirectory(at('a/b/c'));
      expect(disk.stat(at('a'))).toMatchObject({ kind: 'directory', mode: 0o700 });
      expect(disk.stat(at('a/b/c'))).toMatchObject({ kind: 'directory', mode: 0o700 });
      put('f', '');
      expect(codeOf(() => disk.makeDirectory(at('f')))).toBe('EEXIST');
      expect(codeOf(() => disk.makeDirectory(at('f/g')))).toBe('ENOTDIR');
    });

    it('renames, replaces what is there, and keeps open handles on their file', () => {
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

    it('renames directories with what is in them, never over one that is not empty', () => {
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

    it('gives a file a second name, never over another', () => {
      put('a', 'one');
      disk.link(at('a'), at('b'));
      expect(disk.stat(at('b'))).toMatchObject({ inode: disk.stat(at('a'))?.inode, links: 2 });
      expect(codeOf(() => disk.link(at('a'), at('b')))).toBe('EEXIST');
      expect(codeOf(() => disk.link(at('no'), at('c')))).toBe('ENOENT');
      disk.unlink(at('a'));
      expect(get('b')).toBe('one');
      expect(disk.stat(at('b'))?.links).toBe(1);
    });

    it('removes files and empty directories, and nothing else', () => {
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

    it('removes a link, not what it points to', () => {
      put('a', 'one');
      subject.symbolicLink('a', at('link'));
      disk.unlink(at('link'));
      expect(get('a')).toBe('one');
    });

    it('changes the mode of files and directories, and of nothing behind a link', () => {
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

    it('lets one handle alone hold an exclusive lock, even in one process', () => {
      const first = open(at('lock'), 'lock');
      const second = open(at('lock'), 'lock');
      expect(first.tryLock()).toBe(true);
      expect(first.tryLock()).toBe(true);
      expect(second.tryLock()).toBe(false);
      expect(second.tryLock('shared')).toBe(false);
      first.close();
      expect(second.tryLock()).toBe(true);
    });

    it('lets many share a lock that no handle holds alone', () => {
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

    it('knows how much room there is', () => {
      const { freeBytes, totalBytes, type } = disk.space(subject.root);
      expect(freeBytes).toBeGreaterThan(0);
      expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
      expect(type).toBeGreaterThan(0);
      expect(codeOf(() => disk.space(at('no')))).toBe('ENOENT');
    });
  });
}
