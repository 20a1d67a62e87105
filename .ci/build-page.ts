// Builds the page into dist/page: its start, parts that are loaded when they are needed, the style of all views, one
// document. The style of a part is in the code of the part. The names of files change with their contents.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin, transform } from 'esbuild';

const PAGE = fileURLToPath(new URL('../lib/page/', import.meta.url));
const TARGET = ['chrome123', 'firefox121', 'safari17.5'];

/** `import './part.css'` in a part becomes a call that adds these rules to the document: both are loaded together. */
const stylesOfParts: Plugin = {
  name: 'styles of parts',
  setup(building) {
    building.onResolve({ filter: /\.css$/ }, ({ path, importer, kind }) =>
      kind === 'import-statement'
        ? { path: join(dirname(importer), path), namespace: 'style', sideEffects: true }
        : undefined,
    );
    building.onLoad({ filter: /./, namespace: 'style' }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: TARGET });
      const contents = `import { adopt } from './style/adopt.ts'; adopt(${JSON.stringify(code.trim())});`;
      return { contents, loader: 'js', resolveDir: PAGE, watchFiles: [path] };
    });
  },
};

/** The lexer of marked without the rest of its one file, which makes HTML: the page never does. */
const lexerOfMarked: Plugin = {
  name: 'lexer of marked',
  setup(building) {
    building.onLoad({ filter: /marked[\\/]lib[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const begin = /(\w+)=class\{options;parser;constructor/.exec(text);
      const lexer = /(\w+) as Lexer\b/.exec(text)?.[1];
      if (begin === null || lexer === undefined)
        throw new Error(`${path} is not as it was: see ${import.meta.filename}`);
      return { contents: `${text.slice(0, begin.index).replace(/(?:var|let|,)\s*$/, '')};export{${lexer} as Lexer};` };
    });
  },
};

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
    target: TARGET,
    plugins: [stylesOfParts, lexerOfMarked],
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
  for (const name of ['icon.svg', 'icon-asks.svg', 'manifest.webmanifest'])
    await copyFile(join(PAGE, name), join(outdir, name));
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).length]));
}

if (import.meta.main) await buildPage(process.argv[2] ?? 'dist/page');
