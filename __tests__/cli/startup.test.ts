import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOOK, hookVariables, MOST_MODULES, modulesDuring } from '../../bench/loaded-modules.ts';
import { createHome, ensureBuilt, type Home, OLLM, ROOT } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

/** The files that node loads for a command line, CommonJS packages included. */
function modulesOf(home: Home, args: readonly string[]): Promise<readonly string[]> {
  const list = join(home.path, 'loaded.txt');
  return modulesDuring(list, () => home.run(args, { nodeOptions: ['--import', HOOK], env: hookVariables(list) }));
}

/** Those that are loaded before the REPL on a terminal waits for input for the first time. */
async function modulesBeforePrompt(home: Home): Promise<readonly string[]> {
  const list = join(home.path, 'loaded-by-repl.txt');
  const { PATH = '' } = process.env;
  await using terminal = openTerminal(
    process.execPath,
    ['--import', HOOK, OLLM, 'repl', '--new', '--provider', 'offline'],
    {
      cwd: home.path,
      env: { PATH, HOME: home.path, OLLM_HOME: home.path, ...hookVariables(list) },
    },
  );
  await terminal.waitFor(/^>( |$)/);
  terminal.type('hello\r');
  await terminal.waitFor('not a language model');
  const loaded = readFileSync(list, 'utf8').split('\n');
  return [...new Set(loaded.slice(0, loaded.indexOf('prompt')))];
}

function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

const HEAVY = ['rxjs', 'yaml', 'ollama', 'gpt-tokenizer', 'chokidar', 'pino', 'readline-sync', 'ndjson'];

describe('what a command loads', () => {
  let home: Home;
  beforeAll(async () => {
    await ensureBuilt();
    home = createHome();
    await home.append('walk', [{ type: 'message.added', data: message('user', 'hello') }]);
  }, 120_000);
  afterAll(() => home[Symbol.dispose]());

  it('is next to nothing for --version', async () => {
    const modules = await modulesOf(home, ['--version']);
    // What starts it, and its entry.
    expect(modules.map((url) => url.replace(/^.*\/(bin|dist)\//, '$1/').replace(/-\w+\.js$/, ''))).toEqual([
      'bin/ollm.js',
      'dist/program/main.js',
    ]);
  });

  it.each(MOST_MODULES)('is bounded for %j', async (args, bound) => {
    const modules = await modulesOf(home, args);
    expect(modules.length).toBeLessThanOrEqual(bound);
    expect(packagesOf(modules).filter((name) => HEAVY.includes(name))).toEqual([]);
  });

  it('is bounded for the REPL until its prompt stands: what an answer needs comes behind it', async () => {
    const modules = await modulesBeforePrompt(home);
    expect(modules.length).toBeLessThanOrEqual(8);
    // Not even the one that takes locks: its native module is loaded as it lies there.
    expect(packagesOf(modules)).toEqual([]);
  });

  it('is there, whichever way it is reached', () => {
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
    expect(reached).toContain(join(program, 'conversation.js'));
    expect(reached.size).toBeGreaterThan(50);
  });
});

function message(role: string, text: string) {
  return { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true };
}
