// Joins the command line to few files, into dist/program: the start of a program is a matter of how many files Node has
// to find, read and link. What every command needs is one file, what a conversation needs in addition to is a second
// one, and the rest stays in parts that are loaded when they are needed. The REPL and `ask`, which a person waits for,
// are built once more as a program of their own, with all that the prompt needs in one file and all that a turn needs
// in another. Packages that a start or a turn needs, and those of many small files, are in these files; the others stay
// where npm puts them. Nothing is minified, and each piece of a file says which module it was, so that a stack trace
// can still be read. The library is not bundled.
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START = 'lib/cli/main.ts';

/** Most modules of a search are small and needed by other commands too: apart they are twenty files. */
const SEARCH = ['lib/app/sessions/read/search-sessions.ts', 'lib/app/sessions/read/hit-words.ts'] as const;

/** Modules that are one file together with all that they import: how many small files that would be counts most. */
const GROUPS = {
  start: ['lib/cli/run.ts'],
  core: ['lib/app/compose.ts', 'lib/app/list/list-sessions.ts', 'lib/app/find/find-session.ts', ...SEARCH],
  /** A command that reads sessions of other programs mostly looks for those of each. */
  agents: [
    'lib/hub/foreign-sessions.ts',
    'lib/agents/aider/aider.ts',
    'lib/agents/amp/amp.ts',
    'lib/agents/antigravity/antigravity.ts',
    'lib/agents/claude/claude.ts',
    'lib/agents/cline/cline.ts',
    'lib/agents/codex/codex.ts',
    'lib/agents/copilot/copilot.ts',
    'lib/agents/crush/crush.ts',
    'lib/agents/cursor/cursor.ts',
    'lib/agents/droid/droid.ts',
    'lib/agents/gemini/gemini.ts',
    'lib/agents/goose/goose.ts',
    'lib/agents/asf/asf.ts',
    'lib/agents/atif/atif.ts',
    'lib/agents/hermes/hermes.ts',
    'lib/agents/kimi/kimi.ts',
    'lib/agents/kiro/kiro.ts',
    'lib/agents/opencode/opencode.ts',
    'lib/agents/pi/pi.ts',
    'lib/agents/qwen/qwen.ts',
    'lib/agents/vibe/vibe.ts',
  ],
  conversation: ['lib/repl/repl.ts', 'lib/providers/offline/index.ts', 'lib/app/context/project-context.ts'],
  /** With all of these, the REPL's program. */
  repl: ['lib/cli/commands/repl.ts'],
  /** Needed by a turn: the REPL loads it with its first one, `ask` at its start. */
  turn: [
    'lib/cli/commands/ask.ts',
    'lib/lead/leader.ts',
    'lib/app/sessions/open/open-session.ts',
    'lib/app/policy/grants-file.ts',
    'lib/app/policy/hidden-by.ts',
    'lib/app/policy/project-policy.ts',
    'lib/app/turn/turn-basis.ts',
    'lib/tools/builtin/index.ts',
    'lib/tools/policy/index.ts',
    'lib/tools/run-program.ts',
    'lib/tools/sandbox/find-sandbox.ts',
  ],
} as const satisfies Record<string, readonly string[]>;
type Group = keyof typeof GROUPS;

/** Commands that lead one. What only they load may stand on the second file. */
const CONVERSING = ['lib/cli/commands/repl.ts', 'lib/cli/commands/ask.ts'];

/** The program of the REPL and of `ask`. It is next to the entry of the others, which hands over to it. */
const REPL = { entryPoints: [{ in: 'lib/cli/conversation.ts', out: 'conversation' }] } as const satisfies BuildOptions;

/**
 * The server's program: with one command only, and with the parts that the others load piece by piece. Among them it
 * would cut their shared code into many more files.
 */
const SERVER = {
  entryPoints: [
    { in: 'lib/server/program.ts', out: 'parts/server' },
    // The threads: they look for their file alongside it.
    { in: 'lib/host/work/worker.ts', out: 'parts/worker' },
  ],
} as const satisfies BuildOptions;

/** The program of `ollm acp`, as that of the server: one command, with a protocol of its own. */
const ACP = { entryPoints: [{ in: 'lib/acp/program.ts', out: 'parts/acp' }] } as const satisfies BuildOptions;

