// Joins the command line to few files, into dist/program: the start of a program is a matter of how many files Node has
// to find, read and link. Packages stay where npm puts them, nothing is minified, and each piece of a file says which
// module it was, so that a stack trace can still be read. The library is not bundled.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Makes `<outdir>/main.js` and the parts that it loads when they are needed. */
export async function bundleProgram(outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['lib/cli/main.ts'],
    outdir,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: 'parts/[name]-[hash]',
    logLevel: 'warning',
  });
}

if (import.meta.main) await bundleProgram(process.argv[2] ?? 'dist/program');
