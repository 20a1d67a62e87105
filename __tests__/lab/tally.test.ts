import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countStates } from './tally.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-tally-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a tally of crash states', () => {
  const count = (states: number) =>
    countStates({ file: join(directory, 'tally.json'), states, budgetMs: 1, onProgress: () => {} });

  it('goes on from the run before, with other seeds, until there are enough', async () => {
    const first = await count(1_000_000);
    const second = await count(1_000_000);
    expect(second.totals.crashStates).toBeGreaterThan(first.totals.crashStates);
    expect(new Set(second.parts.map(({ seeds }) => seeds.first)).size).toBe(2);
    expect(await count(second.totals.crashStates)).toEqual(second);
  });

  it('counts nothing beside states of other code', async () => {
    writeFileSync(join(directory, 'tally.json'), JSON.stringify({ code: 'of yesterday', runs: [] }));
    await expect(count(1)).rejects.toThrow('was taken of other code');
  });
});
