// Joins the modules of lib/ to few files, in dist/: the program with its server and its threads, and the library. The
// start of a program is a matter of how many files Node has to find, read and link: modules that are there at the same
// moments are one file, and the rest stays in parts that are loaded when they are needed. Packages that a start or a
// turn needs, and those of many small files, are in these files; the others stay where npm puts them. Our own code is
// not minified, and each piece of a file names its module, so that a stack trace can still be read.
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { COMMAND_NAMES } from '../lib/cli/program.ts';
import { libraryEntries } from './declarations.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START = 'lib/cli/main.ts';

/** Most modules of a search are small and needed by other commands too: apart they are twenty files. */
const SEARCH = ['lib/app/sessions/read/search-sessions.ts', 'lib/app/sessions/read/hit-words.ts'] as const;

/** What a program has loaded at some moment: these modules and all that they import. */
const GROUPS = {
  /** The session store, which loads no package, and the services: all that some programs load of the library. */
  store: ['lib/store.ts'],
  services: ['lib/services.ts'],
  /** What every command needs. */
  core: [
    'lib/cli/run.ts',
    'lib/app/compose.ts',
    'lib/app/list/list-sessions.ts',
    'lib/app/find/find-session.ts',
    ...SEARCH,
  ],
  prompt: [
    'lib/cli/commands/repl.ts',
    'lib/repl/repl.ts',
    'lib/providers/offline/index.ts',
    'lib/app/context/project-context.ts',
    'lib/app/providers/first-choice.ts',
    'lib/app/providers/list-providers.ts',
  ],
  /** Needed by a turn: the REPL loads it with its first one, `ask` at its start. */
  turn: [
    'lib/cli/commands/ask.ts',
    'lib/lead/ask.ts',
    'lib/lead/leader.ts',
    'lib/turn/run-turn.ts',
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

/** A command that reads sessions of other programs mostly looks for those of each: all of these are one file. */
const AGENTS: readonly string[] = [
  'lib/hub/foreign-sources.ts',
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
];

/** Commands that lead a conversation. */
const CONVERSING = ['lib/cli/commands/repl.ts', 'lib/cli/commands/ask.ts'];

/** Commands that end within a moment, with their parts: they share little with a conversation. */
const BRIEF = [
  ...['export', 'list', 'search', 'show', 'sync', 'tail', 'verify'].map((name) => `lib/cli/commands/${name}.ts`),
  ...['export-session', 'show-session', 'verify-sessions'].map((name) => `lib/app/sessions/read/${name}.ts`),
  'lib/cli/all-sessions.ts',
  'lib/catalog/session-changes.ts',
];

/** `brief` is what those commands load, `others` what any command loads that is not a conversation. */
type Group = keyof typeof GROUPS | 'brief' | 'others';
/** A build of its own: the files that it begins with, with the groups that each may load. */
interface Build {
  readonly groups: readonly Group[];
  readonly entries: Readonly<Record<string, { readonly module: string; readonly groups: readonly Group[] }>>;
  readonly chunkNames: string;
}

const COMMANDS: readonly Group[] = ['core', 'prompt', 'turn', 'others'];
const PROGRAM: Build = {
  groups: COMMANDS,
  entries: {
    'program/main': { module: START, groups: [] },
    'program/parts/server': { module: 'lib/server/program.ts', groups: COMMANDS },
    'program/parts/acp': { module: 'lib/acp/program.ts', groups: COMMANDS },
    // Threads look for their file alongside the one that starts them.
    'program/parts/worker': { module: 'lib/host/work/worker.ts', groups: COMMANDS },
  },
  chunkNames: 'program/parts/[name]-[hash]',
};

/** Entries of the library that load more than the session store, or less. */
const LOADS_OTHERWISE: Readonly<Record<string, readonly Group[]>> = {
  index: ['store', 'services'],
  app: ['store', 'services'],
  services: ['store', 'services'],
  'client/client': [],
};
const LIBRARY: Build = {
  groups: ['store', 'services'],
  entries: Object.fromEntries(
    libraryEntries(ROOT).map((name) => [
      name,
      { module: `lib/${name}.ts`, groups: LOADS_OTHERWISE[name] ?? ['store'] },
    ]),
  ),
  chunkNames: 'parts/[name]-[hash]',
};

/** Small programs of their own, one file each, that the program and the library start. */
const STARTED = { 'compare-worker': 'lib/retrieval/compare-worker.ts', relay: 'lib/app/handover/relay.ts' } as const;

/** Runs the large parts of the program, see `writeScript`. */
const RUN_SCRIPT = { 'compiled-script': 'lib/cli/compiled-script.ts' } as const;
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
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // What Node takes of rxjs by itself are 200 files of CommonJS, a quarter of the start of `ask`.
  alias: { rxjs: join(ROOT, 'node_modules/rxjs/dist/esm/index.js') },
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
  minify: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Makes `<outdir>/program/main.js`, `<outdir>/index.js` and the parts that they load when they are needed. */
export async function bundle(outdir: string): Promise<void> {
  const program = join(outdir, 'program');
  const parts = join(program, 'parts');
  for (const old of [program, join(outdir, 'parts')]) await rm(old, { recursive: true, force: true });
  await build({ ...CHECKS_ALONE, outdir: parts });
  await build({ ...OPTIONS, entryPoints: pointsOf(RUN_SCRIPT), outdir: parts });
  const asIs = [ownVersion, packages, builtins, shortPackages];
  for (const each of [parts, join(outdir, 'parts')])
    await build({ ...OPTIONS, entryPoints: pointsOf(STARTED), outdir: each, splitting: false, plugins: asIs });
  const metafile = await joinModules(PROGRAM, outdir, [...asIs, checksLater('./')], true);
  await joinModules(LIBRARY, outdir, [...asIs, checksLater('../program/parts/')], false);
  await writeFile(join(program, 'LICENSES.txt'), await licenses(metafile));
}

async function joinModules(what: Build, outdir: string, plugins: Plugin[], asScripts: boolean): Promise<Metafile> {
  const modules = Object.fromEntries(Object.entries(what.entries).map(([out, { module }]) => [out, module]));
  const options = { ...OPTIONS, entryPoints: pointsOf(modules), outdir, chunkNames: what.chunkNames } as const;
  const { metafile } = await build({ ...options, write: false, plugins });
  const more = {
    plugins: [reaching(toReach(metafile, what)), ...plugins],
    // Nothing is left of an import for its own sake, and nothing should be.
    logOverride: { 'ignored-bare-import': 'silent' },
  } as const;
  await write({ ...options, ...more }, asScripts);
  return metafile;
}

function pointsOf(modules: Readonly<Record<string, string>>): { in: string; out: string }[] {
  return Object.entries(modules).map(([out, module]) => ({ in: module, out }));
}

/** Modules that are loaded on demand. */
function onDemand({ inputs }: Metafile): ReadonlySet<string> {
  return new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
    ),
  );
}

