// Joins the modules of lib/ to few files, in dist/: one build for the program, its server and its threads, and for the
// library. The start of a program is a matter of how many files Node has to find, read and link: modules that are there
// at the same moments are one file, and the rest stays in parts that are loaded when they are needed. Packages that a
// start or a turn needs, and those of many small files, are in these files; the others stay where npm puts them. Our
// code is not minified, and each piece of a file names its module, so that a stack trace can still be read.
import { hash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild';
import { COMMAND_NAMES } from '../lib/cli/program.ts';
import { doorsTo, setApart } from './called-later.ts';
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
  library: ['lib/index.ts', 'lib/app.ts'],
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
    'lib/app/policy/tool-mode.ts',
    'lib/app/policy/hidden-by.ts',
    'lib/app/policy/project-policy.ts',
    'lib/app/turn/turn-basis.ts',
    'lib/tools/builtin/index.ts',
    'lib/tools/policy/guest-policy.ts',
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

/**
 * Modules of which `list` and `search` call nothing, as their paths begin: they are there for commands that write, read
 * or index a session, take secrets out, or explain an error. Their functions are set apart, see called-later.ts.
 */
const CALLED_LATER = [
  'agents/',
  'app/find/',
  'app/list/erase-sessions',
  'app/list/list-forms',
  'app/providers/key-file',
  'app/repository/discovery-settings',
  'app/repository/git-state',
  'app/repository/project-reach',
  'app/sessions/read/export-session',
  'app/sessions/read/show-session',
  'blame/',
  'catalog/both-ends',
  'catalog/changes',
  'catalog/counted',
  'catalog/meant-filters',
  'catalog/search-regex',
  'catalog/session-',
  'catalog/spelling',
  'catalog/why-unusable',
  'cli/report',
  'cli/session-table',
  'config/explain',
  'config/former-keys',
  'config/nearest',
  'display/json-pieces',
  'display/table',
  'display/width',
  'display/wrap',
  'environment/',
  'events/',
  'exporters/',
  'file-store/archive',
  'file-store/belongings',
  'file-store/make-beside',
  'file-store/session-lock',
  'file-store/trash',
  'handover/',
  'journal/files/whole-file',
  'journal/line/',
  'journal/reading/',
  'journal/writing/',
  'messages/',
  'platform/files/file-change',
  'platform/processes/find-program',
  'platform/processes/start-failure',
  'platform/terminal-echo',
  'projections/',
  'providers/http/base-url',
  'session/co',
  'session/describe',
  'session/fork',
  'session/saved/',
  'session/summarize',
  'session/upgrade',
  'stores/kept-from-git',
  'stores/sealing/encryption',
  'stores/sealing/sealing-lines',
  'tokens/',
];
/** Exceptions: `list` and `search` call these. */
const CALLED_AT_ONCE = ['agents/address', 'projections/summary'];

function isCalledLater(module: string): boolean {
  const begins = (path: string) => module.startsWith(`lib/${path}`);
  return CALLED_LATER.some(begins) && !CALLED_AT_ONCE.some(begins);
}

/** `brief` is what those commands load, `others` what any command loads that is not a conversation. */
type Group = keyof typeof GROUPS | 'brief' | 'others';
const COMMANDS: readonly Group[] = ['core', 'prompt', 'turn', 'others'];
/** Groups whose modules are joined. */
const WITHIN_PROGRAM: readonly Group[] = ['core', 'prompt', 'turn', 'brief'];
const WITHIN_LIBRARY: readonly Group[] = ['store', 'services', 'library'];

interface Entry {
  readonly module: string;
  /** The groups that it loads. */
  readonly groups: readonly Group[];
}

const PROGRAM: Readonly<Record<string, Entry>> = {
  main: { module: START, groups: [] },
  server: { module: 'lib/server/program.ts', groups: COMMANDS },
  acp: { module: 'lib/acp/program.ts', groups: COMMANDS },
  // Threads look for their file alongside the one that starts them.
  worker: { module: 'lib/host/work/worker.ts', groups: COMMANDS },
  'read-worker': { module: 'lib/app/import/read-worker.ts', groups: ['library'] },
};

/** Entries of the library that load more than the session store, or less. */
const LOADS_OTHERWISE: Readonly<Record<string, readonly Group[]>> = {
  index: ['library'],
  app: ['library'],
  services: ['store', 'services'],
  'client/client': [],
};
const LIBRARY: Readonly<Record<string, Entry>> = {
  ...Object.fromEntries(
    libraryEntries(ROOT).map((name) => [
      name,
      { module: `lib/${name}.ts`, groups: LOADS_OTHERWISE[name] ?? ['store'] },
    ]),
  ),
  // The thread of a sync is next to the parts, which start it.
  'parts/read-worker': PROGRAM['read-worker']!,
};

/** Small programs of their own, one file each, that the program and the library start. */
const STARTED = { 'compare-worker': 'lib/retrieval/compare-worker.ts', relay: 'lib/app/handover/relay.ts' } as const;

/** Runs the large parts of the program, see `writeScript`. */
const RUN_SCRIPT = 'lib/cli/compiled-script.ts';
/** A part of this size is a script. The window of an archive's compression has as much. */
const SCRIPT_BYTES = 32_768;

/** Packages that go into these files, with those that they need themselves. */
const PACKAGES = [
  '@agentclientprotocol/sdk',
  'commander',
  'diff',
  'get-east-asian-width',
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

/**
 * Makes `<directory>/index.js` with the other entries of the library, `<directory>/program/main.js`, and the parts that
 * they load when they are needed.
 */
export async function bundle(directory: string): Promise<void> {
  const outdir = resolve(ROOT, directory);
  const [program, parts] = [join(outdir, 'program'), join(outdir, 'parts')];
  for (const old of [program, parts]) await rm(old, { recursive: true, force: true });
  await build({ ...CHECKS_ALONE, outdir: parts });
  await writeLoaders(parts, program);
  const asIs = [ownVersion, packages, builtins(await namedMembers()), shortPackages];
  for (const each of [program, parts])
    await build({ ...OPTIONS, entryPoints: pointsOf(STARTED), outdir: each, splitting: false, plugins: asIs });
  const modules = (entries: Readonly<Record<string, Entry>>, folder = '') =>
    Object.fromEntries(Object.entries(entries).map(([out, { module }]) => [folder + out, module]));
  const options = {
    ...OPTIONS,
    entryPoints: pointsOf({ ...modules(PROGRAM, 'parts/'), ...modules(LIBRARY) }),
    outdir,
    chunkNames: 'parts/[name]-[hash]',
  } as const;
  const plugins = [...asIs, checksLater];
  const { metafile } = await build({ ...options, write: false, plugins });
  const { outputFiles, metafile: made } = await build({
    ...options,
    write: false,
    plugins: [reaching(toReach(metafile)), ...plugins],
    // Nothing is left of an import for its own sake, and nothing should be.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  const ofEsbuild = ({ inputs, imports }: Metafile['outputs'][string]) =>
    Object.keys(inputs).length === 0 && imports.length === 0;
  const [helpers = ''] = Object.entries(made.outputs).find(([, output]) => ofEsbuild(output)) ?? [];
  await write(outputFiles, outdir, basename(helpers));
  await writeFile(join(program, 'LICENSES.txt'), await licenses(metafile));
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
function toReach(metafile: Metafile): ReadonlyMap<string, readonly string[]> {
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
  const modulesOf = (entries: readonly Entry[]) => entries.map(({ module }) => module);
  const library = Object.values(LIBRARY);
  const ofProgram = reachedFrom(modulesOf(Object.values(PROGRAM)), true);
  const ofLibrary = reachedFrom(modulesOf(library), true);
  const ofStore = reachedFrom(modulesOf(library.filter(({ groups }) => groups.join() === 'store')), true);
  // Commands in the first files are included: the parts that they load later are separate.
  const commands = Object.keys(inputs).filter(
    (path) => path.startsWith('lib/cli/commands/') && !CONVERSING.includes(path),
  );
  const ofCommands = reachedFrom([...AGENTS, ...commands], true);
  const those = (of: ReadonlySet<string>) => [...parts].filter((part) => of.has(part));
  const ofAgents = new Set([...reachedFrom(AGENTS)].filter((module) => module.startsWith('lib/')));
  const members = fewSets(
    {
      store: reachedFrom([...GROUPS.store, ...those(ofStore)]),
      services: reachedFrom(GROUPS.services),
      library: reachedFrom(GROUPS.library),
      core: reachedFrom(GROUPS.core),
      prompt: reachedFrom([...GROUPS.core, ...GROUPS.prompt]),
      turn: reachedFrom([...GROUPS.core, ...GROUPS.prompt, ...GROUPS.turn]),
      brief: reachedFrom([...GROUPS.core, ...BRIEF, ...AGENTS]),
      others: reachedFrom([...GROUPS.core, ...BRIEF, ...AGENTS, ...commands, ...those(ofCommands)]),
    },
    ofStore,
    ofLibrary,
  );
  const groupsOf = (module: string, of: readonly Group[]) => of.filter((group) => members[group].has(module));
  const isBuiltin = (module: string) => module.startsWith('builtin:');
  const joined = Object.keys(inputs).filter(
    (module) =>
      !/^(?:node_modules\/|of-package:)/.test(module) &&
      (isBuiltin(module) || groupsOf(module, [...WITHIN_LIBRARY, ...WITHIN_PROGRAM]).length > 0),
  );
  // The first modules of a group are first here too: modules that import each other run in the order of the sources.
  const first = new Set<string>(Object.values(GROUPS).flat());
  joined.sort((one, other) => Number(first.has(other)) - Number(first.has(one)));
  const allOf = (groups: readonly Group[]) =>
    groups.length === 0
      ? []
      : joined.filter((module) => isBuiltin(module) || groups.some((group) => members[group].has(module)));
  /** The modules that all of these groups have. */
  const thereWith = (groups: readonly Group[]) =>
    joined.filter((module) => isBuiltin(module) || groups.every((group) => members[group].has(module)));
  /** Modules of the program stay out of the library, also where a part would find them in the program. */
  const reachedBy = (part: string): readonly string[] =>
    ofLibrary.has(part) ? thereAt(part).filter((module) => isBuiltin(module) || ofLibrary.has(module)) : thereAt(part);
  const thereAt = (part: string): readonly string[] => {
    const groups = groupsOf(part, [...WITHIN_LIBRARY, ...WITHIN_PROGRAM]);
    if (groups.length > 0) return thereWith([...groups, ...groupsOf(part, ['others'])]);
    if (AGENTS.includes(part)) return [...allOf(['brief']), ...ofAgents];
    if (BRIEF.includes(part)) return allOf(['brief']);
    const inProgram = ofProgram.has(part) ? allOf(ofCommands.has(part) ? ['others'] : COMMANDS) : joined;
    const inLibrary = ofLibrary.has(part) ? new Set(allOf(ofStore.has(part) ? ['store'] : ['library'])) : undefined;
    return inProgram.filter((module) => inLibrary?.has(module) ?? true);
  };
  return new Map([
    ...[...parts].map((part): [string, readonly string[]] => [part, reachedBy(part)]),
    ...[...Object.values(PROGRAM), ...library].map(({ module, groups }): [string, readonly string[]] => [
      module,
      allOf(groups),
    ]),
  ]);
}

type Sets = Readonly<Record<Group, ReadonlySet<string>>>;

/**
 * Each combination of groups is a file. To have few, a small one has members of others as well: modules that it loads
 * in vain take less time than one more file.
 */
function fewSets(of: Sets, ofStore: ReadonlySet<string>, ofLibrary: ReadonlySet<string>): Sets {
  const core = of.core.union(of.brief.intersection(of.store.union(of.library).union(of.turn)));
  const store = of.store.union(core.intersection(ofStore)).union(of.services.intersection(core.union(of.prompt)));
  const prompt = of.prompt.union(core).union(store);
  const turn = of.turn.union(prompt);
  const services = of.services.union(store);
  const library = of.library.union(services).union(ofLibrary.intersection(turn));
  return { store, services, library, core, prompt, turn, brief: of.brief.union(core), others: of.others.union(store) };
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

const IMPORT = /^import(?: (?:\{([^}]*)\}|\* as ([\w$]+)|([\w$]+)) from)? "[^"]+";\n/gm;
const EXPORT = /^export \{([^}]*)\};\n/m;

/**
 * Writes the build: the library to `parts` and next to it, and the program to `program`, where a part of the library
 * is once more, or a module that runs it as a script if it is large. The two are close to each other in an archive, so
 * that the second one takes next to nothing.
 *
 * For each part that is in a group there is a file that only exports the members of the group's file. In the program, a
 * module that loads such a part gets it from there instead. In the library it does not: a bundler sees which members of
 * the group are needed.
 */
async function write(outputs: readonly OutputFile[], outdir: string, helpers: string): Promise<void> {
  const [parts, program] = [join(outdir, 'parts'), join(outdir, 'program')];
  // Each start loads both.
  const [added] = outputs.filter(({ path }) => basename(path) === helpers);
  await appendFile(join(program, 'load.js'), added!.text);
  const texts = new Map(
    // No module has an effect by being loaded, so that an import without names is not needed.
    outputs.map(({ path, text }) => [
      path,
      inAscii(markPure(withoutRepeats(text))).replace(/^import "\.[^"]+";\n/gm, ''),
    ]),
  );
  const behind = new Map(
    [...texts].flatMap(([path, text]) => {
      const file = handedOnFrom(text);
      return file === undefined ? [] : [[`./${basename(path)}`, file]];
    }),
  );
  const direct = (text: string) =>
    text.replaceAll(`"./${helpers}"`, '"./load.js"').replace(/\bimport\("(\.[^"]+)"\)/g, (whole, part: string) => {
      const file = behind.get(part);
      return file === undefined ? whole : `import("${file}")`;
    });
  const starts = (entries: object, folder: string) => Object.keys(entries).map((name) => join(folder, `${name}.js`));
  const ofLibrary = reachedFiles(texts, starts(LIBRARY, outdir));
  const ofProgram = reachedFiles(
    new Map([...texts].map(([path, text]) => [path, direct(text)])),
    starts(PROGRAM, parts),
  );
  refuseCircles(texts);
  const scripts = new Map(
    [...texts]
      .filter(([path, text]) => ofProgram.has(path) && text.length >= SCRIPT_BYTES)
      .map(([path, text]) => [basename(path), asScript(path, text)]),
  );
  const start = startOf(texts, behind, scripts, helpers);
  await appendFile(join(program, 'load.js'), start.text);
  for (const [path, text] of texts) {
    const name = basename(path);
    const script = scripts.get(name);
    await mkdir(dirname(path), { recursive: true });
    if (script !== undefined) {
      await refuseAssignments(path, script.part);
      await writeFile(path, script.part);
      await writeFile(join(program, name), direct(asModule(script, start.files.indexOf(name))));
      continue;
    }
    if (ofLibrary.has(path)) await writeFile(path, text);
    if (ofProgram.has(path)) await writeFile(join(program, name), name === 'main.js' ? start.main : direct(text));
  }
}

/**
 * The parts that every command loads are run by `load.js` itself: each module more is half a millisecond. A module that
 * another part imports has their exports.
 */
function startOf(
  texts: ReadonlyMap<string, string>,
  behind: ReadonlyMap<string, string>,
  scripts: ReadonlyMap<string, AsScript>,
  helpers: string,
): { readonly text: string; readonly main: string; readonly files: readonly string[] } {
  const byName = new Map([...texts].map(([path, text]) => [basename(path), text]));
  const files: string[] = [];
  const isPart = (from = '') => !['', helpers, 'load.js'].includes(from);
  const add = (name: string): void => {
    if (files.includes(name)) return;
    const script = scripts.get(name);
    if (script === undefined) throw new Error(`${name} is loaded by every command, and is too small for a script.`);
    for (const { from, own } of script.imports) {
      if (from === undefined) throw new Error(`${name} imports ${own} from a package: every command would load it.`);
      if (isPart(from)) add(from);
    }
    files.push(name);
  };
  const fileOf = (part: string) => basename(behind.get(part) ?? part);
  const main = byName.get('main.js')!;
  const [, first = ''] = /import\("(\.[^"]+)"\)/.exec(main)!;
  add(fileOf(first));
  const value = (file: string, name: string) => {
    const at = scripts.get(file)!.members.findIndex(({ outside }) => outside === name);
    if (at < 0) throw new Error(`${file} has no ${name}.`);
    return `part_${files.indexOf(file)}()[${at}]`;
  };
  /** A part of these is there already: its values are taken. */
  const atHand = (text: string, make: (members: string) => string) =>
    text.replace(/\bimport\("(\.[^"]+)"\)/g, (whole, part: string) => {
      const file = fileOf(part);
      if (!files.includes(file)) return behind.has(part) ? `import("${behind.get(part)}")` : whole;
      const names = exportedBy(byName.get(basename(part))!);
      return make(names.map((name) => `${name}: ${value(file, name)}`).join(', '));
    });
  const parts = files.map((file, at) => {
    const { imports, later, places, call } = scripts.get(file)!;
    const taken = [
      ...imports.map(({ from, name }) => (isPart(from) ? value(from!, name) : name)),
      ...later.map((each) => `() => ${atHand(each, (members) => `Promise.resolve({ ${members} })`)}`),
      ...places.map((place) =>
        place === 'url' ? `import.meta.url.replace("load.js", "${file}")` : 'import.meta.dirname',
      ),
    ];
    return `let run_${at};\nexport const part_${at} = () => run_${at} ??= ${call(taken)};\n`;
  });
  return {
    files,
    text: parts.join(''),
    main: atHand(main, (members) => `import("./load.js").then(({ part_${files.length - 1} }) => ({ ${members} }))`),
  };
}

