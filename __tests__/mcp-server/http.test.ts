// `/mcp` of a running `ollm serve`, asked by the protocol's own client.
import { once } from 'node:events';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';

let home: Home;
let served: Served;
beforeAll(async () => {
  home = createHome();
  const parts = [{ type: 'text', text: 'Where is the harbour light?' }];
  await home.append('oak', [{ type: 'message.added', data: { role: 'user', parts, trusted: true } }]);
  served = await serve(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

describe('/mcp of a server', () => {
  it('lists, finds and reads sessions for a caller with the token', async () => {
    const client = new Client({ name: 'a test', version: '1.0.0' });
    const headers = { authorization: `Bearer ${served.token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${served.address}/mcp`), { requestInit: { headers } }),
    );
    const ask = async (name: string, args: Readonly<Record<string, unknown>>) =>
      JSON.stringify(await client.callTool({ name, arguments: args }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('recall');
    expect(await ask('list_sessions', {})).toContain('ollm:oak');
    expect(await ask('search_sessions', { query: 'harbour light' })).toContain('ollm:oak#1');
    expect(await ask('read_session', { address: 'oak' })).toContain('Where is the harbour light?');
    await client.close();
  });

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  it.each([
    ['has no token', { isStranger: true, headers: json }, 401],
    ['has a wrong token', { isStranger: true, headers: { ...json, authorization: 'Bearer x' } }, 401],
    ['comes from a page of a different site', { headers: { ...json, origin: 'https://evil.example' } }, 403],
    ['names a different host', { headers: { ...json, host: 'evil.example' } }, 403],
  ])('refuses a request that %s', async (_, options, status) => {
    expect((await served.ask('/mcp', { method: 'POST', body, ...options })).status).toBe(status);
  });

  it('refuses a body with invalid JSON, and continues', async () => {
    expect((await served.ask('/mcp', { method: 'POST', body: '{', headers: json })).status).toBe(400);
    expect((await served.ask('/mcp', { method: 'POST', body, headers: json })).status).toBe(200);
  });

  it('refuses a body above the limit before all of it has arrived, and continues', async () => {
    const asking = request(new URL('/mcp', served.address), {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${served.token}`, 'content-length': String(8 * 1024 * 1024) },
    });
    asking.write('"');
    const [{ statusCode }] = await once(asking, 'response');
    expect(statusCode).toBe(413);
    asking.destroy();
    expect((await served.ask('/mcp', { method: 'POST', body, headers: json })).status).toBe(200);
  });
});
