import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMountedReadOnly } from '../../../lib/platform/disks/is-mounted-read-only.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-mount-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a writable directory, and a missing one, are not mounted read-only', () => {
  expect(isMountedReadOnly(directory)).toBe(false);
  expect(isMountedReadOnly(join(directory, 'nothing'))).toBe(false);
});

test('a read-only mount is recognized, also by root', () => {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', directory]);
  if (mounted.status !== 0) {
    console.log('skipped: nothing can be mounted here');
    return;
  }
  try {
    expect(isMountedReadOnly(directory)).toBe(true);
  } finally {
    spawnSync('umount', [directory]);
  }
});
