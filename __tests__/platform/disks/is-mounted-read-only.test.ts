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

test('a directory that can be written, and one that is not there, are not', () => {
  expect(isMountedReadOnly(directory)).toBe(false);
  expect(isMountedReadOnly(join(directory, 'nothing'))).toBe(false);
});

test('a mount without writing is, also for root', () => {
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