/** Files that import each other at once: in one that is run as a script, a name of the other has no value yet. */
function refuseCircles(texts: ReadonlyMap<string, string>): void {
  const done = new Set<string>();
  const follow = (path: string, above: readonly string[]): void => {
    if (above.includes(path))
      throw new Error(
        `Parts import each other: ${[...above.slice(above.indexOf(path)), path].map((each) => basename(each)).join(' -> ')}`,
      );
    if (done.has(path)) return;
    for (const part of importedBy(path, texts.get(path) ?? '', /\bfrom "(\.[^"]+)";/g)) follow(part, [...above, path]);
    done.add(path);
  };
  for (const path of texts.keys()) follow(path, []);
}

function importedBy(path: string, text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, part = '']) => join(dirname(path), part));
}

/** The files that these load, at once or later. */
function reachedFiles(texts: ReadonlyMap<string, string>, starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const reach = (path: string): void => {
    const text = texts.get(path);
    if (basename(path) === 'load.js') return;
    if (text === undefined) throw new Error(`${path} is loaded, and not built.`);
    if (reached.has(path)) return;
    reached.add(path);
    for (const part of importedBy(path, text, /(?:\bfrom |\bimport\()"(\.[^"]+)"/g)) reach(part);
  };
  for (const start of starts) reach(start);
  return reached;
}

interface AsScript {
  /** The part, as a module. */
  readonly part: string;
  /** The imports of the part, with those that are made later as functions. */
  readonly head: string;
  readonly imports: readonly { readonly from: string | undefined; readonly name: string; readonly own: string }[];
  readonly later: readonly string[];
  readonly places: readonly string[];
  /** The names of all that it is given. */
  readonly taken: readonly string[];
  readonly members: readonly { readonly inside: string; readonly outside: string; readonly own: string }[];
  /** The call that runs it with these values. */
  call(values: readonly string[]): string;
}

/**
 * A large part as a module that the program can also run as a script, with compiled code that was kept
 * (docs/decisions/0056-called-functions-stay-compiled.md), and the module that does. A script cannot import: the part
 * has its imports first, those that are made later as functions. The parts import nothing from each other in a circle,
 * so that each name has its value when the script has run.
 */
function asScript(path: string, text: string): AsScript {
  const importLines = [...text.matchAll(IMPORT)];
  const [whole = '', exported = ''] = EXPORT.exec(text) ?? [];
  const later: string[] = [];
  const all = text
    .replace(IMPORT, '')
    .replace(whole, '')
    .replaceAll(/\bimport\("[^"]+"\)/g, (call) => {
      if (!later.includes(call)) later.push(call);
      return `__import_${later.indexOf(call)}()`;
    })
    .replaceAll(/\bimport\.meta\.(\w+)/g, '__$1');
  const left = /^(?:import|export)\b(?!\().*$|^.*\bimport(?:\.meta|\().*$/m.exec(all);
  if (left !== null) throw new Error(`${path} cannot be a script: it has the line ${left[0]}`);
  const places = ['url', 'dirname'].filter((name) => all.includes(`__${name}`));
  const head = [
    ...importLines.map(([line]) => line),
    ...later.map((call, at) => `const __import_${at} = () => ${call};\n`),
    ...places.map((name) => `const __${name} = import.meta.${name};\n`),
  ].join('');
  const imports = importLines.flatMap(([line, names, star, one]) => {
    const from = /"\.\/([^"]+)";/.exec(line)?.[1];
    if (names === undefined) return [{ from: undefined, name: '', own: star ?? one ?? '' }];
    return names.split(',').map((each) => {
      const [name = '', own = name] = each.trim().split(' as ');
      return { from, name, own };
    });
  });
  const taken = [
    ...imports.map(({ own }) => own),
    ...later.map((_, at) => `__import_${at}`),
    ...places.map((name) => `__${name}`),
  ];
  const members = exported
    .split(',')
    .map((each) => each.trim().split(' as '))
    .map(([inside = '', outside = inside]) => ({
      inside,
      outside,
      own: taken.includes(outside) ? `own_${outside}` : outside,
    }));
  const given = members.map(({ inside }) => inside);
  const { body, middle, doors } = setApart(all, given, isCalledLater);
  const added = [
    `"use strict"; (function (${taken.join(', ')}) {\n`,
    doorsTo(doors),
    `return [${doors.join(', ')}];\n}\nreturn [${given.join(', ')}];\n})`,
  ];
  const call = (values: readonly string[]) =>
    [
      'runScript({\n',
      `  file: \`\${import.meta.dirname}/../parts/${basename(path)}\`,\n`,
      `  from: ${head.length},\n  middle: ${head.length + middle},\n  to: ${head.length + body.length},\n`,
      `  line: ${head.split('\n').length - 1},\n  added: ${JSON.stringify(added)},\n`,
      `  digest: "${hash('sha256', [body, ...added].join('\n')).slice(0, 16)}",\n`,
      `  commands: "${COMMAND_NAMES.join(' ')}",\n  taken: [${values.join(', ')}],\n})`,
    ].join('');
  return { part: `${head}${body}${whole}`, head, imports, later, places, taken, members, call };
}

