// The files that some letters behind an @ mean: walked once for all that wait, and again after a time.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import { createTree } from '../support/tree.ts';
import { until } from '../support/until.ts';

async function searched() {
  const tree = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'lib/mast.ts': '' });
  const clock = manualClock();
  const env = { HOME: tree.root, OLLM_HOME: join(tree.root, '.home') };
  const app = await createApp({ env, cwd: tree.root, command: 'test', parts: { clock } });
  return { tree, clock, app, files: new FuzzyFiles() };
}

it('are walked once for two that wait at the same time: a Tab that was given up is of use to the next', async () => {
  const { tree, app, files } = await searched();
  using _ = tree;
  const [first, second] = await Promise.all([files.finder(app), files.finder(app)]);
  expect(first).toBe(second);
  expect(first('mst')).toEqual(['lib/mast.ts']);
});

it('are those of the last walk for a while, then those that are there', async () => {
  const { tree, clock, app, files } = await searched();
  using _ = tree;
  const first = await files.finder(app);
  writeFileSync(join(tree.root, 'lib/master.ts'), '');
  expect(await files.finder(app)).toBe(first);
  clock.advance(31_000);
  await until(async () => (await files.finder(app))('mst').includes('lib/master.ts'));
});
