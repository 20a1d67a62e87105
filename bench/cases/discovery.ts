// Finding a project's files under nested ignore rules, compared with globby: names, in the same tree, by the clock. And
// the files that an `@` offers while it is typed: until the first are shown, until the project is walked, and a letter.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { discover } from '../../lib/discovery/index.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import type { Case } from '../case.ts';
import { loadPeer, milliseconds, rowsOf } from '../measure.ts';
import { runToEnd } from '../program.ts';

type Globby = (pattern: string, options: object) => Promise<readonly string[]>;
const TYPED = 'p1m1f7';

export const run: Case = async function* ({ size, directory }) {
  const globby = (await loadPeer<{ globby: Globby }>('globby'))?.globby;
  const rounds = 3;
  for (const full of [10_000, 100_000]) {
    const count = size(full, 200);
    const files = `${count.toLocaleString('en')} files`;
    const root = join(directory, `tree-${full}`);
    const listed = makeTree(root, count);
    const finding = (find: () => Promise<readonly unknown[]>) => () =>
      milliseconds(async () => {
        const { length } = await find();
        if (length !== listed) throw new Error(`${length} files found of ${listed}`);
      });
    const names = async () => (await Array.fromAsync(discover({ root }).names())).flat();
    const ollm = finding(async () => (await names()).filter(({ type }) => type === 'file'));
    const options = { cwd: root, gitignore: true, dot: true, ignore: ['.git'] };
    const peer = ['globby, gitignore', globby && finding(() => globby('**', options)), 0.33] as const;
    const limit = full === 10_000 ? 1000 : undefined;
    yield { what: `discovery of ${files}`, ollm, limit, against: [peer], rounds };

    const env = { HOME: directory, OLLM_HOME: join(directory, 'home') };
    const app = await createApp({ env, cwd: root, command: 'bench' });
    const found = (first: () => void) => {
      const fuzzy = new FuzzyFiles(app);
      fuzzy.onMore(() => fuzzy.find(TYPED).length > 0 && first());
      fuzzy.begin();
      return fuzzy;
    };
    const walked = async () => {
      const fuzzy = found(() => {});
      await fuzzy.settled({});
      if (fuzzy.find(TYPED).length === 0) throw new Error('no file is found by letters of its path');
      return fuzzy;
    };
    const known = await walked();
    const typing = () => [...TYPED].map((_, index) => known.find(TYPED.slice(0, index + 1)));
    const letter = async () => (await milliseconds(typing)) / TYPED.length;
    const shown = () => milliseconds(() => new Promise<void>((resolve) => void found(resolve)));
    yield* rowsOf({ [`@ in ${files}: each letter after it`]: letter }, { limit: 100, rounds });
    const until = `@ in ${files}: until`;
    const whole = () => milliseconds(walked);
    const sides = { [`${until} the first are shown`]: shown, [`${until} the project is walked`]: whole };
    yield* rowsOf(sides, { limit: 1000, rounds });
  }
};

/** A repository of about `count` files, a fifth of them ignored by rules at two depths. Returns how many are not. */
function makeTree(root: string, count: number): number {
  let [made, ignored] = [0, 0];
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    made++;
  };
  for (let module = 0; made < count; module++) {
    const path = join(root, `part-${module % 20}`, `module-${module}`);
    mkdirSync(join(path, 'dist'), { recursive: true });
    for (let file = 0; file < 16; file++) write(join(path, `file-${file}.ts`), 'x\n');
    for (const name of ['file-16.log', 'file-17.log', 'dist/file-18.ts', 'dist/file-19.ts']) {
      write(join(path, name), 'x\n');
      ignored++;
    }
    if (module % 10 === 0) write(join(path, '.gitignore'), '*.log\n');
  }
  write(join(root, '.gitignore'), 'dist/\n*.log\nnode_modules/\n');
  runToEnd('git', ['init', '-q', root]);
  return made - ignored;
}