/**
 * esbuild puts modules into one file that the same entries and parts reach. So each of these is made to reach whole
 * groups: all that is there when it is loaded, or may as well be.
 *
 * @returns the modules that each is to reach
 */
function toReach(metafile: Metafile, { groups: names, entries }: Build): ReadonlyMap<string, readonly string[]> {
  const { inputs } = metafile;
  const parts = onDemand(metafile);
  const reachedFrom = (starts: Iterable<string>, alsoLater = false): ReadonlySet<string> => {
    const reached = new Set<string>();
    const reach = (module: string): void => {
      if (reached.has(module)) return;
      reached.add(module);
      for (const { path, external, kind } of inputs[module]?.imports ?? [])
        if (!external && (alsoLater || kind !== 'dynamic-import')) reach(path);
    };
    for (const module of starts) reach(module);
    return reached;
  };
  const ofStore = reachedFrom(
    Object.values(entries).flatMap(({ module, groups }) => (groups.join() === 'store' ? module : [])),
    true,
  );
  // Commands in the first files are included: the parts that they load later are separate.
  const commands = Object.keys(inputs).filter(
    (path) => path.startsWith('lib/cli/commands/') && !CONVERSING.includes(path),
  );
  const ofCommands = reachedFrom([...AGENTS, ...commands], true);
  const those = (of: ReadonlySet<string>) => [...parts].filter((part) => of.has(part));
  const core = reachedFrom(GROUPS.core);
  const ofAgents = new Set([...reachedFrom(AGENTS)].filter((module) => module.startsWith('lib/')));
  const store = reachedFrom([...GROUPS.store, ...those(ofStore)]);
  const prompt = reachedFrom([...core, ...GROUPS.prompt]);
  const brief = reachedFrom([...core, ...BRIEF, ...AGENTS]);
  const members: Readonly<Record<Group, ReadonlySet<string>>> = {
    store,
    services: reachedFrom([...store, ...GROUPS.services]),
    core,
    prompt,
    turn: reachedFrom([...prompt, ...GROUPS.turn]),
    brief,
    others: reachedFrom([...brief, ...commands, ...those(ofCommands)]),
  };
  const joined = Object.keys(inputs).filter(
    (module) =>
      !module.startsWith('node_modules/') &&
      (module.startsWith('builtin:') || names.some((name) => name !== 'others' && members[name].has(module))),
  );
  // The first modules of a group are first here too: modules that import each other run in the order of the sources.
  const first = new Set<string>(Object.values(GROUPS).flat());
  joined.sort((one, other) => Number(first.has(other)) - Number(first.has(one)));
  const groupsOf = (module: string) =>
    names.filter((group) => module.startsWith('builtin:') || members[group].has(module));
  const isJoined = new Set(joined);
  /** For a part that is in some group: the modules that all of its groups have. */
  const thereWith = (part: string) => {
    const groups = [...groupsOf(part), ...(names === COMMANDS && members.brief.has(part) ? (['brief'] as const) : [])];
    return joined.filter((module) =>
      groups.every((group) => module.startsWith('builtin:') || members[group].has(module)),
    );
  };
  const allOf = (groups: readonly Group[]) =>
    joined.filter((module) => groups.some((group) => members[group].has(module)));
  const reachedBy = (part: string): readonly string[] => {
    if (isJoined.has(part)) return thereWith(part);
    if (names === COMMANDS && AGENTS.includes(part)) return [...allOf(['brief']), ...ofAgents];
    if (BRIEF.includes(part)) return allOf(['brief']);
    if (ofStore.has(part)) return allOf(['store']);
    return allOf(ofCommands.has(part) && names === COMMANDS ? ['others'] : names);
  };
  return new Map([
    ...[...parts].map((part): [string, readonly string[]] => [part, reachedBy(part)]),
    ...Object.values(entries).map(({ module, groups }): [string, readonly string[]] => [module, allOf(groups)]),
  ]);
}