/** A module that runs it, and has its exports. Those that every command loads are run by `load.js`. */
function asModule({ head, taken, members, call }: AsScript, atStart: number): string {
  const list = (each: (member: (typeof members)[number], at: number) => string) => members.map(each).join(', ');
  const values = `const { ${list(({ own }, at) => `${at}: ${own}`)} } =`;
  return [
    ...(atStart < 0
      ? ['import { runScript } from "./load.js";\n', head, `${values} ${call(taken)};\n`]
      : [`import { part_${atStart} } from "./load.js";\n${values} part_${atStart}();\n`]),
    `export { ${list(({ outside, own }) => (own === outside ? own : `${own} as ${outside}`))} };\n`,
  ].join('');
}

/** An export that is assigned after its part has run: who imported it from a script would keep its first value. */
async function refuseAssignments(path: string, text: string): Promise<void> {
  const [, exported = ''] = EXPORT.exec(text) ?? [];
  const names = new Set(exported.split(',').map((each) => each.trim().split(' as ')[0]!));
  const constant = text.replace(/^var ([\w$]+)(?= =)/gm, (line, name: string) =>
    names.delete(name) ? `const ${name}` : line,
  );
  // An enum of a package has its value once its function has run.
  for (const [, name = ''] of text.matchAll(/^\}\)\(([\w$]+) \|\| \(\1 = \{\}\)\);$/gm)) names.delete(name);
  for (const [, name = ''] of text.matchAll(/^(?:async )?function\*? ([\w$]+)\(/gm)) names.delete(name);
  if (names.size > 0) throw new Error(`${path} exports ${[...names].join(', ')}, which has no declaration of its own.`);
  await transform(constant, {
    sourcefile: path,
    logLevel: 'error',
    logOverride: { 'assign-to-constant': 'error' },
  });
}

