// The question of a first start, on a terminal: the offers, the stored choice, and the starts that do not ask.
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import type { OpenRequest } from '../../lib/app/sessions/open/open-session.ts';
import { createOllamaProvider } from '../../lib/providers/ollama/index.ts';
import { startRepl } from '../../lib/repl/repl.ts';
import { createHome, type Home } from '../support/cli.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { type ListingServer, listModelsHere } from '../support/listing-server.ts';
import { pressKey } from '../support/press-key.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalFor } from '../support/terminal-here.ts';

const PROMPT = /^>( |$)/;
const ESCAPE = '\x1b';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const QUESTION = 'What should answer';
const KEY = 'sk-planted-for-this-question';

interface FirstStart {
  readonly ports?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  readonly open?: OpenRequest;
  readonly quiet?: boolean;
  readonly columns?: number;
  readonly ollama?: string;
}

function start(
  home: Home,
  { ports = [], env = {}, open, quiet, columns = 80, ollama = 'http://127.0.0.1:9' }: FirstStart,
) {
  const names = ['llamacpp', 'lmstudio', 'vllm'];
  const usualServers = ports.map((port, index) => ({ title: names[index]!, name: names[index]!, port }));
  const variables = { HOME: home.path, OLLM_HOME: home.path, TERM: 'xterm-256color', ...env };
  const parts = { providers: { ollama: async () => createOllamaProvider({ host: ollama }) } };
  const make = () => createApp({ env: variables, cwd: home.path, command: 'test', parts });
  return openTerminalFor(
    async ({ stdin, stdout, stderr }) => {
      let app = await make();
      try {
        return await startRepl(app, {
          open: open ?? { kind: 'new', name: 'talk' },
          streams: { input: stdin, output: stdout, errors: stderr },
          usualServers,
          quiet,
          async reopen() {
            await app.close();
            app = await make();
            return app;
          },
        });
      } finally {
        await app.close();
      }
    },
    { columns },
  );
}

const text = (terminal: Terminal) => terminal.lines().join('\n');
const shows = (wanted: string) => (lines: readonly string[]) => lines.some((line) => line.includes(wanted));
const configOf = (home: Home) => readFileSync(join(home.path, 'config.yaml'), 'utf8');
const answer = async (terminal: Terminal, key: string, until: () => boolean) => {
  await terminal.waitUntil((lines) => lines.at(-1)!.startsWith('Enter:'), 'the question');
  await pressKey(terminal, key, until);
};
const hasPrompt = (lines: readonly string[]) => lines.some((line) => PROMPT.test(line));
async function leave(terminal: Terminal): Promise<void> {
  await terminal.waitUntil(hasPrompt, 'the prompt');
  terminal.type(CTRL_D);
  expect((await terminal.exit).code).toBe(0);
}

let server: ListingServer;
beforeEach(async () => {
  server = await listModelsHere(['qwen3-8b']);
});
afterEach(() => server[Symbol.asyncDispose]());

