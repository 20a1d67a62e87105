import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_VERSION, loadLocks, type TryLock } from '../../../lib/platform/files/native-locks.ts';

describe('locks of the native module', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'ollm-locks-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Whether the second gets it while the first has it. */
  function share(name: string, first: readonly [TryLock, 'exclusive' | 'shared'], second: typeof first): boolean {
    const descriptors = [first, second].map(() => openSync(join(root, name), 'a+'));
    try {
      expect(first[0](descriptors[0]!, first[1])).toBe(true);
      return second[0](descriptors[1]!, second[1]);
    } finally {
      descriptors.forEach(closeSync);
    }
  }

  it('are those of the package: taken directly or by it, they exclude each other', () => {
    const direct = loadLocks();
    const byPackage = loadLocks('0.0.0');
    for (const [name, one, other] of [
      ['direct', direct, direct],
      ['one way', direct, byPackage],
      ['the other way', byPackage, direct],
    ] as const) {
      expect(share(name, [one, 'exclusive'], [other, 'exclusive'])).toBe(false);
      expect(share(name, [one, 'exclusive'], [other, 'shared'])).toBe(false);
      expect(share(name, [one, 'shared'], [other, 'exclusive'])).toBe(false);
      expect(share(name, [one, 'shared'], [other, 'shared'])).toBe(true);
    }
  });

  it('say what is wrong with a file that cannot be locked', () => {
    for (const tryLock of [loadLocks(), loadLocks('0.0.0')]) {
      expect(() => tryLock(1 << 20, 'exclusive')).toThrow(expect.objectContaining({ code: 'EBADF' }));
    }
  });

  it('are called as the version that is installed wants to be called', () => {
    const { version } = createRequire(import.meta.url)('fs-native-extensions/package.json') as { version: string };
    expect(KNOWN_VERSION).toBe(version);
  });
});
