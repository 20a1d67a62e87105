// Runs that leave nothing behind.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOwnDirectory } from '../../bench/own-directory.ts';

describe('a run in its own directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-own-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('finds it empty each time, says how it went, and leaves nothing', async () => {
    const run = inOwnDirectory(directory, async (own) => {
      expect(readdirSync(own)).toEqual([]);
      writeFileSync(join(own, 'left'), 'behind');
      return 42;
    });
    expect([await run(), await run()]).toEqual([42, 42]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('leaves nothing where it breaks off either', async () => {
    const run = inOwnDirectory(directory, (own) => {
      writeFileSync(join(own, 'left'), 'behind');
      throw new Error('it broke off');
    });
    await expect(run()).rejects.toThrow('it broke off');
    expect(readdirSync(directory)).toEqual([]);
  });
});
