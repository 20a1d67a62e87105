// The files that some letters after an @ mean: walked once in the background, and again after a time.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import { createTree } from '../support/tree.ts';
import { until } from '../support/until.ts';

async function walked({ below = '', files = {} as Readonly<Record<string, string>> } = {}) {
  const tree = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'lib/mast.ts': '', ...files });
  const clock = manualClock();
  // A home, and everything above it, is not a project: the tree is next to it.
  const env = { HOME: `${tree.root}-home`, OLLM_HOME: join(tree.root, '.home') };
  const app = await createApp({ env, cwd: join(tree.root, below), command: 'test', parts: { clock } });
  const fuzzy = new FuzzyFiles(app);
  let reports = 0;
  fuzzy.onMore(() => {
    reports += 1;
  });
  return { tree, clock, fuzzy, reports: () => reports };
}

it('files are found after one walk, which runs once however often it is begun', async () => {
  const { tree, fuzzy, reports } = await walked();
  using _ = tree;
  expect(fuzzy.find('mst')).toEqual([]);
  for (let letter = 0; letter < 3; letter += 1) fuzzy.begin();
  await fuzzy.settled({});
  expect(fuzzy.find('mst')).toEqual(['lib/mast.ts']);
  expect(fuzzy.isComplete).toBe(true);
  expect(reports()).toBe(1);
  fuzzy.begin();
  await fuzzy.settled({});
  expect(reports()).toBe(1);
});

it('files of the last walk are offered until a later walk, which adds new files, is over', async () => {
  const { tree, clock, fuzzy } = await walked();
  using _ = tree;
  fuzzy.begin();
  await fuzzy.settled({});
  writeFileSync(join(tree.root, 'lib/master.ts'), '');
  fuzzy.begin();
  await fuzzy.settled({});
  expect(fuzzy.find('mst')).toEqual(['lib/mast.ts']);
  clock.advance(3_000);
  fuzzy.begin();
  expect(fuzzy.find('mst')).toEqual(['lib/mast.ts']);
  await fuzzy.settled({});
  expect(fuzzy.find('mst')).toEqual(['lib/mast.ts', 'lib/master.ts']);
});

it('files of a large project are offered in part before its walk is over', async () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`d${at % 30}/mast-${at}.ts`, '']));
  const { tree, fuzzy } = await walked({ files: many });
  using _ = tree;
  const seen: boolean[] = [];
  fuzzy.onMore(() => void seen.push(fuzzy.isComplete));
  fuzzy.begin();
  await until(() => fuzzy.find('mst').length > 0);
  await fuzzy.settled({});
  expect(fuzzy.find('mast2999')).toEqual(['d29/mast-2999.ts']);
  expect(seen.at(-1)).toBe(true);
});

it('files are named relative to the working directory', async () => {
  const { tree, fuzzy } = await walked({ below: 'lib', files: { 'docs/mast.md': '' } });
  using _ = tree;
  fuzzy.begin();
  await fuzzy.settled({});
  expect(fuzzy.find('mast').toSorted()).toEqual(['../docs/mast.md', 'mast.ts']);
});

it('files are not searched any more after the end', async () => {
  const { tree, fuzzy } = await walked();
  using _ = tree;
  fuzzy.begin();
  fuzzy.stop();
  await fuzzy.settled({});
  fuzzy.begin();
  expect(fuzzy.find('mst')).toEqual([]);
});
