// The package @ollm/journal, as `npm run pack:engine` makes it, in an empty project that has nothing else.
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';

const MODULES = join(ROOT, 'node_modules');
const project = mkdtempSync(join(tmpdir(), 'ollm-engine-'));
const installed = join(project, 'node_modules', '@ollm', 'journal');
let manifest: Readonly<Record<string, Readonly<Record<string, string>>>>;

beforeAll(() => {
  const packed = run(ROOT, process.execPath, '.ci/pack-engine.ts', project);
  expect(packed).toMatchObject({ status: 0, stderr: '' });
  mkdirSync(installed, { recursive: true });
  const unpacked = run(project, 'tar', 'xzf', packed.stdout.trim(), '--strip-components=1', '-C', installed);
  expect(unpacked).toMatchObject({ status: 0 });
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies ?? {})) link(name);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function run(cwd: string, command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function link(name: string): void {
  symlinkSync(join(MODULES, name), join(project, 'node_modules', name));
}

function program(name: string, text: string) {
  writeFileSync(join(project, name), text);
  return run(project, process.execPath, '--no-warnings', name);
}

/** The package with those that it needs, and those that they need. */
function brought(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8'));
  for (const each of Object.keys(dependencies)) brought(each, found);
  return found;
}

it('the engine package has at most six packages, and takes at most 3 MB', () => {
  const packages = Object.keys(manifest.dependencies ?? {}).flatMap((name) => [...brought(name)]);
  expect(packages.length).toBeLessThanOrEqual(6);
  expect(packages).toContain('fs-native-extensions');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) => join(installed, name));
  const bytes = files.map((file) => (statSync(file).isFile() ? statSync(file).size : 0));
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(3e6);
});

it('the engine package loads few files, and no package among them', () => {
  const listing = `
    import { registerHooks } from 'node:module';
    import { statSync } from 'node:fs';
    import { fileURLToPath } from 'node:url';
    const loaded = [];
    registerHooks({
      load(url, context, next) {
        if (url.startsWith('file:')) loaded.push(fileURLToPath(url));
        return next(url, context);
      },
    });
    await import('@ollm/journal');
    console.log(JSON.stringify(loaded.map((file) => [file, statSync(file).size])));`;
  const { stdout, stderr } = program('loads.mjs', listing);
  expect(stderr).toBe('');
  const loaded: [file: string, bytes: number][] = JSON.parse(stdout);
  expect(loaded.filter(([file]) => !file.includes('@ollm/journal'))).toEqual([]);
  expect(loaded.length).toBeLessThanOrEqual(3);
  expect(loaded.length).toBeGreaterThan(0);
  // A start is a matter of how much Node has to read and compile: docs/performance.md.
  expect(loaded.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(1_100_000);
});

const [, TEN_LINES = ''] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs', 'journal-package.md'), 'utf8')) ?? [];

it('the engine package runs the program of its page with import', () => {
  const { status, stdout, stderr } = program('keep.mjs', TEN_LINES.replace('./sessions', './imported'));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/When do I sow beans\?[\s\S]*\nGarden 1\n$/);
});

it('the engine package runs the program of its page with require', () => {
  const body = TEN_LINES.replace(/import (\{[^}]+\}) from ('[^']+');/, 'const $1 = require($2);\n(async () => {');
  const { status, stdout, stderr } = program('keep.cjs', `${body.replace('./sessions', './required')}})();\n`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/When do I sow beans\?[\s\S]*\nGarden 1\n$/);
});

it('the engine package includes the contracts of a store, with which the guide to one tests its database', () => {
  const page = readFileSync(join(ROOT, 'docs', 'own-store.md'), 'utf8');
  const [, guide = ''] = /## The contracts[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const packaged = (text: string) =>
    text.replaceAll("'ollm/store'", "'@ollm/journal'").replaceAll("'ollm/contracts'", "'@ollm/journal/contracts'");
  writeFileSync(
    join(project, 'sqlite-store.ts'),
    packaged(readFileSync(join(ROOT, 'docs/examples/sqlite-store.ts'), 'utf8')),
  );
  const { status, stdout } = program('guide.mts', packaged(guide));
  expect(stdout).toMatch(/^[#ℹ] fail 0$/m);
  expect(Number(/^[#ℹ] pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(40);
  expect(status).toBe(0);
});

it('the engine package has complete types for both ways in which programs find modules', () => {
  writeFileSync(
    join(project, 'types.mts'),
    `import { type AnthropicMessages, openSessionStore, type SessionStore } from '@ollm/journal';
const sessions: SessionStore = openSessionStore('./typed');
await using session = await sessions.openOrCreate({ name: 'Garden' });
export const next: AnthropicMessages = await session.messages('anthropic');
// @ts-expect-error: not one of the forms
await session.messages('cohere');
`,
  );
  const common = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2024',
    '--lib',
    'es2024,esnext.disposable',
  ];
  const nodeTypes = ['--typeRoots', join(MODULES, '@types'), '--types', 'node'];
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const ways = ['--module', module, '--moduleResolution', resolution];
    const compiler = join(MODULES, '.bin', 'tsc');
    const { status, stdout } = run(project, compiler, ...common, ...ways, ...nodeTypes, 'types.mts');
    expect({ module, status, stdout }).toEqual({ module, status: 0, stdout: '' });
  }
});

it('the engine package needs rxjs only for live projections, and says so if it is missing', () => {
  const live = `
    import { openMemoryStore, createSession, sessionFold } from '@ollm/journal';
    import { liveJournal, project } from '@ollm/journal/live';
    const store = openMemoryStore();
    const session = await createSession(store, { provider: 'mine', model: 'mine-1', system: 'Be terse.' });
    const journal = liveJournal({ openReader: () => store.openReader(session.id), writer: session.writer });
    journal.events$.pipe(project(sessionFold)).subscribe(() => { console.log('a state'); process.exit(0); });`;
  const missing = program('live.mjs', live);
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain("Cannot find package 'rxjs'");
  for (const name of ['rxjs', 'tslib']) link(name);
  expect(program('live.mjs', live)).toMatchObject({ status: 0, stdout: 'a state\n' });
});