/** Parts of Node are imported once in a file, by the modules of it that come first, and not where nothing uses them. */
function withoutRepeats(text: string): string {
  const first = new Map<string, string>();
  const again = new Map<string, string>();
  const once = text
    .replace(/^var (import_[\w$]+) = (__toESM\(require_[\w$]+\(\)\));\n/gm, (line, name: string, value: string) => {
      const before = first.get(value);
      if (before === undefined) first.set(value, name);
      else again.set(name, before);
      return before === undefined ? line : '';
    })
    .replace(/\bimport_[\w$]+/g, (name) => again.get(name) ?? name);
  const used = new Map<string, number>();
  const count = (of: string) => {
    used.clear();
    for (const [name] of of.matchAll(/[\w$]+/g)) used.set(name, (used.get(name) ?? 0) + 1);
  };
  count(once);
  const needed = once.replace(/^var (import_[\w$]+) = __toESM\(require_[\w$]+\(\)\);\n/gm, (line, name: string) =>
    used.get(name) === 1 ? '' : line,
  );
  count(needed);
  return needed.replace(/^import \{([^}]*)\} from ("[^"]+");\n/gm, (_, names: string, from: string) => {
    const left = names.split(',').filter((name) => used.get(name.trim().split(' as ').at(-1)!)! > 1);
    return left.length === 0 ? '' : `import {${left.join(',').trimEnd()}\n} from ${from};\n`;
  });
}

