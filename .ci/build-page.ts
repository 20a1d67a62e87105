// Builds the page into dist/page: its start, parts that are loaded when they are needed, one style sheet, one document.
// The names of files change with what is in them. Prints what a browser loads at first, compressed.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('../lib/page/', import.meta.url));

/** @returns bytes of each file, compressed */
export async function buildPage(outdir: string): Promise<ReadonlyMap<string, number>> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile, outputFiles } = await build({
    absWorkingDir: PAGE,
    entryPoints: { app: 'main.tsx', style: 'style/page.css' },
    outdir: resolve(outdir),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'linked',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  const nameOf = (entry: string): string => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry);
    if (found === undefined) throw new Error(`${entry} was not built.`);
    return basename(found[0]);
  };
  const document = (await readFile(join(PAGE, 'index.html'), 'utf8'))
    .replace('{{script}}', nameOf('main.tsx'))
    .replace('{{style}}', nameOf('style/page.css'));
  await writeFile(join(outdir, 'index.html'), document);
  for (const name of ['icon.svg', 'manifest.webmanifest']) await copyFile(join(PAGE, name), join(outdir, name));
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).length]));
}

if (import.meta.main) await buildPage(process.argv[2] ?? 'dist/page');
