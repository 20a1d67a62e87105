import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadLocks } from '../../../lib/platform/files/native-locks.ts';

describe('locks of the kernel', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'ollm-locks-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['exclusive', 'exclusive', false],
    ['exclusive', 'shared', false],
    ['shared', 'exclusive', false],
    ['shared', 'shared', true],
  ] as const)('while one handle has it %s, a second one gets it %s: %s', (first, second, isGiven) => {
    const tryLock = loadLocks();
    const descriptors = [first, second].map(() => openSync(join(root, `${first}-${second}`), 'a+'));
    try {
      expect(tryLock(descriptors[0]!, first)).toBe(true);
      expect(tryLock(descriptors[1]!, second)).toBe(isGiven);
    } finally {
      descriptors.forEach(closeSync);
    }
  });

  it('report why a file cannot be locked', () => {
    expect(() => loadLocks()(1 << 20, 'exclusive')).toThrow(expect.objectContaining({ code: 'EBADF' }));
  });
});
