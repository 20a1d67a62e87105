import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileHandle, nodeFileSystem } from '../../../lib/platform/index.ts';
import { fileSystemContract } from './file-system.contract.ts';

const MODULE = new URL('../../../lib/platform/files/node-file-system.ts', import.meta.url).href;

function newRoot(): string {
  return mkdtempSync(join(tmpdir(), 'ollm-file-system-'));
}

fileSystemContract('the disk', () => {
  const root = newRoot();
  return {
    fileSystem: nodeFileSystem,
    root,
    symbolicLink: (target, path) => symlinkSync(target, path),
    special: (path) => void execFileSync('mkfifo', [path]),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
});

describe('the disk', () => {
  it('reports immediately that a directory cannot be created, and creates one with missing parents', () => {
    const root = newRoot();
    const path = join(root, 'a', 'b', 'c');
    nodeFileSystem.makeDirectory(path);
    nodeFileSystem.makeDirectory(path);
    expect(nodeFileSystem.stat(path)).toMatchObject({ kind: 'directory', mode: 0o700 });
    nodeFileSystem.open(join(root, 'file'), 'create').close();
    expect(() => nodeFileSystem.makeDirectory(join(root, 'file'))).toThrow('EEXIST');
    expect(() => nodeFileSystem.makeDirectory(join(root, 'file', 'd'))).toThrow('ENOTDIR');
    rmSync(root, { recursive: true });
    if (process.platform === 'linux') expect(() => nodeFileSystem.makeDirectory('/proc/a/b')).toThrow('ENOENT');
  });

  it('releases the lock of a process that was killed, immediately', async () => {
    const root = newRoot();
    const lock = join(root, 'lock');
    const script = `
      const { nodeFileSystem } = await import(${JSON.stringify(MODULE)});
      const handle = nodeFileSystem.open(${JSON.stringify(lock)}, 'lock');
      process.stdout.write(String(handle.tryLock()));
      setInterval(() => handle.stat(), 1000);`;
    const child = spawn('node', ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const said = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
      expect(said).toBe('true');
      const handle = nodeFileSystem.open(lock, 'lock');
      expect(handle.tryLock()).toBe(false);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      expect(handle.tryLock()).toBe(true);
      handle.close();
    } finally {
      child.kill('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    }
  });

  describe('with many syncs, which it awaits in place if the device is quick', () => {
    const LONG_ROW = 20;
    let root: string;
    let handle: FileHandle;
    beforeEach(async () => {
      root = newRoot();
      handle = nodeFileSystem.open(join(root, 'a'), 'create');
      for (let count = 0; count < LONG_ROW; count++) await syncByte();
    });
    afterEach(() => {
      handle.close();
      rmSync(root, { recursive: true, force: true });
    });

    async function syncByte(): Promise<void> {
      handle.write(Uint8Array.of(0x2e));
      await handle.dataSync();
    }

    it('leaves time for the event loop, however many there are', async () => {
      let hasTurned = false;
      setImmediate(() => {
        hasTurned = true;
      });
      for (let count = 0; !hasTurned && count < 20_000; count++) await syncByte();
      expect(hasTurned).toBe(true);
    });

    it('finishes a sync that was requested before the handle was closed', async () => {
      handle.write(Uint8Array.of(0x2e));
      const sync = handle.dataSync();
      handle.close();
      await expect(sync).resolves.toBeUndefined();
      await expect(handle.dataSync()).rejects.toMatchObject({ code: 'EBADF' });
    });
  });
});
