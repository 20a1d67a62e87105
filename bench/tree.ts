// A project with nested ignore rules.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repository of about `count` files, a fifth of them ignored by rules at two depths. Returns how many are not. */
export function makeTree(root: string, count: number): number {
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
