// Finding a project's files under nested ignore rules, compared with globby: names, in the same tree, by the clock. And
// the files that an `@` offers while it is typed: until the first are shown, and a letter.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { discover } from '../../lib/discovery/index.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import type { Case } from '../case.ts';
import { milliseconds } from '../measure.ts';
import { runToEnd } from '../program.ts';

type Globby = (pattern: string, options: object) => Promise<readonly string[]>;
const PEER: string = 'globby';
const TYPED = 'p1m1f7';

export const run: Case = async function* ({ size, directory }) {
  // Undefined if `npm ci --prefix bench` has not installed it.
  const { globby } = (await import(PEER).catch(() => ({}))) as { readonly globby?: Globby };
  const rounds = 3;
  const count = size(100_000, 200);
  const files = `${count.toLocaleString('en')} files`;
  const root = join(directory, 'tree');
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
  yield { what: `discovery of ${files}`, ollm, limit: 1000, against: [peer], rounds };

  const env = { HOME: directory, OLLM_HOME: join(directory, 'home') };
  const app = await createApp({ env, cwd: root, command: 'bench' });
  const shown = () => {
    const fuzzy = new FuzzyFiles(app);
    return milliseconds(
      () =>
        new Promise<void>((resolve) => {
          fuzzy.onMore(() => fuzzy.find(TYPED).length > 0 && resolve());
          fuzzy.begin();
        }),
    );
  };
  yield { what: `@ in ${files}: until the first are shown`, ollm: shown, limit: 1000, rounds };
  const known = new FuzzyFiles(app);
  known.begin();
  await known.settled({});
  if (known.find(TYPED).length === 0) throw new Error('no file is found by letters of its path');
  const typing = () => [...TYPED].map((_, index) => known.find(TYPED.slice(0, index + 1)));
  const letter = async () => (await milliseconds(typing)) / TYPED.length;
  yield { what: `@ in ${files}: each letter after it`, ollm: letter, limit: 100, rounds };
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
