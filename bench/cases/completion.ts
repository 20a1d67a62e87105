// The files that an `@` offers while it is typed: until the first are shown, until the project is walked, and a letter.
import { join } from 'node:path';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { FuzzyFiles } from '../../lib/repl/fuzzy-files.ts';
import type { Case } from '../case.ts';
import { milliseconds } from '../measure.ts';
import { makeTree } from '../tree.ts';

const TYPED = 'p1m1f7';

export const run: Case = async function* ({ size, directory, progress }) {
  for (const full of [10_000, 100_000]) {
    const count = size(full, 200);
    const files = `${count.toLocaleString('en')} files`;
    progress(`making ${files}`);
    const root = join(directory, `tree-${full}`);
    makeTree(root, count);
    const env = { HOME: directory, OLLM_HOME: join(directory, 'home') };
    const app = await createApp({ env, cwd: root, command: 'bench' });
    const rounds = 3;
    const first = () => milliseconds(() => firstFound(new FuzzyFiles(app)));
    yield { what: `@ in ${files}: until the first are shown`, subject: first, limit: 1000, rounds };
    const best = () => milliseconds(() => settled(app));
    const whole = `@ in ${files}: until the project is walked, and the best are shown`;
    yield { what: whole, subject: best, limit: 1000, rounds };
    const known = await settled(app);
    const typing = () => [...TYPED].map((_, index) => known.find(TYPED.slice(0, index + 1)));
    const letter = async () => (await milliseconds(typing)) / TYPED.length;
    yield { what: `@ in ${files}: each letter behind it`, subject: letter, limit: 100, rounds };
  }
};

function firstFound(files: FuzzyFiles): Promise<void> {
  return new Promise((resolve) => {
    files.onMore(() => {
      if (files.find(TYPED).length > 0) resolve();
    });
    files.begin();
  });
}

async function settled(app: App): Promise<FuzzyFiles> {
  const files = new FuzzyFiles(app);
  files.begin();
  await files.settled({});
  if (files.find(TYPED).length === 0) throw new Error('no file is found by letters of its path');
  return files;
}
