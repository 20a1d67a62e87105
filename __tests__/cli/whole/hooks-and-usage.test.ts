// Hooks of the configuration and what a cache saved, through the built program.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, parseLines } from '../../support/cli.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { until } from '../../support/until.ts';

const sse = (...chunks: object[]) => [
  ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
  'data: [DONE]\n\n',
];
const delta = (content: string, more: object = {}) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

it('one hook adds context to the request, and another keeps a tool from running', async () => {
  using home = createHome();
  const script = (name: string, text: string) => {
    writeFileSync(join(home.path, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(home.path, name), 0o755);
  };
  script('start', `echo '{"context":[{"key":"tickets","content":"Two tickets are open."}]}'`);
  script('guard', 'cat > asked.json; echo "Not on a Friday." >&2; exit 2');
  const hooks = { sessionStart: ['~/start'], beforeTool: ['~/guard'] };
  const config = { hooks, tools: { allow: ['file_write'] } };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(config));
  const args = ['ask', 'file_write path=new.txt content=x', '--provider', 'offline', '--name', 'hooked', '--json'];
  const { stdout } = await home.run(args);
  const events = parseLines(stdout);
  const named = (wanted: string) => events.find(({ type }) => type === wanted)?.data as Record<string, unknown>;
  expect(named('tool.finished')).toMatchObject({ status: 'denied' });
  expect(JSON.stringify(named('tool.finished'))).toContain('Not on a Friday.');
  expect(existsSync(join(home.path, 'new.txt'))).toBe(false);
  const asked = readFileSync(join(home.path, 'asked.json'), 'utf8');
  expect(JSON.parse(asked)).toMatchObject({ hook: 'beforeTool', call: { name: 'file_write' } });
  expect(readFileSync(home.journal('hooked'), 'utf8')).toMatch(/"context\.added"[^\n]*Two tickets are open\./);
});

it.each(['ask', 'repl'])(
  'Ctrl+C ends a hook that hangs at the start, and ollm %s with it, in order',
  async (command) => {
    using home = createHome();
    const script = join(home.path, 'hang');
    writeFileSync(script, '#!/bin/sh\necho $$ > begun\nexec sleep 60\n');
    chmodSync(script, 0o755);
    const settings = { hooks: { sessionStart: ['~/hang'], timeoutSeconds: 60 } };
    writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings));
    const child = home.start([
      command,
      ...(command === 'ask' ? ['hi'] : []),
      '--provider',
      'offline',
      '--name',
      'talk',
    ]);
    const ended = new Promise((resolve) => child.on('close', resolve));
    if (command === 'ask') child.stdin?.end();
    const begun = join(home.path, 'begun');
    await until(() => existsSync(begun) && readFileSync(begun, 'utf8') !== '');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const pid = Number(readFileSync(begun, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(readFileSync(home.journal('talk'), 'utf8')).toMatch(/"session\.closed"/);
  },
);

it('/usage reports no savings if the price of tokens is unknown, as for a server with its own prices', async () => {
  using home = createHome();
  const usage = { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 800 } };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const told = delta('', { choices: [], usage });
  await using server = await startFaultServer({
    '/v1/chat/completions': { type: 'text/event-stream', steps: sse(delta('Hi.'), delta('', end), told) },
  });
  const config = { providers: { openai: { baseUrl: `${server.url}/v1` } } };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(config));
  const { stdout } = await home.run(['repl', '--provider', 'openai', '--model', 'gpt-5.5'], {
    input: 'hello\n/usage\n',
    env: { OPENAI_API_KEY: 'none' },
  });
  expect(stdout).toContain('800 of them from a cache');
  expect(stdout).not.toContain('saved');
});

it('/usage reports the tokens that came from a cache and the money saved', async () => {
  using home = createHome();
  const usage = {
    choices: [],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_tokens_details: { cached_tokens: 800 },
    },
  };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  await using server = await startFaultServer({
    '/v1/chat/completions': { type: 'text/event-stream', steps: sse(delta('Hi.'), delta('', end), delta('', usage)) },
  });
  const config = {
    providers: { compatible: { box: { baseUrl: `${server.url}/v1`, model: 'm' } } },
    prices: { m: { input: 10, output: 20, cachedInput: 1 } },
  };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(config));
  const { stdout, stderr } = await home.run(['repl', '--provider', 'box'], { input: 'hello\n/usage\n' });
  expect(stderr).not.toMatch(/^ollm:/m);
  expect(stdout).toMatch(/800 of them from a cache \(80%\)/);
  // 800 tokens at 10 instead of 1 for a million.
  expect(stdout).toMatch(/saved\s+about \$0\.0072 by the cache/);
});
