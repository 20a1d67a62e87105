// `ollm ask` with a model that calls tools, over the wire: a server that others keep in step with
// the real ones, real files. And what Ctrl+C does to a tool that runs.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import { createHome, type Home, parseLines } from '../../support/cli.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { until } from '../../support/until.ts';

let home: Home;
let project: Tree;

beforeEach(() => {
  home = createHome();
  project = createTree({ 'notes.md': 'The port is 4711.\n', '.git/HEAD': 'ref: refs/heads/main\n' });
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

describe.each([
  ['Ollama', 'ollama', (url: string) => ({ OLLAMA_HOST: url })],
  ["OpenAI's protocol", 'box', () => ({ BOX_KEY: 'planted-key-1234' })],
])('a model that calls tools over %s', (_, provider, variables) => {
  it('receives their results, and its answer is printed', async () => {
    const mock = new LLMock({ port: 0 });
    const call = { name: 'file_read', arguments: '{"path":"notes.md"}' };
    mock.on({ userMessage: 'port', hasToolResult: true }, { content: 'The server takes port 4711.' });
    mock.on({ userMessage: 'port', hasToolResult: false }, { toolCalls: [call] });
    const url = await mock.start();
    try {
      project.write({
        'config.yaml': `providers:\n  compatible:\n    box: {baseUrl: "${url}/v1", apiKeyEnv: BOX_KEY, model: test}\n`,
      });
      const asked = await home.here(
        [...['--config', 'config.yaml', 'ask', 'Which port?', '--provider', provider, '--model', 'test', '--json']],
        { cwd: project.root, env: variables(url) },
      );
      expect(asked).toMatchObject({ exitCode: 0 });
      const events = parseLines(asked.stdout);
      const finished = events.find(({ type }) => type === 'tool.finished')?.data as { result: { llmContent: string } };
      expect(finished.result.llmContent).toContain('The port is 4711.');
      expect(JSON.stringify(events.filter(({ type }) => type === 'message.added').at(-1))).toContain(
        'takes port 4711.',
      );
      expect(events.at(-1)).toMatchObject({ type: 'turn.ended', data: { status: 'completed', steps: 2 } });
    } finally {
      await mock.stop();
    }
  });
});

it.each([
  [
    'what the configuration says',
    { parameters: 'num_ctx 24576' },
    { OLLM_PROVIDERS__OLLAMA__CONTEXT_LENGTH: '3000' },
    3000,
  ],
  ['what the model is set up with', { parameters: 'num_ctx 24576' }, {}, 24_576],
  ['16,384 of more', {}, {}, 16_384],
  ['16,384 if the server cannot tell', { status: 500 }, {}, 16_384],
])('an Ollama is asked for a context of %s', async (_, { status = 200, ...shown }: Shown, env, tokens) => {
  const json = (value: object, more = {}) => ({ type: 'application/json', steps: [JSON.stringify(value)], ...more });
  await using server = await startFaultServer({
    '/api/tags': json({ models: [{ name: 'm:latest', size: 1 }] }),
    '/api/show': json({ model_info: { 'x.context_length': 131_072 }, ...shown }, { status }),
    '/api/chat': { steps: [JSON.stringify({ message: { role: 'assistant', content: 'Hi.' }, done: true })] },
  });
  const args = ['ask', 'Hello', '--provider', 'ollama', '--model', 'm'];
  const { exitCode } = await home.here(args, { cwd: project.root, env: { OLLAMA_HOST: server.url, ...env } });
  expect(exitCode).toBe(0);
  const asked = server.requests.find(({ path }) => path === '/api/chat')?.body;
  expect(asked).toMatchObject({ options: { num_ctx: tokens } });
});

interface Shown {
  readonly status?: number;
  readonly parameters?: string;
}

const canConfine = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

(canConfine ? describe : describe.skip)(
  'Ctrl+C while a command runs (skipped where bubblewrap cannot confine it)',
  () => {
    it('ends every process that it started, and stores a result for every call', async () => {
      // A number that no other process has among its arguments.
      const seconds = `98${process.pid}`;
      project.write({ 'config.yaml': 'tools:\n  allow: [bash]\n' });
      const line = `bash (sleep ${seconds} &); setsid sleep ${seconds} & sleep ${seconds}`;
      const child = home.start(
        ['--config', 'config.yaml', 'ask', line, '--provider', 'offline', '--name', 'stop', '--json'],
        {
          cwd: project.root,
        },
      );
      let printed = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      child.stdin?.end();
      await until(() => printed.includes('tool.started') && sleepers(seconds) >= 3);
      child.kill('SIGINT');
      const [exitCode] = await once(child, 'exit');
      expect(exitCode).toBe(130);
      // The kernel removes killed processes a moment later.
      for (let looks = 1; looks <= 500 && sleepers(seconds) > 0; looks += 1)
        await new Promise((next) => setTimeout(next, 20));
      expect(sleepers(seconds)).toBe(0);
      const journal = readFileSync(home.journal('stop'), 'utf8');
      expect(journal).toMatch(/"tool.finished"[^\n]*"cancelled"/);
      expect(journal).toMatch(/"turn.ended"[^\n]*"cancelled"/);
    });
  },
);

function sleepers(seconds: string): number {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line === `sleep ${seconds}`).length;
}

it('an answer that its limit cuts off is printed, marked as cut off, and gives its own exit code', async () => {
  const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  const steps = [chunk({ delta: { content: 'Half an ans' } }), chunk({ delta: {}, finish_reason: 'length' })];
  await using server = await startFaultServer({ '/v1/chat/completions': { type: 'text/event-stream', steps } });
  project.write({
    'config.yaml': `providers:\n  compatible:\n    box: {baseUrl: "${server.url}/v1", model: test}\n`,
  });
  const ask = ['--config', 'config.yaml', 'ask', 'Which port?', '--provider', 'box'];
  const asked = await home.here(ask, { cwd: project.root });
  expect(asked).toMatchObject({ exitCode: 10, stdout: 'Half an ans\n' });
  expect(asked.stderr).toContain('The answer is cut off');
  const { stdout } = await home.here([...ask, '--json'], { cwd: project.root });
  expect(parseLines(stdout).at(-1)).toMatchObject({ type: 'turn.ended', data: { incomplete: 'length' } });
});
