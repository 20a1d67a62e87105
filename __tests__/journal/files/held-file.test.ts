// A file under way and the leftover of a crash, told apart by the lock that a process holds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHeld, removeLeftover } from '../../../lib/journal/files/held-file.ts';
import type { FileHandle, FileSystem } from '../../../lib/platform/files/file-system.ts';
import { memoryFileSystem, nodeFileSystem } from '../../../lib/platform/index.ts';

describe.each([
  { name: 'on the disk', made: () => nodeFileSystem },
  { name: 'in memory', made: () => memoryFileSystem() as FileSystem },
])('a file that is being written, $name', ({ made }) => {
  let directory: string;
  let fileSystem: FileSystem;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ollm-held-'));
    fileSystem = made();
    fileSystem.makeDirectory(directory);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('stays while it is held, and goes as a leftover afterwards', () => {
    const path = join(directory, 'private');
    const handle = createHeld(fileSystem, path, 0o600)!;
    removeLeftover(fileSystem, path);
    expect(fileSystem.stat(path)).toMatchObject({ kind: 'file' });
    handle.close();
    removeLeftover(fileSystem, path);
    expect(fileSystem.stat(path)).toBeUndefined();
    expect(() => removeLeftover(fileSystem, path)).toThrow('ENOENT');
  });

  it('is not taken by its maker if another process removed it, or holds it, before it was locked', () => {
    const path = join(directory, 'private');
    const between = (event: (path: string) => void): FileSystem => ({
      ...fileSystem,
      open(...request: Parameters<FileSystem['open']>): FileHandle {
        const handle = fileSystem.open(...request);
        event(path);
        return handle;
      },
    });
    expect(
      createHeld(
        between((each) => removeLeftover(fileSystem, each)),
        path,
      ),
    ).toBeUndefined();
    expect(fileSystem.stat(path)).toBeUndefined();
    let other: FileHandle | undefined;
    const held = createHeld(
      between((each) => {
        other = fileSystem.open(each, 'append');
        other.tryLock();
      }),
      path,
    );
    expect(held).toBeUndefined();
    other!.close();
  });
});
