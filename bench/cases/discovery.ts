// Finding a project's files under nested ignore rules, beside globby: names, in the same tree, by the clock.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { discover } from '../../lib/discovery/index.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import type { Case } from '../case.ts';
import { limitOf, measure, milliseconds, type Timed } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';

type Globby = (pattern: string, options: object) => Promise<string[]>;

export const run: Case = async function* ({ size, directory, progress }) {
  const globby = (await loadPeer<{ globby: Globby }>('globby'))?.globby;
  if (!globby) yield missingPeer('globby');

  for (const full of [10_000, 100_000]) {
    const count = size(full, 200);
    progress(`making ${count} files`);
    const root = join(directory, `tree-${full}`);
    const listed = makeTree(root, count);
    const finding = (find: () => Promise<number> | number): Timed => {
      return () =>
        milliseconds(async () => {
          const found = await find();
          if (found !== listed) throw new Error(`${found} files found of ${listed}`);
        });
    };
    progress(`finding ${count} files`);
    yield* await measure(
      {
        what: `discovery of ${count.toLocaleString('en')} files`,
        unit: 'ms',
        subject: finding(async () => {
          let found = 0;
          for await (const part of discover({ root }).names())
            found += part.filter(({ type }) => type === 'file').length;
          return found;
        }),
        against: [
          ...(full === 10_000 ? [limitOf(1000)] : []),
          ...(globby
            ? [{ name: 'globby, gitignore', goal: { atMost: 0.33 }, run: finding(() => globbed(globby, root)) }]
            : []),
        ],
      },
      3,
    );
    progress(`completing @ in ${count} files`);
    const app = await createApp({
      env: { HOME: directory, OLLM_HOME: join(directory, 'home') },
      cwd: root,
      command: 'bench',
    });
    const TYPED = 'p1m1f7';
    const known = new FuzzyFiles(app);
    known.begin();
    await known.settled({});
    const what = `@ in ${count.toLocaleString('en')} files`;
    yield* await measure(
      {
        what: `${what}: until the first are shown`,
        unit: 'ms',
        subject: () => milliseconds(() => firstFound(new FuzzyFiles(app), TYPED)),
        against: [limitOf(1000)],
      },
      3,
    );
    yield* await measure(
      {
        what: `${what}: until the project is walked, and the best are shown`,
        unit: 'ms',
        subject: () =>
          milliseconds(async () => {
            const files = new FuzzyFiles(app);
            files.begin();
            await files.settled({});
            if (files.find(TYPED).length === 0) throw new Error('no file is found by letters of its path');
          }),
        against: [limitOf(1000)],
      },
      3,
    );
    yield* await measure(
      {
        what: `${what}: each letter behind it`,
        unit: 'ms',
        subject: async () =>
          (await milliseconds(() => [...TYPED].map((_, at) => known.find(TYPED.slice(0, at + 1))))) / TYPED.length,
        against: [limitOf(100)],
      },
      3,
    );
  }
};

function firstFound(files: FuzzyFiles, typed: string): Promise<void> {
  return new Promise((resolve) => {
    files.onMore(() => {
      if (files.find(typed).length > 0) resolve();
    });
    files.begin();
  });
}

async function globbed(globby: Globby, root: string): Promise<number> {
  return (await globby('**', { cwd: root, gitignore: true, dot: true, ignore: ['.git'] })).length;
}

/** A repository of about `count` files, a fifth of them ignored by rules at two depths. Returns how many are not. */
function makeTree(root: string, count: number): number {
  let made = 0;
  let ignored = 0;
  for (let module = 0; made < count; module++) {
    const path = join(root, `part-${module % 20}`, `module-${module}`);
    mkdirSync(join(path, 'dist'), { recursive: true });
    for (let file = 0; file < 20; file++, made++) {
      const isLog = file % 10 === 9;
      const isBuilt = file % 10 === 8;
      if (isLog || isBuilt) ignored++;
      writeFileSync(join(path, isBuilt ? 'dist' : '', `file-${file}.${isLog ? 'log' : 'ts'}`), 'x\n');
    }
    if (module % 10 !== 0) continue;
    writeFileSync(join(path, '.gitignore'), '*.log\n');
    made++;
  }
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\nnode_modules/\n');
  execFileSync('git', ['init', '-q', root]);
  return made + 1 - ignored;
}
