// Jest's global set-up of the projects whose tests start the program: builds dist/ once, unless it is as new as lib/.
// Types are checked by "npm run check"; the tests need only the program.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STAMP = join(ROOT, 'dist', '.built');

export default function build(): void {
  const newest = newestSource();
  if (existsSync(STAMP) && statSync(STAMP).mtimeMs >= newest) return;
  const library = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'];
  for (const step of [library, ['.ci/bundle.ts'], ['.ci/build-page.ts']]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
  }
  writeFileSync(STAMP, '');
  // A source that changes during the build makes it old again.
  utimesSync(STAMP, newest / 1000, newest / 1000);
}

/** When a source of the program was last changed, in milliseconds since 1970. */
export function newestSource(): number {
  const sources = ['lib', '.ci/bundle.ts', '.ci/build-page.ts'].map((path) => join(ROOT, path));
  const files = readdirSync(sources[0]!, { recursive: true, encoding: 'utf8' }).map((file) => join(sources[0]!, file));
  return Math.max(...[...files, ...sources.slice(1)].map((file) => statSync(file).mtimeMs));
}
