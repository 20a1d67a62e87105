import { type MemoryFileSystem, manualClock, memoryFileSystem } from '../../../lib/platform/index.ts';
import { fileSystemContract } from './file-system.contract.ts';

fileSystemContract('the disk in memory', () => {
  const fileSystem = memoryFileSystem();
  fileSystem.makeDirectory('/root');
  const { symbolicLink, special } = fileSystem;
  return { fileSystem, root: '/root', symbolicLink, special, dispose() {} };
});

const bytes = (text: string) => new TextEncoder().encode(text);

function put(disk: MemoryFileSystem, path: string, text: string): void {
  const handle = disk.open(path, disk.stat(path) === undefined ? 'create' : 'append');
  handle.write(bytes(text));
  handle.close();
}

function get(disk: MemoryFileSystem, path: string): string {
  const handle = disk.open(path, 'read');
  const target = new Uint8Array(handle.stat().size);
  handle.read(target, 0);
  handle.close();
  return new TextDecoder().decode(target);
}

async function sync(disk: MemoryFileSystem, path: string): Promise<void> {
  const handle = disk.open(path, 'read');
  await handle.sync();
  handle.close();
}

describe('the disk in memory', () => {
  it('has the times of its clock', () => {
    const clock = manualClock(1000);
    const disk = memoryFileSystem({ clock });
    put(disk, '/a', 'one');
    clock.advance(500);
    put(disk, '/b', 'one');
    expect(disk.stat('/a')?.modifiedMs).toBe(1000);
    expect(disk.stat('/b')?.modifiedMs).toBe(1500);
  });

  it('honours permissions, also for root', () => {
    const disk = memoryFileSystem();
    put(disk, '/a', 'one');
    disk.changeMode('/a', 0o400);
    expect(() => disk.open('/a', 'append')).toThrow(expect.objectContaining({ code: 'EACCES' }));
    disk.changeMode('/a', 0);
    expect(() => disk.open('/a', 'read')).toThrow(expect.objectContaining({ code: 'EACCES' }));
    disk.makeDirectory('/d');
    put(disk, '/d/x', 'one');
    disk.changeMode('/d', 0o500);
    for (const change of [
      () => disk.open('/d/y', 'create'),
      () => disk.open('/d/y', 'lock'),
      () => disk.unlink('/d/x'),
      () => disk.rename('/d/x', '/y'),
      () => disk.rename('/a', '/d/a'),
      () => disk.link('/d/x', '/d/z'),
      () => disk.makeDirectory('/d/e'),
    ]) {
      expect(change).toThrow(expect.objectContaining({ code: 'EACCES' }));
    }
    expect(get(disk, '/d/x')).toBe('one');
    expect(disk.stat('/a')?.kind).toBe('file');
  });

  it('drops handles and locks at a crash, and keeps written bytes', () => {
    const disk = memoryFileSystem();
    const handle = disk.open('/lock', 'lock');
    expect(handle.tryLock()).toBe(true);
    put(disk, '/a', 'one');
    disk.crash();
    expect(() => handle.stat()).toThrow(expect.objectContaining({ code: 'EBADF' }));
    expect(disk.open('/lock', 'lock').tryLock()).toBe(true);
    expect(get(disk, '/a')).toBe('one');
  });

  it('forgets unsynced changes at a power cut', async () => {
    const disk = memoryFileSystem();
    put(disk, '/a', 'one');
    await sync(disk, '/a');
    await disk.syncDirectory('/');
    put(disk, '/a', 'two');
    put(disk, '/b', 'new');
    disk.powerCut();
    expect(disk.readDirectory('/').map(({ name }) => name)).toEqual(['a']);
    expect(get(disk, '/a')).toBe('one');
  });

  it('restores at a power cut unsynced truncations, removals and renames', async () => {
    const disk = memoryFileSystem();
    for (const name of ['/a', '/b', '/c']) {
      put(disk, name, 'one');
      await sync(disk, name);
    }
    await disk.syncDirectory('/');
    const handle = disk.open('/a', 'append');
    handle.truncate(1);
    handle.write(bytes('X'));
    disk.unlink('/b');
    disk.rename('/c', '/d');
    disk.powerCut();
    expect(disk.readDirectory('/').map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(get(disk, '/a')).toBe('one');
  });

  it('can lose names and bytes independently', async () => {
    const disk = memoryFileSystem();
    put(disk, '/a', 'one');
    disk.powerCut({ entries: 'all' });
    expect(get(disk, '/a')).toBe('');
    put(disk, '/a', 'one');
    await disk.syncDirectory('/');
    disk.powerCut({ content: 'all' });
    expect(get(disk, '/a')).toBe('one');
  });
});
