// npm run pack:engine [DIRECTORY]: the package @ollm/journal, which is the session store by itself. It is made of the
// same sources as `ollm/store`, joined to few files, since each file costs a start, with the declarations that its
// types name. rxjs is needed by @ollm/journal/live only. Prints the path of the package.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { reachedDeclarations } from './declarations.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** The entries of the package, by the modules of lib/ that they are. */
const ENTRIES = { index: 'store', contracts: 'contracts', live: 'projections/live' } as const;
/** Packages that an installation brings, and those that a program brings if it uses the entry that needs them. */
const DEPENDENCIES = ['fs-native-extensions'];
const OPTIONAL = ['rxjs'];

const target = resolve(process.argv[2] ?? '.');
const staging = mkdtempSync(join(tmpdir(), 'ollm-journal-'));
try {
  mkdirSync(target, { recursive: true });
  await joinModules();
  copyDeclarations();
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(ROOT, 'docs', 'journal-package.md'), join(staging, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(staging, 'LICENSE'));
  console.log(join(target, pack()));
} finally {
  rmSync(staging, { recursive: true, force: true });
}

async function joinModules(): Promise<void> {
  const points = Object.entries(ENTRIES).map(([out, module]) => ({ in: join(ROOT, 'lib', `${module}.ts`), out }));
  await build({
    entryPoints: points,
    outdir: staging,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...DEPENDENCIES, ...OPTIONAL],
    chunkNames: 'parts/[name]-[hash]',
    logLevel: 'warning',
  });
}

/** With each declaration those that it imports, in the folders that they have. */
function copyDeclarations(): void {
  const entries = Object.values(ENTRIES).map((module) => join(DIST, `${module}.d.ts`));
  for (const path of reachedDeclarations(entries)) {
    const to = join(staging, 'types', relative(DIST, path));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(path, to);
  }
}

function manifest(): object {
  const ours = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, ours.dependencies[name]]));
  const entry = (out: keyof typeof ENTRIES) => ({
    types: `./types/${ENTRIES[out]}.d.ts`,
    default: `./${out}.js`,
  });
  return {
    name: '@ollm/journal',
    version: ours.version,
    description: 'A durable session store for agents: an append-only journal that survives a crash, for any model API',
    keywords: ['llm', 'agent', 'session', 'journal', 'event-sourcing', 'append-only', 'jsonl'],
    license: ours.license,
    type: 'module',
    engines: ours.engines,
    sideEffects: false,
    main: './index.js',
    types: entry('index').types,
    exports: {
      '.': entry('index'),
      './contracts': entry('contracts'),
      './live': entry('live'),
      './package.json': './package.json',
    },
    dependencies: versions(DEPENDENCIES),
    peerDependencies: versions(OPTIONAL),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
    files: readdirSync(staging).filter((name) => name !== 'package.json'),
  };
}

/** The name of the file. */
function pack(): string {
  const arguments_ = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const { status, stdout, stderr } = spawnSync('npm', arguments_, { cwd: staging, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  const packed = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  return filename;
}