/** Runs the large parts, see `writeScript`. */
const RUN_SCRIPT = {
  entryPoints: [{ in: 'lib/cli/compiled-script.ts', out: 'compiled-script' }],
} as const satisfies BuildOptions;
/** A part of this size is a script. */
const SCRIPT_BYTES = 200_000;

/** Packages that go into these files, with those that they need themselves. */
const PACKAGES = [
  '@agentclientprotocol/sdk',
  'commander',
  'diff',
  'get-east-asian-width',
  'picocolors',
  'rxjs',
  'unbash',
  'micromatch',
  'braces',
  'picomatch',
  'fill-range',
  'to-regex-range',
  'is-number',
  'tslib',
];

/**
 * Generated code that most commands never run, half of what each start would read: files of their own, loaded
 * when the first data is checked. That is in the middle of reading, so by `require`.
 */
const CHECKS = {
  'event-checks': 'lib/events/validators.generated.ts',
  'setting-checks': 'lib/config/validator.generated.ts',
} as const;

/** Parts of Node that are there at every start. Each other part is loaded when it is first used. */
const NEEDED_AT_ONCE = ['node:buffer', 'node:events', 'node:fs', 'node:os', 'node:path', 'node:url'];

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: [START],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // What Node takes of rxjs by itself are 200 files of CommonJS, a quarter of the start of `ask`.
  alias: { rxjs: join(ROOT, 'node_modules/rxjs/dist/esm/index.js') },
  chunkNames: 'parts/[name]-[hash]',
  logLevel: 'warning',
  metafile: true,
} as const satisfies BuildOptions;

