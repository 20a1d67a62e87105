import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { fileSystemContract } from './file-system.contract.ts';

const MODULE = new URL('../../lib/platform/node-file-system.ts', import.meta.url).href;

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
  it('gives up the lock of a process that was killed, at once', async () => {
    const root = newRoot();
    const lock = join(root, 'lock');
    const script = `
      const { nodeFileSystem } = await import(${JSON.stringify(MODULE)});
      const handle = nodeFileSystem.open(${JSON.stringify(lock)}, 'lock');
      process.stdout.write(String(handle.tryLock()));
      setInterval(() => handle.stat(), 1000);`;
    const child = spawn('node', ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
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
});
