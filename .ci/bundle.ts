// Joins the command line to few files, into dist/program: the start of a program is a matter of how many files Node has
// to find, read and link. What every command needs is one file, what a conversation needs besides is a second one, and
// the rest stays in parts that are loaded when they are needed. Small packages that a start needs are in these files,
// the others stay where npm puts them. Nothing is minified, and each piece of a file says which module it was, so that a
// stack trace can still be read. The library is not bundled.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START = 'lib/cli/main.ts';

/** Modules that are one file together with all that they import: how many small files that would be counts most. */
const GROUPS = {
  /** With it, all that a list needs as long as its index answers. */
  start: ['lib/cli/run.ts'],
  core: ['lib/app/compose.ts', 'lib/app/sessions/list-sessions.ts'],
  conversation: ['lib/repl/repl.ts', 'lib/providers/offline/index.ts', 'lib/app/project/project-context.ts'],
} as const satisfies Record<string, readonly string[]>;
type Group = keyof typeof GROUPS;

/** Commands that lead one. What only they load may stand on the second file. */
const CONVERSING = ['lib/cli/commands/repl.ts', 'lib/cli/commands/ask.ts'];

/** Packages that go into these files. */
const PACKAGES = ['commander', 'picocolors'];

/**
 * Parts of Node that are there before a program is. To import one would make a module of it, which asks for each of its
 * members, and `node:fs` then loads its streams, its promises and `readline`. Each other part is loaded when it is first used.
 */
const THERE = ['node:buffer', 'node:events', 'node:fs', 'node:os', 'node:path', 'node:url'];

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: [START],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  chunkNames: 'parts/[name]-[hash]',
  logLevel: 'warning',
  metafile: true,
} as const satisfies BuildOptions;

/** A thread loads its own entry, from beside the part that starts it: one file, with nothing of the program's in it to wait for. */
const THREAD = {
  entryPoints: [{ in: 'lib/app/sessions/verify-worker.ts', out: 'parts/verify-worker' }],
  splitting: false,
} as const satisfies BuildOptions;

/** Makes `<outdir>/main.js` and the parts that it loads when they are needed. */
export async function bundleProgram(outdir: string): Promise<void> {
  const asIs = [packages, builtins];
  const { metafile } = await build({ ...OPTIONS, outdir, write: false, plugins: asIs });
  const result = await build({
    ...OPTIONS,
    outdir,
    plugins: [groups(groupsByPart(metafile)), ...asIs],
    // Nothing is left of an import for its own sake, and nothing should be.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  await build({ ...OPTIONS, ...THREAD, outdir, plugins: asIs });
  await writeFile(join(outdir, 'LICENSES.txt'), await licenses(result.metafile));
}

/** Modules that are loaded on demand, each with the groups that are there by then, or may as well be. */
function groupsByPart({ inputs }: Metafile): ReadonlyMap<string, readonly Group[]> {
  const onDemand = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
    ),
  );
  const reached = new Set<string>([...GROUPS.start, ...GROUPS.core]);
  const reach = (module: string): void => {
    if (reached.has(module)) return;
    reached.add(module);
    for (const { path, external } of inputs[module]?.imports ?? []) if (!external) reach(path);
  };
  for (const part of onDemand) if (part.startsWith('lib/cli/commands/') && !CONVERSING.includes(part)) reach(part);
  return new Map(
    [...onDemand].map((part): [string, readonly Group[]] => {
      if ((GROUPS.start as readonly string[]).includes(part)) return [part, ['start']];
      return [part, reached.has(part) ? ['start', 'core'] : ['start', 'core', 'conversation']];
    }),
  );
}

/**
 * esbuild puts those modules into one file that the same parts need. So each part is made to need the whole group: an
 * import for its own sake, of which nothing is left afterwards.
 */
function groups(byPart: ReadonlyMap<string, readonly Group[]>): Plugin {
  return {
    name: 'groups',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path, namespace: 'group', sideEffects: true }));
      onResolve({ filter: /^/, namespace: 'group' }, ({ path }) => ({ path: join(ROOT, path), sideEffects: true }));
      onLoad({ filter: /^/, namespace: 'group' }, ({ path }) => ({
        contents: importsOf(GROUPS[path.slice('group:'.length) as Group]),
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const needed = byPart.get(relative(ROOT, path).replaceAll(sep, '/'));
        if (needed === undefined) return undefined;
        const contents = `${await readFile(path, 'utf8')}\n${importsOf(needed.map((group) => `group:${group}`))}`;
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

function importsOf(paths: readonly string[]): string {
  return paths.map((path) => `import ${JSON.stringify(path)};\n`).join('');
}

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const isOurs = kind === 'entry-point' || path.startsWith('node:') || PACKAGES.includes(path);
      return isOurs ? undefined : { path, external: true };
    });
  },
};

/** `import { createHash } from 'node:crypto'` alone costs a quarter of what an empty Node takes to start. */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    // What is imported on demand is loaded when it is used already, and by its names.
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' },
    );
    onLoad({ filter: /^node:process$/, namespace: 'builtin' }, () => ({ contents: 'export default process;' }));
    onLoad({ filter: /^/, namespace: 'builtin' }, async ({ path }) => {
      const { default: part, ...members } = (await import(path)) as Record<string, unknown> & { default: object };
      if (THERE.includes(path)) return { contents: presentPart(path, part) };
      const getters = Object.keys(members).map((name) => `  get ${name}() { return load().${name}; },\n`);
      const load = `let loaded;\nconst load = () => (loaded ??= process.getBuiltinModule(${JSON.stringify(path)}));\n`;
      // Inherited, because each module that imports them would otherwise get a copy of every one.
      return { contents: `${load}module.exports = Object.create({\n${getters.join('')}});\n` };
    });
  },
};

/** Each member that is used is read once. Those that load more when they are read have a name of their own: `node:fs/promises`. */
function presentPart(path: string, part: object): string {
  const members = Object.entries(Object.getOwnPropertyDescriptors(part)).filter(([, { get }]) => get === undefined);
  const reads = members.map(([name]) => `export const ${name} = /* @__PURE__ */ (() => part.${name})();\n`);
  const load = `const part = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});\n`;
  return `${load}export default part;\n${reads.join('')}`;
}

/** The terms of the packages whose code is in the files: they ask to be kept with it. */
async function licenses({ inputs }: Metafile): Promise<string> {
  const names = Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const texts = [...new Set(names)].sort().map(async (name) => {
    const folder = join(ROOT, 'node_modules', name);
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} is to be bundled, and has no file with its licence.`);
    return `${name}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(78)}\n\n`);
}

if (import.meta.main) await bundleProgram(process.argv[2] ?? 'dist/program');
