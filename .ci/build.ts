// Builds dist/: the library, the program and the page. As `npm run build` it checks the types as well. As the global
// set-up of the tests it does nothing if dist/ is as new as the sources, and leaves the types to "npm run check".
import { type StdioOptions, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { libraryEntries, reachedDeclarations } from './declarations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
/** The compiler makes only the types. The code is joined from the sources. */
const COMPILE = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly'];
const JOIN = ['.ci/bundle.ts', '.ci/build-page.ts'];

export default function buildUnlessFresh(): void {
  if (!existsSync(STAMP) || statSync(STAMP).mtimeMs < newestSource()) build([...COMPILE, '--noCheck'], 'pipe');
}

function build(compile: readonly string[], stdio: StdioOptions): void {
  const newest = newestSource();
  for (const old of [STAMP, join(DIST, 'program')]) rmSync(old, { recursive: true, force: true });
  for (const step of [compile, ...JOIN.map((file) => [file])]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8', stdio });
    if (status !== 0) throw new Error(`The build failed.\n${stdout ?? ''}${stderr ?? ''}`);
  }
  keepPublicTypes();
  writeFileSync(STAMP, '');
  // A source that changes during the build makes it old again.
  utimesSync(STAMP, newest / 1000, newest / 1000);
}

/** Removes the types that no program can name: those that the types of the entries do not import. */
function keepPublicTypes(): void {
  const kept = reachedDeclarations(libraryEntries(ROOT).map((name) => join(DIST, `${name}.d.ts`)));
  for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts') && !kept.has(join(DIST, name))) rmSync(join(DIST, name));
}

/** When a source of the program was last changed, in milliseconds since 1970. */
function newestSource(): number {
  const library = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).map((file) =>
    join('lib', file),
  );
  return Math.max(...[...library, ...JOIN, 'package.json'].map((file) => statSync(join(ROOT, file)).mtimeMs));
}

if (import.meta.main) {
  rmSync(DIST, { recursive: true, force: true });
  build(COMPILE, 'inherit');
}