/** The imports for their own sake of the modules that an entry or a part is to reach: nothing is left of them. */
function reaching(modules: ReadonlyMap<string, readonly string[]>): Plugin {
  return {
    name: 'reaching',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^reach:/ }, ({ path }) => ({ path, namespace: 'reach', sideEffects: true }));
      onResolve({ filter: /^lib\//, namespace: 'reach' }, ({ path }) => ({
        path: join(ROOT, path),
        sideEffects: true,
      }));
      onLoad({ filter: /^/, namespace: 'reach' }, ({ path }) => ({
        contents: importsOf(modules.get(path.slice('reach:'.length)) ?? []),
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const module = relative(ROOT, path).replaceAll(sep, '/');
        if (!modules.has(module)) return undefined;
        const contents = `${await readFile(path, 'utf8')}\n${importsOf([`reach:${module}`])}`;
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}

function importsOf(paths: readonly string[]): string {
  return paths.map((path) => `import ${JSON.stringify(path.replace(/^builtin:/, ''))};\n`).join('');
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

/**
 * Writes the build. For each part that is in a group there is a file that only exports the members of the group's file;
 * a module that loads such a part gets it from there instead.
 */
async function write(options: BuildOptions, asScripts: boolean): Promise<void> {
  const { outputFiles } = await build({ ...options, write: false });
  const behind = new Map(
    outputFiles.flatMap(({ path, text }) => {
      const file = handedOnFrom(text);
      return file === undefined ? [] : [[path, join(dirname(path), file)]];
    }),
  );
  for (const { path, text } of outputFiles) {
    const direct = (asScripts ? inAscii(text) : text).replace(/\bimport\("(\.[^"]+)"\)/g, (whole, part: string) => {
      const file = behind.get(join(dirname(path), part));
      return file === undefined ? whole : `import("./${relative(dirname(path), file).replaceAll(sep, '/')}")`;
    });
    await mkdir(dirname(path), { recursive: true });
    // No module has an effect by being loaded, so that an import without names is not needed.
    const named = direct.replace(/^import "\.[^"]+";\n/gm, '');
    if (asScripts && named.length >= SCRIPT_BYTES) await writeScript(path, named);
    else await writeFile(path, named);
  }
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
  // A script cannot import by itself: at run time, an import of a path that is computed would fail.
  const left = /^(?:import|export)\b(?!\().*$|^.*\bimport\(.*$/m.exec(body);
  if (left !== null) throw new Error(`${path} cannot be a script: it has the line ${left[0]}`);
  const script = `"use strict";\n(function (__import, __meta, { ${taken.join(', ')} }) {\n${body}})\n`;
  const file = `${basename(path, '.js')}.script.js`;
  // A member may have the name of an import.
  const handedOn = [...members.matchAll(/^ *([\w$]+)/gm)].map(([, name]) => `${name}: own_${name}`);
  const run = `runScript(\`\${import.meta.dirname}/${file}\`, "${hash('sha256', script).slice(0, 16)}", "${COMMAND_NAMES.join(' ')}")`;
  await writeFile(join(dirname(path), file), script);
  const lines = [
    `import { runScript } from "./${Object.keys(RUN_SCRIPT)[0]}.js";\n`,
    ...imports.map(([line]) => line),
    `const made = ${run}((name) => import(name), import.meta, { ${taken.join(', ')} });\n`,
    `const { ${handedOn.join(', ')} } = made;\n`,
    `export { ${handedOn.map((each) => each.replace(/(.*): (.*)/, '$2 as $1')).join(', ')} };\n`,
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

/** Code of others is made short: its own files say more than a stack trace in it could. */
const shortPackages: Plugin = {
  name: 'short-packages',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { minify: true, target: OPTIONS.target });
      return { contents: code, loader: 'js' };
    });
  },
};

/** `folder`: where the checks are, from a part. */
const checksLater = (folder: string): Plugin => ({
  name: 'checks-later',
  setup({ onLoad }) {
    onLoad({ filter: /\.generated\.ts$/ }, ({ path }) => {
      const [file] = Object.entries(CHECKS).find(([, module]) => path === join(ROOT, module)) ?? [];
      if (file === undefined) return undefined;
      const load = `createRequire(import.meta.url)('${folder}${file}.cjs').VALIDATORS`;
      return {
        contents: `import { createRequire } from 'node:module';
          let loaded;
          export const VALIDATORS = new Proxy({}, { get: (_, name) => (loaded ??= ${load})[name] });`,
      };
    });
  },
});

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

if (import.meta.main) await bundle(process.argv[2] ?? 'dist');
