// Servers at an address: who gets the token, how far redirects go, how much is read.
import { addressProblem, type Launch } from '../../lib/mcp/server-settings.ts';
import { serve, serveMcp } from './http-server.ts';
import { callTool, type McpWorld, mcpWorld, settingsOf } from './world.ts';

let world: McpWorld;
beforeEach(() => {
  world = mcpWorld();
});
afterEach(() => world.end());

const at = (url: URL, token?: string): Launch => ({ kind: 'address', url, token });

describe('an MCP server at an address', () => {
  it('has its tools offered and gets its token', async () => {
    await using web = await serveMcp('secret-token');
    const servers = await world.approved([settingsOf('web', at(web.url, 'secret-token'))]);
    expect(await callTool(servers, 'mcp__web__echo', { text: 'hello' })).toEqual({ content: 'hello', status: 'ok' });
    expect(new Set(web.authorizations)).toEqual(new Set(['Bearer secret-token']));
  });

  it('that rejects the token says so, without quoting the token', async () => {
    await using web = await serveMcp('secret-token');
    const servers = world.open([settingsOf('web', at(web.url, 'wrong-token'))]);
    await servers.start();
    const notices = servers.takeNotices().join('\n');
    expect(notices).toMatch(/The MCP server web .*(401|token)/);
    expect(notices).not.toContain('wrong-token');
    expect(world.log.join('\n')).not.toContain('wrong-token');
  });

  it('gets no token if a redirect leads to it', async () => {
    await using thief = await serveMcp();
    await using web = await serve((_request, response) => {
      response.writeHead(307, { location: thief.url.href }).end();
    });
    const servers = world.open([settingsOf('web', at(web.url, 'secret-token'))]);
    await servers.start();
    expect(servers.reports[0]?.status.kind).toBe('failed');
    expect(thief.authorizations).toEqual([]);
  });

  it('cannot send an endless answer', async () => {
    await using web = await serveMcp();
    const servers = await world.approved([settingsOf('web', at(web.url))]);
    await expect(callTool(servers, 'mcp__web__large')).rejects.toThrow(/The MCP server web .*more than 1048576 bytes/);
    expect(await callTool(servers, 'mcp__web__echo', { text: 'still there' })).toMatchObject({
      content: 'still there',
    });
  });

  it.each([
    ['speaks no MCP', (response: { end(text: string): unknown }) => response.end('<html>hello</html>')],
    ['sends half an answer', (response: { end(text: string): unknown }) => response.end('{"jsonrpc":"2.0","id":')],
    ['says nothing', () => undefined],
  ])('that %s is given up with an explanation', async (_what, answer) => {
    await using web = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      answer(response);
    });
    const servers = world.open([settingsOf('web', at(web.url))], { timeoutMs: 2000 });
    await servers.start();
    expect(servers.takeNotices()[0]).toMatch(/^The MCP server web (failed: |did not answer)/);
  });

  it('that is missing is given up with an explanation', async () => {
    const web = await serveMcp();
    await web[Symbol.asyncDispose]();
    const servers = world.open([settingsOf('web', at(web.url))], { timeoutMs: 20_000 });
    await servers.start();
    expect(servers.takeNotices()[0]).toMatch(/^The MCP server web failed: .*ECONNREFUSED/);
  });
});

describe('the address of an MCP server', () => {
  it.each([
    'https://example.com/mcp',
    'http://127.0.0.1:8080/',
    'http://localhost/x',
    'http://[::1]:9/',
    'http://127.1.2.3/',
  ])('may be %s', (url) => {
    expect(addressProblem(url)).toBe(undefined);
  });

  it.each([
    'http://example.com/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'ftp://localhost/',
    'file:///etc/passwd',
    'https://me:secret@example.com/',
    'nothing',
    'http://10.0.0.1/',
    'javascript:alert(1)',
  ])('may not be %s', (url) => {
    const problem = addressProblem(url);
    expect(problem).toMatch(/\.$/);
    expect(problem).not.toContain('secret');
  });
});
