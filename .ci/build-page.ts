// Builds the page into dist/page: its start, parts that are loaded when they are needed, the style of all views, one
// document. The style of a part is in the code of the part. The names of files change with their contents.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Loader, type Metafile, type Plugin, transform } from 'esbuild';

const PAGE = fileURLToPath(new URL('../lib/page/', import.meta.url));
const START = 'main.tsx';
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

/**
 * For each part that is loaded when it is needed, the modules that are certainly there by then: those of the part that
 * asks for it and, if several ask, those that are there with each of them.
 */
function modulesBefore({ inputs }: Metafile, start: string): ReadonlyMap<string, ReadonlySet<string>> {
  const importedBy = (module: string, kind: string) =>
    inputs[module]!.imports.filter((each) => each.kind === kind && each.path in inputs).map(({ path }) => path);
  const before = new Map<string, ReadonlySet<string>>([[start, new Set()]]);
  const open = [start];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const there = new Set(before.get(part));
    const own = [part];
    for (let module = own.pop(); module !== undefined; module = own.pop()) {
      if (module !== part && there.has(module)) continue;
      there.add(module);
      own.push(...importedBy(module, 'import-statement'));
    }
    for (const next of [...there].flatMap((module) => importedBy(module, 'dynamic-import'))) {
      const known = before.get(next);
      const both = known === undefined ? there : new Set([...known].filter((module) => there.has(module)));
      if (known !== undefined && both.size === known.size) continue;
      before.set(next, both);
      open.push(next);
    }
  }
  return before;
}

/** Adds an import of each module that is loaded before a part to that part. */
function importsOf(before: ReadonlyMap<string, ReadonlySet<string>>, start: string): Plugin {
  return {
    name: 'modules that are there',
    setup(building) {
      building.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const part = [...before.keys()].find((each) => resolve(PAGE, each) === path);
        if (part === undefined || part === start) return undefined;
        const there = [...before.get(part)!].filter((module) => module !== start && !module.includes(':'));
        const imports = there.map((module) => `import ${JSON.stringify(resolve(PAGE, module))};`);
        const contents = `${await readFile(path, 'utf8')}\n${imports.join('')}`;
        return { contents, loader: extname(path).slice(1) as Loader };
      });
    },
  };
}

/** @returns bytes of each file, compressed */
export async function buildPage(outdir: string): Promise<ReadonlyMap<string, number>> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const options = {
    absWorkingDir: PAGE,
    entryPoints: { app: START, style: 'style/page.css' },
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
    // The added imports have no effect except on the files that modules are put into.
    logOverride: { 'ignored-bare-import': 'silent' },
  } as const satisfies BuildOptions;
  const before = modulesBefore((await build(options)).metafile, START);
  const { metafile, outputFiles } = await build({
    ...options,
    plugins: [importsOf(before, START), ...options.plugins],
  });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  const outputOf = (entry: string) => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry);
    if (found === undefined) throw new Error(`${entry} was not built.`);
    return found;
  };
  const nameOf = (entry: string): string => basename(outputOf(entry)[0]);
  // The start and the parts that it imports are fetched at once, and not one after the other.
  const parts = outputOf(START)[1].imports.filter(({ kind }) => kind === 'import-statement');
  const preload = parts.map(({ path }) => `<link rel="modulepreload" href="/${basename(path)}" />`);
  const document = (await readFile(join(PAGE, 'index.html'), 'utf8'))
    .replace('{{script}}', nameOf(START))
    .replace('{{preload}}', preload.join('\n    '))
    .replace('{{style}}', nameOf('style/page.css'));
  await writeFile(join(outdir, 'index.html'), document);
  for (const name of ['icon.svg', 'icon-asks.svg', 'manifest.webmanifest'])
    await copyFile(join(PAGE, name), join(outdir, name));
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).length]));
}

if (import.meta.main) await buildPage(process.argv[2] ?? 'dist/page');
