import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHome, type Home, OLLM, ROOT } from '../../support/cli.ts';
import { HOOK, hookVariables, MOST_MODULES, modulesDuring } from '../../support/loaded-modules.ts';
import { openTerminal } from '../../support/terminal.ts';

/** The files that node loads for a command line, CommonJS packages included. */
function modulesOf(home: Home, args: readonly string[]): Promise<readonly string[]> {
  const list = join(home.path, 'loaded.txt');
  return modulesDuring(list, () => home.run(args, { nodeOptions: ['--import', HOOK], env: hookVariables(list) }));
}

/** The ones that are loaded before the REPL on a terminal waits for input for the first time. */
async function modulesBeforePrompt(home: Home, provider: 'offline' | 'openai' = 'offline'): Promise<readonly string[]> {
  const list = join(home.path, 'loaded-by-repl.txt');
  const { PATH = '' } = process.env;
  await using terminal = openTerminal(
    process.execPath,
    [
      '--import',
      HOOK,
      OLLM,
      'repl',
      '--new',
      '--provider',
      provider,
      ...(provider === 'openai' ? ['--model', 'gpt-4o'] : []),
    ],
    {
      cwd: home.path,
      env: { PATH, HOME: home.path, OLLM_HOME: home.path, OPENAI_API_KEY: 'k', ...hookVariables(list) },
    },
  );
  await terminal.waitFor(/^>( |$)/);
  if (provider === 'offline') {
    terminal.type('hello\r');
    await terminal.waitFor('not a language model');
  }
  const loaded = readFileSync(list, 'utf8').split('\n');
  return [...new Set(loaded.slice(0, loaded.indexOf('prompt')))];
}

