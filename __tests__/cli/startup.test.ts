import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, ensureBuilt, type Home } from '../support/cli.ts';

const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { appendFileSync } from 'node:fs';
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(process.env.OLLM_LOADED, url + '\\n');
      return next(url, context);
    },
  });
`)}`;

/** The files that node loads for a command line, CommonJS packages included. */
async function modulesOf(home: Home, args: readonly string[]): Promise<readonly string[]> {
  const list = join(home.path, 'loaded.txt');
  rmSync(list, { force: true });
  await home.run(args, {
    nodeOptions: ['--import', HOOK],
    env: { OLLM_LOADED: list, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  return [...new Set(readFileSync(list, 'utf8').trim().split('\n'))];
}

function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

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
    expect(modules.map((url) => url.replace(/^.*\/(bin|dist)\//, '$1/'))).toEqual([
      'bin/ollm.js',
      'dist/cli/main.js',
      'dist/version.js',
    ]);
  });

  it.each([
    [['list'], 150],
    [['tail', 'walk'], 140],
    [['export', 'walk'], 155],
    [['export', 'walk', '--format', 'jsonl'], 150],
    [['verify', 'walk'], 140],
    [['--help'], 60],
  ])('is bounded for %j', async (args, bound) => {
    const modules = await modulesOf(home, args);
    expect(modules.length).toBeLessThanOrEqual(bound);
    for (const heavy of ['rxjs', 'yaml', 'ollama', 'gpt-tokenizer', 'chokidar', 'pino', 'readline-sync', 'ndjson']) {
      expect(packagesOf(modules)).not.toContain(heavy);
    }
  });
});

function message(role: string, text: string) {
  return { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true };
}
