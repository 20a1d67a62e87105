// Finding a project's files under nested ignore rules, compared with globby: names, in the same tree, by the clock.
import { join } from 'node:path';
import { discover } from '../../lib/discovery/index.ts';
import type { Case } from '../case.ts';
import { milliseconds, type Timed } from '../measure.ts';
import { loadPeer } from '../peers.ts';
import { makeTree } from '../tree.ts';

type Globby = (pattern: string, options: object) => Promise<string[]>;

export const run: Case = async function* ({ size, directory, progress }) {
  const globby = (await loadPeer<{ globby: Globby }>('globby'))?.globby;
  for (const full of [10_000, 100_000]) {
    const count = size(full, 200);
    const files = `${count.toLocaleString('en')} files`;
    progress(`making ${files}`);
    const root = join(directory, `tree-${full}`);
    const listed = makeTree(root, count);
    const finding = (find: () => Promise<number>): Timed => {
      return () =>
        milliseconds(async () => {
          const found = await find();
          if (found !== listed) throw new Error(`${found} files found of ${listed}`);
        });
    };
    yield {
      what: `discovery of ${files}`,
      subject: finding(async () => {
        const names = (await Array.fromAsync(discover({ root }).names())).flat();
        return names.filter(({ type }) => type === 'file').length;
      }),
      limit: full === 10_000 ? 1000 : undefined,
      against: [{ name: 'globby, gitignore', atMost: 0.33, run: globby && finding(() => globbed(globby, root)) }],
      rounds: 3,
    };
  }
};

async function globbed(globby: Globby, root: string): Promise<number> {
  return (await globby('**', { cwd: root, gitignore: true, dot: true, ignore: ['.git'] })).length;
}