/** The packages of these files, and those whose code the build put into them. */
function packagesOf(modules: readonly string[]): readonly string[] {
  const inFile = (url: string) =>
    url.includes('/dist/program/') ? textOfPart(fileURLToPath(url)).match(/^\/\/ node_modules\/.+/gm) : null;
  const names = modules
    .flatMap((url) => inFile(url) ?? [url])
    .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** With the parts of the library that it runs as scripts. */
function textOfPart(file: string): string {
  const text = readFileSync(file, 'utf8');
  const parts = [...text.matchAll(/\/\.\.(\/parts\/[^`]+)`/g)].map(([, part]) => join(ROOT, 'dist', part!));
  return [file, ...parts].map((each) => readFileSync(each, 'utf8')).join('');
}

/** What NODE_V8_COVERAGE writes. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** All of them if there are more than the bound, so that a failure names each. */
function tooMany(modules: readonly string[], bound: number): readonly string[] {
  return modules.length > bound ? modules : [];
}

const HEAVY = [
  'rxjs',
  'yaml',
  'ollama',
  'gpt-tokenizer',
  'chokidar',
  'pino',
  'readline-sync',
  'ndjson',
  'hono',
  '@hono/node-server',
];

describe('the modules that a command loads', () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    await home.append('walk', [{ type: 'message.added', data: message('user', 'hello') }]);
  });
  afterAll(() => home[Symbol.dispose]());

  it('are next to none for --version', async () => {
    const modules = await modulesOf(home, ['--version']);
    // What starts it, and its entry.
    expect(modules.map((url) => url.replace(/^.*\/(bin|dist)\//, '$1/').replace(/-\w+\.js$/, ''))).toEqual([
      'bin/ollm.js',
      'dist/program/main.js',
    ]);
  });

  it.each(MOST_MODULES)('are bounded for %j', async (args, bound) => {
    const modules = await modulesOf(home, args);
    expect(tooMany(modules, bound)).toEqual([]);
    expect(packagesOf(modules).filter((name) => HEAVY.includes(name))).toEqual([]);
  });

  it('are bounded for a question, with one file for the parts of a turn', async () => {
    const modules = await modulesOf(home, ['ask', '--provider', 'offline', 'hello']);
    expect(tooMany(modules, 32)).toEqual([]);
    expect(packagesOf(modules)).not.toContain('pino');
  });

  it('are bounded for the REPL until its prompt is drawn, without the parts for an answer', async () => {
    const modules = await modulesBeforePrompt(home);
    expect(tooMany(modules, 17)).toEqual([]);
    // All of them are in the files of the build; of the package that takes locks only the native part is loaded.
    expect(packagesOf(modules)).toEqual(['commander', 'get-east-asian-width']);
  });

  it('include no tokenizer and no package of a vendor until the prompt of a model is shown', async () => {
    const packages = packagesOf(await modulesBeforePrompt(home, 'openai'));
    expect(packages.filter((name) => /^(gpt-tokenizer|ai|@ai-sdk\/.*|rxjs)$/.test(name))).toEqual([]);
  });

  it.each(['list', 'list --json', 'search --help'])('make no function that is set apart, for "%s"', async (line) => {
    using empty = createHome();
    const report = join(empty.path, 'coverage');
    await empty.run(line.split(' '), { env: { NODE_V8_COVERAGE: report } });
    const { result } = JSON.parse(readFileSync(join(report, readdirSync(report)[0]!), 'utf8')) as Coverage;
    const made = result.map(({ functions }) => functions.find(({ functionName }) => functionName === '__make'));
    expect(made.filter((each) => each !== undefined).map(({ ranges }) => ranges[0]?.count)).toEqual([0, 0, 0]);
  });

  it('begin with what every command needs: functions that write a session are set apart', () => {
    const load = readFileSync(join(ROOT, 'dist', 'program', 'load.js'), 'utf8');
    const places = load.matchAll(/(\/parts\/[^`]+)`,\n {2}from: (\d+),\n {2}middle: (\d+)/g);
    const first = [...places].map(([, part, from, middle]) =>
      readFileSync(join(ROOT, 'dist', part!), 'latin1').slice(Number(from), Number(middle)),
    );
    expect(first).toHaveLength(3);
    expect(first.join('')).toContain('function openFileStore(');
    expect(first.join('')).not.toMatch(/function (?:beginJournal|createRedactor|listTrash)\(/);
    // As many bytes as there are, and a few more: each 100 kB take a start 2 ms.
    expect(first.join('').length).toBeLessThan(600_000);
  });

  it('all exist in the build, including every chunk that is imported later', () => {
    const program = join(ROOT, 'dist', 'program');
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const [, part] of readFileSync(file, 'utf8').matchAll(
        /(?:\bfrom |^import |\bimport\()"(\.{1,2}\/[^"]+)"/gm,
      )) {
        reach(join(dirname(file), part!));
      }
    };
    expect(() => reach(join(program, 'main.js'))).not.toThrow();
    expect(reached.size).toBeGreaterThan(50);
  });
});

function message(role: string, text: string) {
  return { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true };
}

describe('the compile cache', () => {
  let home: Home;
  let shared: string;
  const kept = () => join(shared, `ollm-compiled-${process.getuid?.()}`);
  beforeEach(() => {
    home = createHome();
    shared = mkdtempSync(join(home.path, 'shared-'));
  });
  afterEach(() => home[Symbol.dispose]());
  const list = (temporary = shared) => home.run(['list', '--json'], { env: { TMPDIR: temporary } });

  it('is kept for the next run, in a directory that no other user may enter', async () => {
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readdirSync(shared)).toEqual([basename(kept())]);
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    const files = readdirSync(kept(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
  });

  it('has the functions that the command called, and is not used if its bytes were changed', async () => {
    expect(await list()).toMatchObject({ exitCode: 0 });
    const compiled = () => {
      const [name] = readdirSync(kept(), { recursive: true, encoding: 'utf8' })
        .filter((each) => each.endsWith('-list'))
        .map((each) => join(kept(), each));
      return name!;
    };
    const good = readFileSync(compiled());
    const bad = Buffer.from(good);
    bad.fill(0xff, bad.length / 2, bad.length / 2 + 4_096);
    writeFileSync(compiled(), bad);
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(compiled()).equals(bad)).toBe(false);
    // A few further runs add their functions; then it stays.
    const left = readFileSync(compiled()).readUInt32LE(4);
    const { size } = statSync(compiled());
    expect(await home.run(['list'], { env: { TMPDIR: shared } })).toMatchObject({ exitCode: 0 });
    const added = readFileSync(compiled());
    expect(added.readUInt32LE(4)).toBe(left - 1);
    expect(added.length).toBeGreaterThanOrEqual(size);
    added.writeUInt32LE(0, 4);
    writeFileSync(compiled(), added);
    const { mtimeNs } = statSync(compiled(), { bigint: true });
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(statSync(compiled(), { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  const makeOpen = () => {
    mkdirSync(kept());
    chmodSync(kept(), 0o777);
  };
  const makeLink = () => {
    mkdirSync(join(shared, 'elsewhere'));
    symlinkSync('elsewhere', kept());
  };
  const makeAnothers = () => {
    mkdirSync(kept(), { mode: 0o700 });
    chownSync(kept(), 12345, 12345);
  };
  it.each<[string, () => void]>([
    ['a directory that others may write to', makeOpen],
    ['a link', makeLink],
    ['a file', () => writeFileSync(kept(), '')],
    // Only root can give something away.
    ...(process.getuid?.() === 0 ? [['a directory of another user', makeAnothers] as [string, () => void]] : []),
  ])('is neither read from nor put into %s', async (_, prepare) => {
    prepare();
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' });
    const names = readdirSync(shared, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.includes('/'))).toEqual([]);
  });

  it('is not kept if nothing can be written', async () => {
    expect(await list(join(shared, 'missing'))).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('a clone whose sources changed after the build', () => {
  it('reports that the build is old, and runs', () => {
    using home = createHome();
    const clone = join(home.path, 'clone');
    cpSync(join(ROOT, 'bin'), join(clone, 'bin'), { recursive: true });
    const write = (name: string, text: string, seconds: number) => {
      mkdirSync(dirname(join(clone, name)), { recursive: true });
      writeFileSync(join(clone, name), text);
      utimesSync(join(clone, name), seconds, seconds);
    };
    const later = Date.now() / 1000 + 1000;
    write('package.json', '{"type":"module"}', 1);
    write('dist/program/main.js', 'export const main = async () => console.log("ran");', 1);
    write('lib/a.ts', '', 1000);
    write('dist/.built', '', 1000);
    write('.git/logs/HEAD', 'a commit', later);
    const run = () => {
      const { stdout, stderr } = spawnSync(process.execPath, [join(clone, 'bin/ollm.js')], { encoding: 'utf8' });
      return { stdout, stderr };
    };
    expect(run()).toEqual({ stdout: 'ran\n', stderr: '' });
    write('lib/folder/b.ts', '', 2000);
    expect(run()).toEqual({ stdout: 'ran\n', stderr: expect.stringContaining('"npm run build"') });
    // A commit leads to one look at the sources.
    write('lib/folder/b.ts', '', 500);
    utimesSync(join(clone, 'lib/folder'), 500, 500);
    write('.git/logs/HEAD', 'a commit', Date.now() / 1000);
    expect(run()).toEqual({ stdout: 'ran\n', stderr: '' });
    const looked = statSync(join(clone, 'dist/.built'));
    expect(looked.mtimeMs).toBe(1_000_000);
    expect(run()).toEqual({ stdout: 'ran\n', stderr: '' });
    expect(statSync(join(clone, 'dist/.built')).ctimeMs).toBe(looked.ctimeMs);
    // A package that was installed has no repository, and is not checked.
    rmSync(join(clone, '.git'), { recursive: true });
    expect(run()).toEqual({ stdout: 'ran\n', stderr: '' });
  });
});

describe('a clone that was not built', () => {
  it('reports that "npm ci" installs and builds it', async () => {
    using home = createHome();
    const clone = join(home.path, 'clone');
    cpSync(join(ROOT, 'bin'), join(clone, 'bin'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(clone, 'package.json'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, 'bin', 'ollm.js'), 'list'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `ollm: ${clone}/ is not installed and built yet.\nRun "npm ci" there, then start ollm again.\n`,
    });
  });
});