const CHECKS_ALONE = {
  absWorkingDir: ROOT,
  entryPoints: Object.entries(CHECKS).map(([out, path]) => ({ in: path, out })),
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Makes `<outdir>/main.js` and the parts that it loads when they are needed. */
export async function bundleProgram(outdir: string): Promise<void> {
  const asIs = [packages, builtins, checksLater];
  await build({ ...CHECKS_ALONE, outdir: join(outdir, 'parts') });
  await build({ ...OPTIONS, ...RUN_SCRIPT, outdir: join(outdir, 'parts') });
  await write({ ...OPTIONS, ...SERVER, outdir, plugins: asIs });
  await write({ ...OPTIONS, ...ACP, outdir, plugins: asIs });
  asIs.unshift(elsewhere('server', SERVER), elsewhere('acp', ACP));
  const { metafile } = await build({ ...OPTIONS, outdir, write: false, plugins: asIs });
  const grouped = (byPart: ReadonlyMap<string, readonly Group[]>): BuildOptions => ({
    ...OPTIONS,
    outdir,
    plugins: [groups(byPart), ...asIs],
    // Nothing is left of an import for its own sake, and nothing should be.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  const program = grouped(groupsByPart(metafile));
  const commands = await write({ ...program, plugins: [ownVersion, replElsewhere, ...program.plugins!] });
  const parts = [...onDemand(metafile), ...REPL.entryPoints.map((entry) => entry.in)];
  const atPrompt: readonly Group[] = ['start', 'core', 'conversation', 'repl'];
  const isOfTurn = (part: string) => (GROUPS.turn as readonly string[]).includes(part);
  const repl = grouped(new Map(parts.map((part) => [part, isOfTurn(part) ? [...atPrompt, 'turn'] : atPrompt])));
  await write({ ...repl, ...REPL, plugins: [otherCommands(commands, outdir), ...repl.plugins!] });
  await writeFile(join(outdir, 'LICENSES.txt'), await licenses(commands));
}

/** Modules that are loaded on demand. */
function onDemand({ inputs }: Metafile): ReadonlySet<string> {
  return new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
    ),
  );
}

/** These modules, each with the groups that are loaded by then, or may as well be. */
function groupsByPart(metafile: Metafile): ReadonlyMap<string, readonly Group[]> {
  const { inputs } = metafile;
  const reached = new Set<string>([...GROUPS.start, ...GROUPS.core]);
  for (const module of SEARCH) reached.delete(module);
  const reach = (module: string): void => {
    if (reached.has(module)) return;
    reached.add(module);
    for (const { path, external } of inputs[module]?.imports ?? []) if (!external) reach(path);
  };
  // Modules in the first file are included: the parts that they load later are separate.
  for (const module of Object.keys(inputs))
    if (module.startsWith('lib/cli/commands/') && !CONVERSING.includes(module)) reach(module);
  return new Map(
    [...onDemand(metafile)].map((part): [string, readonly Group[]] => {
      if ((GROUPS.start as readonly string[]).includes(part)) return [part, ['start']];
      if ((GROUPS.agents as readonly string[]).includes(part)) return [part, ['start', 'core', 'agents']];
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

/** The entry has a version of its own: shared with the rest, it would be a file of its own for every command. */
const ownVersion: Plugin = {
  name: 'own-version',
  setup({ onResolve }) {
    onResolve({ filter: /\/version\.ts$/ }, ({ path, importer, resolveDir }) =>
      importer === join(ROOT, START) ? { path: join(resolveDir, path), suffix: '?entry' } : undefined,
    );
  },
};

/** The entry hands over to the REPL's program, and does not hold it. */
const replElsewhere: Plugin = {
  name: 'repl-elsewhere',
  setup({ onResolve }) {
    onResolve({ filter: /\/conversation\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${REPL.entryPoints[0].out}.js`, external: true } : undefined,
    );
  },
};

/** A program that is loaded by its command, which is one of the parts. */
function elsewhere(folder: string, { entryPoints: [entry] }: typeof SERVER | typeof ACP): Plugin {
  return {
    name: `${folder}-elsewhere`,
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${folder}/program\\.ts$`) }, () => ({
        path: `../${entry.out}.js`,
        external: true,
      }));
    },
  };
}

/**
 * In the REPL's program there are two commands. The others are named in it as well, and are those that are built
 * already.
 */
function otherCommands({ outputs }: Metafile, outdir: string): Plugin {
  const built = new Map(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) => (entryPoint === undefined ? [] : [[entryPoint, file]])),
  );
  return {
    name: 'other-commands',
    setup({ onResolve }) {
      onResolve({ filter: /\/commands\/[a-z]+\.ts$/ }, ({ path, kind, resolveDir }) => {
        const module = relative(ROOT, join(resolveDir, path)).replaceAll(sep, '/');
        if (kind !== 'dynamic-import' || !module.startsWith('lib/cli/') || CONVERSING.includes(module))
          return undefined;
        const file = built.get(module);
        if (file === undefined) throw new Error(`${module} is not among the parts that were built.`);
        return { path: `./${relative(join(outdir, 'parts'), join(ROOT, file)).replaceAll(sep, '/')}`, external: true };
      });
    },
  };
}

/**
 * Writes the build. For each part that is in a group there is a file that only exports the members of the group's file;
 * a module that loads such a part gets it from there instead.
 */
async function write(options: BuildOptions): Promise<Metafile> {
  const { outputFiles, metafile } = await build({ ...options, write: false, metafile: true });
  const behind = new Map(
    outputFiles.flatMap(({ path, text }) => {
      const file = handedOnFrom(text);
      return file === undefined ? [] : [[path, join(dirname(path), file)]];
    }),
  );
  for (const { path, text } of outputFiles) {
    const direct = inAscii(text).replace(/\bimport\("(\.[^"]+)"\)/g, (whole, part: string) => {
      const file = behind.get(join(dirname(path), part));
      return file === undefined ? whole : `import("./${relative(dirname(path), file).replaceAll(sep, '/')}")`;
    });
    await mkdir(dirname(path), { recursive: true });
    // An entry does not need an import without names, such as that of helpers that the parts share.
    const isEntry = dirname(path) === resolve(options.outdir!);
    if (isEntry) await writeFile(path, direct.replace(/^import "[^"]+";\n/gm, ''));
    else if (direct.length < SCRIPT_BYTES) await writeFile(path, direct);
    else await writeScript(path, direct);
  }
  return metafile;
}

const IMPORT = /^import(?: (?:\{([^}]*)\}|\* as ([\w$]+)|([\w$]+)) from)? "[^"]+";\n/gm;
const EXPORT = /^export \{([^}]*)\};\n$/m;

/**
 * Writes a large part as a script, and next to it the module that runs it with compiled code that was kept
 * (docs/decisions/0056-called-functions-stay-compiled.md). The parts import nothing from each other in a circle, so
 * that each name has its value when the script has run.
 */
