// A project to find files in: small modules in a few directories, what they were built into, logs, ignore rules at two depths.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES_PER_DIRECTORY = 20;

/** A repository of `count` files, some of them ignored by rules in two depths. Returns how many are not. */
export function makeTree(root: string, count: number): number {
  let made = 0;
  let ignored = 0;
  for (let number = 0; made < count; number++) {
    const path = join(root, `part-${number % 20}`, `module-${number}`);
    mkdirSync(join(path, 'dist'), { recursive: true });
    for (let file = 0; file < FILES_PER_DIRECTORY; file++, made++) {
      const isLog = file % 10 === 9;
      const isBuilt = file % 10 === 8;
      if (isLog || isBuilt) ignored++;
      writeFileSync(join(path, isBuilt ? 'dist' : '', `file-${file}.${isLog ? 'log' : 'ts'}`), 'x\n');
    }
    if (number % 10 === 0) {
      writeFileSync(join(path, '.gitignore'), '*.log\n');
      made++;
    }
  }
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\nnode_modules/\n');
  execFileSync('git', ['init', '-q', root]);
  return made + 1 - ignored;
}
