import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPathOf } from '../../../lib/platform/files/io.ts';
import { nodeFileSystem } from '../../../lib/platform/files/node-file-system.ts';

describe('the real path', () => {
  let home: string;
  beforeAll(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-real-')));
    mkdirSync(join(home, 'place'));
    writeFileSync(join(home, 'place', 'file'), '');
    symlinkSync('place', join(home, 'way'));
    symlinkSync('nothing', join(home, 'lost'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('is the target of links on the way', () => {
    expect(realPathOf(nodeFileSystem, join(home, 'way', 'file'))).toBe(join(home, 'place', 'file'));
  });

  it.each(['gone', 'lost', 'place/file/below', 'with\0nul'])('does not exist for %j', (path) => {
    expect(realPathOf(nodeFileSystem, join(home, path))).toBeUndefined();
  });

  it('hides no fault', () => {
    const broken = {
      realPath(): string {
        throw new TypeError('a fault');
      },
    };
    expect(() => realPathOf(broken, '/')).toThrow('a fault');
  });
});
