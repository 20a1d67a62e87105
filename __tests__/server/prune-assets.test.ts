import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem, silentLog, systemClock } from '../../lib/platform/index.ts';
import { pruneAssets } from '../../lib/server/prune-assets.ts';

const DAY_MS = 86_400_000;
const name = (letter: string, rest = '.png') => `${letter.repeat(64)}${rest}`;

it('assets last sent over 30 days ago are removed, leftovers of uploads after an hour, and nothing else', () => {
  const home = mkdtempSync(join(tmpdir(), 'ollm-assets-'));
  try {
    const app = { fileSystem: nodeFileSystem, clock: systemClock, log: silentLog, paths: { home } as never };
    pruneAssets(app);
    mkdirSync(join(home, 'assets'));
    const put = (file: string, ageMs: number) => {
      const path = join(home, 'assets', file);
      writeFileSync(path, 'x');
      const seconds = (Date.now() - ageMs) / 1000;
      utimesSync(path, seconds, seconds);
    };
    put(name('a'), 31 * DAY_MS);
    put(name('b'), 29 * DAY_MS);
    put(name('c', '.png.Ab-_9.tmp'), DAY_MS);
    put(name('d', '.png.Ab-_9.tmp'), 60_000);
    put('note of mine.txt', 400 * DAY_MS);
    pruneAssets(app);
    expect(readdirSync(join(home, 'assets'))).toEqual([name('b'), name('d', '.png.Ab-_9.tmp'), 'note of mine.txt']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