async function writeScript(path: string, text: string): Promise<void> {
  const imports = [...text.matchAll(IMPORT)];
  const [whole = '', exported = ''] = EXPORT.exec(text) ?? [];
  const taken = imports.flatMap(
    ([, names, all, first]) => names?.split(',').map((name) => name.trim().split(' as ').at(-1)!) ?? all ?? first ?? [],
  );
  const members = exported.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2: $1');
  const body = text
    .replace(IMPORT, '')
    .replace(whole, () => `return {${members}};\n`)
    .replaceAll('import.meta', '__meta')
    .replaceAll(/\bimport\((?=")/g, '__import(');
  const left = /^(?:import|export)\b(?!\().*$/m.exec(body);
  if (left !== null) throw new Error(`${path} cannot be a script: it has the line ${left[0]}`);
  const script = `"use strict";\n(function (__import, __meta, { ${taken.join(', ')} }) {\n${body}})\n`;
  const file = `${basename(path, '.js')}.script.js`;
  const names = exported.replaceAll(/[\w$]+ as ([\w$]+)/g, '$1');
  const run = `runScript(\`\${import.meta.dirname}/${file}\`, "${hash('sha256', script).slice(0, 16)}")`;
  await writeFile(join(dirname(path), file), script);
  const lines = [
    `import { runScript } from "./${RUN_SCRIPT.entryPoints[0].out}.js";\n`,
    ...imports.map(([line]) => line),
    `const made = ${run}((name) => import(name), import.meta, { ${taken.join(', ')} });\n`,
    `export const {${names}} = made;\n`,
  ];
  await writeFile(path, lines.join(''));
}

/** Node keeps two bytes for each letter of a file that has one outside ASCII, which takes longer to read. */
function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The one file of which all is exported again under the same names; undefined where there is anything else. */
function handedOnFrom(text: string): string | undefined {
  const [, imported, file, exported] =
    /^(?:import "[^"]+";\n)*import \{([^}]*)\} from "([^"]+)";\n(?:import "[^"]+";\n)*export \{([^}]*)\};\n$/.exec(
      text,
    ) ?? [];
  return imported === exported && imported?.includes(' as ') === false ? file : undefined;
}

/** The package of a path such as `braces` or `picomatch/lib/utils`. */
function packageOf(path: string): string {
  const [first = '', second] = path.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const isOurs = kind === 'entry-point' || isBuiltin(path) || PACKAGES.includes(packageOf(path));
      return isOurs ? undefined : { path, external: true };
    });
  },
};

/** A plain `import { createHash } from 'node:crypto'` costs a quarter of the start of an empty Node. */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    // The imported part on demand is loaded when it is used already, and by its names.
    onResolve({ filter: /^[a-z_/:]+$/ }, ({ path: name, kind }) => {
      if (!isBuiltin(name)) return undefined;
      // Packages of CommonJS name them without the scheme, and take them by `require`, which a module has not.
      const path = name.startsWith('node:') ? name : `node:${name}`;
      return kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' };
    });
    onLoad({ filter: /^node:process$/, namespace: 'builtin' }, () => ({ contents: 'export default process;' }));
    onLoad({ filter: /^/, namespace: 'builtin' }, async ({ path }) => {
      // Imported, `node:fs` would load its streams as well, a tenth of what an empty Node takes to start.
      const get = `process.getBuiltinModule(${JSON.stringify(path)})`;
      if (NEEDED_AT_ONCE.includes(path)) return { contents: `module.exports = Object.create(${get});\n` };
      const { default: part, ...members } = (await import(path)) as Record<string, unknown> & { default: object };
      const getters = Object.keys(members).map((name) => `  get ${name}() { return load().${name}; },\n`);
      const load = `let loaded;\nconst load = () => (loaded ??= ${get});\n`;
      // Inherited, because each module that imports them would otherwise get a copy of every one.
      return { contents: `${load}module.exports = Object.create({\n${getters.join('')}});\n` };
    });
  },
};

const checksLater: Plugin = {
  name: 'checks-later',
  setup({ onLoad }) {
    onLoad({ filter: /\.generated\.ts$/ }, ({ path }) => {
      const [file] = Object.entries(CHECKS).find(([, module]) => path === join(ROOT, module)) ?? [];
      if (file === undefined) return undefined;
      const load = `createRequire(import.meta.url)('./${file}.cjs').VALIDATORS`;
      return {
        contents: `import { createRequire } from 'node:module';
          let loaded;
          export const VALIDATORS = new Proxy({}, { get: (_, name) => (loaded ??= ${load})[name] });`,
      };
    });
  },
};

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
