// Finding a project's files under nested ignore rules, compared with globby: names, in the same tree, by the clock. And
// the files that an `@` offers while it is typed: until the first are shown, until the project is walked, and a letter.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { discover } from '../../lib/discovery/index.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import type { Case } from '../case.ts';
import { loadPeer, milliseconds, type Timed } from '../measure.ts';

type Globby = (pattern: string, options: object) => Promise<readonly string[]>;
const TYPED = 'p1m1f7';

export const run: Case = async function* ({ size, directory, progress }) {
  const globby = (await loadPeer<{ globby: Globby }>('globby'))?.globby;
  const rounds = 3;
  for (const full of [10_000, 100_000]) {
    const count = size(full, 200);
    const files = `${count.toLocaleString('en')} files`;
    progress(`making ${files}`);
    const root = join(directory, `tree-${full}`);
    const listed = makeTree(root, count);
    const finding =
      (find: () => Promise<readonly unknown[]>): Timed =>
      () =>
        milliseconds(async () => {
          const { length } = await find();
          if (length !== listed) throw new Error(`${length} files found of ${listed}`);
        });
    const names = async () => (await Array.fromAsync(discover({ root }).names())).flat();
    const subject = finding(async () => (await names()).filter(({ type }) => type === 'file'));
    const options = { cwd: root, gitignore: true, dot: true, ignore: ['.git'] };
    const peer = { name: 'globby, gitignore', atMost: 0.33, run: globby && finding(() => globby('**', options)) };
    const limit = full === 10_000 ? 1000 : undefined;
    yield { what: `discovery of ${files}`, subject, limit, against: [peer], rounds };

    const env = { HOME: directory, OLLM_HOME: join(directory, 'home') };
    const app = await createApp({ env, cwd: root, command: 'bench' });
    const found = (first: () => void) => {
      const fuzzy = new FuzzyFiles(app);
      fuzzy.onMore(() => fuzzy.find(TYPED).length > 0 && first());
      fuzzy.begin();
      return fuzzy;
    };
    const shown = () => milliseconds(() => new Promise<void>((resolve) => void found(resolve)));
    yield { what: `@ in ${files}: until the first are shown`, subject: shown, limit: 1000, rounds };
    const walked = async () => {
      const fuzzy = found(() => {});
      await fuzzy.settled({});
      if (fuzzy.find(TYPED).length === 0) throw new Error('no file is found by letters of its path');
      return fuzzy;
    };
    const whole = `@ in ${files}: until the project is walked, and the best are shown`;
    yield { what: whole, subject: () => milliseconds(walked), limit: 1000, rounds };
    const known = await walked();
    const typing = () => [...TYPED].map((_, index) => known.find(TYPED.slice(0, index + 1)));
    const letter = async () => (await milliseconds(typing)) / TYPED.length;
    yield { what: `@ in ${files}: each letter after it`, subject: letter, limit: 100, rounds };
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
    for (let file = 0; file < 20; file++) {
      const isLog = file % 10 === 9;
      const isBuilt = file % 10 === 8;
      if (isLog || isBuilt) ignored++;
      write(join(path, isBuilt ? 'dist' : '', `file-${file}.${isLog ? 'log' : 'ts'}`), 'x\n');
    }
    if (module % 10 === 0) write(join(path, '.gitignore'), '*.log\n');
  }
  write(join(root, '.gitignore'), 'dist/\n*.log\nnode_modules/\n');
  execFileSync('git', ['init', '-q', root]);
  return made - ignored;
}