describe('the first start', () => {
  it.each([40, 80])(
    'offers a server on this machine at %i columns, and the choice answers immediately and is stored',
    async (columns) => {
      using home = createHome();
      {
        await using terminal = start(home, { ports: [server.port], columns });
        await answer(terminal, '1', () => text(terminal).includes('Kept in'));
        await terminal.waitUntil(hasPrompt, 'the prompt');
        expect(Math.max(...terminal.lines().map((line) => line.length))).toBeLessThanOrEqual(columns);
        await leave(terminal);
      }
      expect(configOf(home)).toBe(
        `providers:\n  compatible:\n    llamacpp:\n      baseUrl: ${server.address}\nprovider: llamacpp\nmodel: qwen3-8b\n`,
      );
      const journal = readFileSync(home.journal('talk'), 'utf8');
      expect(journal).toContain('"model":"qwen3-8b"');
      await using again = start(home, { ports: [server.port], columns, open: { kind: 'new', name: 'next' } });
      await again.waitUntil(hasPrompt, 'the prompt');
      expect(text(again)).not.toContain(QUESTION);
      await leave(again);
    },
  );

  it('offers a key by its variable, without showing or using the key', async () => {
    using home = createHome();
    await using terminal = start(home, { ports: [server.port], env: { OPENAI_API_KEY: KEY } });
    await terminal.waitUntil(shows('[2] openai, with the key in OPENAI_API_KEY'), 'the key');
    expect(text(terminal)).not.toContain(KEY);
    for (const { headers } of server.requests) expect(headers.authorization).toBeUndefined();
    await answer(terminal, '\r', () => hasPrompt(terminal.lines()));
    await leave(terminal);
    expect(() => configOf(home)).toThrow();
  });

  it('lets the user choose a model of a server with several', async () => {
    await using many = await listModelsHere(['small', 'large']);
    using home = createHome();
    await using terminal = start(home, { ports: [many.port] });
    await answer(terminal, '1', () => text(terminal).includes('Which model?'));
    terminal.type('lar\r');
    await terminal.waitUntil(shows('Kept in'), 'that it is kept');
    await leave(terminal);
    expect(configOf(home)).toContain('model: large\n');
  });

  it('stores the choice of the search, and later starts do not ask', async () => {
    using home = createHome();
    {
      await using terminal = start(home, { ports: [server.port] });
      await answer(terminal, 's', () => text(terminal).includes('Kept in'));
      await leave(terminal);
    }
    expect(configOf(home)).toBe('provider: offline\n');
    await using again = start(home, { ports: [server.port], open: { kind: 'new', name: 'next' } });
    await again.waitUntil(hasPrompt, 'the prompt');
    expect(text(again)).not.toContain(QUESTION);
    await leave(again);
  });

  it.each([
    ['Enter', '\r'],
    ['Escape', ESCAPE],
  ])('stores nothing after %s, and the next start asks again', async (_name, key) => {
    using home = createHome();
    for (const name of ['one', 'two']) {
      await using terminal = start(home, { ports: [server.port], open: { kind: 'new', name } });
      await answer(terminal, key, () => hasPrompt(terminal.lines()));
      await leave(terminal);
      expect(() => configOf(home)).toThrow();
    }
  });

  it('ends after Ctrl+C, and creates no session', async () => {
    using home = createHome();
    await using terminal = start(home, { ports: [server.port] });
    let code: number | undefined;
    void terminal.exit.then((exit) => {
      code = exit.code;
    });
    await answer(terminal, CTRL_C, () => code !== undefined);
    expect(code).toBe(130);
    expect(() => readFileSync(home.journal('talk'))).toThrow();
  });

  it('keeps text that was typed before the question for the prompt', async () => {
    using home = createHome();
    await using terminal = start(home, { ports: [server.port] });
    terminal.type('a message that was typed early');
    await answer(terminal, ESCAPE, () => hasPrompt(terminal.lines()));
    await terminal.waitUntil(shows('> a message that was typed early'), 'the text');
    terminal.type('\x15');
    await leave(terminal);
  });
});

describe('a start asks nothing', () => {
  const plain: FirstStart = {};
  it.each([
    ['if a provider is named', { open: { kind: 'new', name: 'talk', provider: 'offline' } }],
    ['with --quiet', { quiet: true }],
    ['if a variable sets a provider', { env: { OLLM_PROVIDER: 'offline' } }],
    ['if a variable gives the address of Ollama', { env: { OLLAMA_HOST: 'http://127.0.0.1:9' } }],
    ['on a terminal that draws nothing', { env: { TERM: 'dumb' } }],
  ] as const)('%s', async (_name, more) => {
    using home = createHome();
    await using terminal = start(home, { ...plain, ports: [server.port], ...more });
    await terminal.waitUntil(hasPrompt, 'the prompt');
    expect(text(terminal)).not.toContain(QUESTION);
    expect(server.requests).toEqual([]);
    await leave(terminal);
  });

  it('if the user has a configuration', async () => {
    using home = createHome();
    writeFileSync(join(home.path, 'config.yaml'), '# nothing yet\n', { mode: 0o600 });
    await using terminal = start(home, { ports: [server.port] });
    await terminal.waitUntil(hasPrompt, 'the prompt');
    expect(text(terminal)).not.toContain(QUESTION);
    await leave(terminal);
  });

  it('if an Ollama answers', async () => {
    await using ollama = await startFaultServer({
      '/api/tags': { type: 'application/json', steps: ['{"models":[]}'] },
    });
    using home = createHome();
    await using terminal = start(home, { ports: [server.port], ollama: ollama.url });
    await terminal.waitUntil(hasPrompt, 'the prompt');
    expect(text(terminal)).not.toContain(QUESTION);
    await leave(terminal);
  });

  it('if it finds nothing: no program, a silent one, and one that serves no models', async () => {
    await using page = await startFaultServer({ '/v1/models': { type: 'text/html', steps: ['<html>'] } });
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    try {
      using home = createHome();
      await using terminal = start(home, { ports: [9, port, Number(new URL(page.url).port)] });
      await terminal.waitUntil(hasPrompt, 'the prompt');
      expect(text(terminal)).not.toContain(QUESTION);
      await leave(terminal);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    }
  });

  it('at a pipe', async () => {
    using home = createHome();
    const env = { OLLAMA_HOST: undefined, OPENAI_API_KEY: KEY };
    const { stdout, stderr, exitCode } = await home.here(['repl'], { env, input: '/quit\n' });
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain(QUESTION);
  });
});
