// A few lines that use an adapter together with the real package, checked strictly by the compiler.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';

/** '' if nothing. `folder`: where the package is installed. */
export function typeProblems(folder: string, source: string): string {
  // The installed packages may belong to another user: nothing is written next to them.
  const directory = mkdtempSync(join(tmpdir(), 'ollm-types-'));
  try {
    symlinkSync(join(folder, 'node_modules'), join(directory, 'node_modules'));
    const options = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
      ...{ target: 'es2024', module: 'nodenext', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
      lib: ['es2024', 'esnext.array', 'esnext.disposable'],
      paths: {
        ollm: [join(ROOT, 'dist/index.d.ts')],
        'ollm/adapters/*': [join(ROOT, 'dist/adapters/*.d.ts')],
      },
    };
    writeFileSync(join(directory, 'use.mts'), source);
    const project = join(directory, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions: options, files: ['use.mts'] }));
    const tsc = join(ROOT, 'node_modules/typescript/lib/tsc.js');
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    return (stdout + stderr).trim();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The lines of use that the page of the adapters has under a heading. */
export function codeUnder(heading: string): string {
  const page = readFileSync(join(ROOT, 'docs/adapters.md'), 'utf8');
  const code = page
    .split(`\n## ${heading}\n`)[1]
    ?.split('\n## ')[0]
    ?.match(/```ts\n([\s\S]*?)```/)?.[1];
  if (code === undefined) throw new Error(`docs/adapters.md has no code under “${heading}”.`);
  return code;
}