/** No module has an effect by being loaded: a bundler may leave out each value that nothing uses. */
function markPure(text: string): string {
  return text
    .replace(/^(var [\w$]+ = )(?=(?:new )?[A-Za-z_$][\w$.]*\()/gm, '$1/* @__PURE__ */ ')
    .replace(/(__toESM\()(?=require_)/g, '$1/* @__PURE__ */ ');
}

/** Node keeps two bytes for each letter of a file that has one outside ASCII, which takes longer to read. */
function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function exportedBy(text: string): readonly string[] {
  const [, names = ''] = EXPORT.exec(text) ?? [];
  return names.split(',').map((each) => each.trim().split(' as ').at(-1)!);
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
const builtins = (isNamed: (member: string) => boolean): Plugin => ({
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    // The imported part on demand is loaded when it is used already, and by its names.
    onResolve({ filter: /^[a-z_/:]+$/ }, ({ path: name, kind }) => {
      if (!isBuiltin(name)) return undefined;
      // Packages of CommonJS name them without the scheme, and take them by `require`, which a module has not.
      const path = name.startsWith('node:') ? name : `node:${name}`;
      if (kind === 'require-call') return { path, namespace: 'of-package' };
      return kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' };
    });
    // Apart from those of our modules: a package is in a file that is loaded without them.
    onLoad({ filter: /^/, namespace: 'of-package' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
    onLoad({ filter: /^node:process$/, namespace: 'builtin' }, () => ({ contents: 'export default process;' }));
    onLoad({ filter: /^/, namespace: 'builtin' }, async ({ path }) => {
      // Imported, `node:fs` would load its streams as well, a tenth of what an empty Node takes to start.
      const get = `process.getBuiltinModule(${JSON.stringify(path)})`;
      if (NEEDED_AT_ONCE.includes(path)) return { contents: `module.exports = Object.create(${get});\n` };
      const { default: part, ...members } = (await import(path)) as Record<string, unknown> & { default: object };
      // Each takes a microsecond at every start.
      const getters = Object.keys(members)
        .filter(isNamed)
        .map((name) => `  get ${name}() { return load().${name}; },\n`);
      const load = `let loaded;\nconst load = () => (loaded ??= ${get});\n`;
      // Inherited, because each module that imports them would otherwise get a copy of every one.
      return { contents: `${load}module.exports = Object.create({\n${getters.join('')}});\n` };
    });
  },
});

/** Whether a name is anywhere in our code, or in that of the packages that are put in. */
async function namedMembers(): Promise<(name: string) => boolean> {
  const names = new Set<string>();
  for (const folder of ['lib', ...PACKAGES.map((name) => `node_modules/${name}`)])
    for (const file of await readdir(join(ROOT, folder), { recursive: true }))
      if (/\.(?:ts|[cm]?js)$/.test(file))
        for (const [name] of (await readFile(join(ROOT, folder, file), 'utf8')).matchAll(/[\w$]+/g)) names.add(name);
  return (name) => names.has(name);
}

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

const checksLater: Plugin = {
  name: 'checks-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/load\.js$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /\.generated\.ts$/ }, ({ path }) => {
      const [file] = Object.entries(CHECKS).find(([, module]) => path === join(ROOT, module)) ?? [];
      if (file === undefined) return undefined;
      const load = `load_${file.replace('-', '_')}`;
      return {
        contents: `import { ${load} } from './load.js';
          let loaded;
          export const VALIDATORS = new Proxy({}, { get: (_, name) => (loaded ??= ${load}().VALIDATORS)[name] });`,
      };
    });
  },
};

/**
 * What gives a part the checks: in the library by a way that a bundler follows, in the program one that takes no other
 * file, since each start loads it.
 */
async function writeLoaders(parts: string, program: string): Promise<void> {
  for (const name of Object.keys(CHECKS))
    await writeFile(join(parts, `load-${name}.cjs`), `exports.load = () => require("./${name}.cjs");\n`);
  const each = (line: (name: string, variable: string) => string) =>
    Object.keys(CHECKS)
      .map((name) => line(name, name.replace('-', '_')))
      .join('');
  await writeFile(
    join(parts, 'load.js'),
    each((name, variable) => `import ${variable} from "./load-${name}.cjs";\n`) +
      each((_, variable) => `export const load_${variable} = () => ${variable}.load();\n`),
  );
  const create = 'process.getBuiltinModule("node:module").createRequire(import.meta.url)';
  await build({
    ...OPTIONS,
    stdin: {
      contents: `export * from './${RUN_SCRIPT}';
        ${each((name, variable) => `export const load_${variable} = () => ${create}("../parts/${name}.cjs");\n`)}`,
      resolveDir: ROOT,
    },
    splitting: false,
    outfile: join(program, 'load.js'),
  });
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

if (import.meta.main) await bundle(process.argv[2] ?? 'dist');
