// A page that the model wants to read, as the user is asked about it and sees it: at three widths, on a terminal that
// cannot move its cursor, and where no user can be asked.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHome } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const CTRL_C = '\x03';

async function scene(respond: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => respond(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/guide`;
  const home = createHome();
  const model = await startToolModel({ calls: [{ name: 'web_fetch', args: { url } }] }, { text: 'I have read it.' });
  const env = { OLLAMA_HOST: model.url, OLLM_TOOLS__WEB__PRIVATE_HOSTS: '127.0.0.1' };
  return {
    home,
    url,
    port,
    env,
    open: (columns: number, more: Readonly<Record<string, string>> = {}) =>
      openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
        columns,
        rows: 30,
        cwd: home.path,
        env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env, ...more },
      }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      home[Symbol.dispose]();
    },
  };
}

const page = (response: ServerResponse) => response.setHeader('content-type', 'text/html').end('<h1>Oil it</h1>');

it.each([
  [40, {}],
  [80, {}],
  [120, {}],
  [80, { TERM: 'dumb' }],
])('a page needs approval for its host, and is shown after a yes, in %d columns with %j', async (columns, env) => {
  await using its = await scene(page);
  await using terminal = its.open(columns, env);
  await terminal.waitFor(PROMPT);
  terminal.type('read it\r');
  await terminal.waitFor(/^web_fetch asks: Fetch/);
  const rule = `web_fetch(127.0.0.1:${its.port})`;
  const squeezed = (lines: readonly string[]) => lines.join('').replaceAll(/[│\s]+/g, '');
  await terminal.waitUntil((lines) => squeezed(lines).includes(rule) && squeezed(lines).includes('[?]'), rule);
  await pressKey(terminal, 'y', () => linesWith(terminal, '│ # Oil it') > 0);
  await terminal.waitFor(/I have read it\./);
});

it('a request of a page stops at Ctrl+C while the server is silent', async () => {
  const reached = Promise.withResolvers<void>();
  await using its = await scene(() => reached.resolve());
  await using terminal = its.open(80);
  await terminal.waitFor(PROMPT);
  terminal.type('read it\r');
  await terminal.waitUntil((lines) => lines.some((line) => line.includes('[a]lways')), 'the question');
  await pressKey(terminal, 'y', () => linesWith(terminal, '… web_fetch: Fetch') > 0);
  await reached.promise;
  terminal.type(CTRL_C);
  await terminal.waitFor(/web_fetch: Fetch .* · cancelled/);
  await terminal.waitFor(PROMPT);
});

it("without a user a page is read only by a rule for its host, which the project's file cannot set", async () => {
  await using its = await scene(page);
  const ask = (env: Readonly<Record<string, string>> = {}) =>
    its.home.run(['ask', '--provider', 'offline', `web_fetch ${its.url}`], { env: { ...its.env, ...env } });
  expect((await ask()).exitCode).toBe(7);
  expect((await ask({ OLLM_TOOLS__ALLOW: 'web_fetch(127.0.0.2)' })).exitCode).toBe(7);
  const allowed = await ask({ OLLM_TOOLS__ALLOW: `web_fetch(127.0.0.1:${its.port})` });
  expect(allowed.stdout).toContain('# Oil it');
  const closed = await ask({ OLLM_TOOLS__ALLOW: 'web_fetch', OLLM_TOOLS__WEB__PRIVATE_HOSTS: '' });
  expect(closed.stdout).toContain('which is not fetched from');
});
