// What V8 makes of a stream, in processes of their own: what it was told stays with a process to its end.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('../../lib/platform/frugal-memory.ts', import.meta.url));

/** Long and short texts come and go, a few of them are held for a while. Answers with the sizes of the heap, in MB. */
function streamed({ early }: { early: boolean }): { young: number; whole: number } {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${early ? `import { collectEarly } from ${JSON.stringify(MODULE)}; collectEarly();` : ''}
    const held = [];
    let young = 0;
    let whole = 0;
    for (let round = 0; round < 60_000; round += 1) {
      held[round % 300] = Buffer.alloc(round % 100 === 0 ? 300_000 : 3_000, 97).toString('latin1');
      if (round % 500 !== 0) continue;
      const spaces = getHeapSpaceStatistics();
      young = Math.max(young, spaces.find(({ space_name }) => space_name === 'new_space').space_size);
      whole = Math.max(whole, spaces.reduce((sum, { space_size }) => sum + space_size, 0));
    }
    console.log(JSON.stringify({ young: young / 1e6, whole: whole / 1e6 }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  // A V8 that does not know what it is told says so here.
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { young: number; whole: number };
}

it('memory for a stream stays at what it needs, where V8 would make room', () => {
  const usual = streamed({ early: false });
  const frugal = streamed({ early: true });
  expect(frugal.young).toBeLessThan(usual.young / 2);
  expect(frugal.whole).toBeLessThan(usual.whole * 0.75);
});
