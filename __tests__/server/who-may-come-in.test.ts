// Every route of the table, each way in which a request must be refused, against the real server.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { PARAMETERS, type ParameterName } from '../../lib/api/parameters.ts';
import { parametersIn } from '../../lib/api/parameters-in.ts';
import type { Route } from '../../lib/api/route.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import { hasOpenssl, makeCertificate } from '../support/certificate.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type AskOptions, type Json, type Served, serve } from '../support/served.ts';
import { createTree } from '../support/tree.ts';

const TABLE: readonly Route[] = ROUTES;
const GOOD: Readonly<Record<string, string>> = { id: 'walk', provider: 'ollm' };

function pathOf({ path, query }: Route, parameters = GOOD): string {
  // What must be there.
  const search = query?.required?.map((name) => `${name}=walk`).join('&');
  return (search ? `${path}?${search}` : path).replace(
    /\{(\w+)\}/g,
    (_, name: string) => parameters[name] ?? '0'.repeat(64),
  );
}

const rows = TABLE.map((route) => [`${route.method} ${route.path}`, route] as const);
const guarded = rows.filter(([, { open }]) => !open);
const withParameters = rows.filter(([, { path }]) => parametersIn(path).length > 0);
const NO_BROWSER = { env: { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' } };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('every route', () => {
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    await home.append('walk', [{ type: 'message.added', data: { role: 'user', parts: [], trusted: true } }]);
    server = await serve(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const ask = (route: Route, options: AskOptions = {}) =>
    server.ask(pathOf(route), { method: route.method, ...options });

  it.each(guarded)('is refused without a token: %s', async (_, route) => {
    expect(await ask(route, { isStranger: true })).toMatchObject({
      status: 401,
      body: { success: false, error: { code: 'UNAUTHORIZED' } },
    });
  });

  it.each(guarded)('is refused with a wrong token: %s', async (_, route) => {
    const wrong = [`Bearer ${server.token}x`, `Bearer ${server.token.slice(1)}`, 'Bearer ', server.token, 'Basic eDp5'];
    for (const authorization of wrong) {
      expect((await ask(route, { isStranger: true, headers: { authorization } })).status).toBe(401);
    }
  });

  it.each(rows)('is refused for an unknown host: %s', async (_, route) => {
    for (const host of [
      'evil.example',
      'localhost',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${new URL(server.address).port}`,
    ]) {
      expect(await ask(route, { headers: { host } })).toMatchObject({
        status: 403,
        body: { error: { code: 'HOST_NOT_ALLOWED' } },
      });
    }
  });

  it.each(rows)('is refused for a page of a foreign origin: %s', async (_, route) => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      server.address.replace('http:', 'https:'),
    ]) {
      const answer = await ask(route, { headers: { origin } });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'ORIGIN_NOT_ALLOWED' } } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect((await ask(route, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await ask(route, { headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' } })).status).toBe(
      403,
    );
  });

  it.each(rows)('is refused with a body that is too large: %s', async (_, route) => {
    const bytes = (route.maxBodyBytes ?? 1024 * 1024) + 1;
    const headers = { ...JSON_TYPE, 'content-length': String(bytes), origin: server.address };
    expect(await ask(route, { headers, body: Buffer.alloc(Math.min(bytes, 2 * 1024 * 1024), 0x20) })).toMatchObject({
      status: 413,
      body: { error: { code: 'BODY_TOO_LARGE' } },
    });
  });

  it.each(withParameters)('is refused for an invalid id: %s', async (_, route) => {
    // A segment “..” is taken out of an address before it is a path of this server's.
    const bad = ['..%2f..%2fetc', 'a%2fb', '%00', 'A', 'claude:', `${'a'.repeat(65)}`, 'x%0d%0ay', '%ff', '-'];
    const isBad = (name: ParameterName, id: string) => !new RegExp(PARAMETERS[name].pattern).test(id);
    const pairs = parametersIn(route.path).flatMap((name) =>
      bad.flatMap((id) => (isBad(name, id) ? [[name, id] as const] : [])),
    );
    for (const [name, id] of pairs) {
      const { status } = await server.ask(pathOf(route, { ...GOOD, [name]: id }), { method: route.method });
      expect({ id, status, isRefused: [400, 404, 405].includes(status) }).toEqual({ id, status, isRefused: true });
    }
  });

  it.each(rows)('limits with its headers the rights of a browser: %s', async (_, route) => {
    const { headers } = await ask(route, { isStranger: true });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it.each(guarded.filter(([, { method }]) => method === 'GET'))('changes nothing by GET: %s', async (_, route) => {
    const before = readFileSync(home.journal('walk'));
    await ask(route);
    expect(readFileSync(home.journal('walk'))).toEqual(before);
  });

  it.each([
    '/../server-token',
    '/%2e%2e/server-token',
    '/join/../../server-token',
    '/s/..%2f..',
    '//etc/passwd',
    '/assets/../x',
  ])('cannot be reached by a path with ..: %s', async (path) => {
    const { status, text } = await server.ask(path, { isStranger: true });
    expect([200, 401, 404]).toContain(status);
    expect(text).not.toContain(server.token);
  });

  it('starts no turn in a directory that is not a workspace', async () => {
    const begun = await server.post('/api/llm/sessions', { prompt: 'x', workspacePath: '/etc' });
    expect(begun.body.error.code).toBe('WORKSPACE_NOT_ALLOWED');
  });

  it('is refused with a body that is too large and does not declare its size', async () => {
    const asking = request(new URL('/api/llm/sessions', server.address), {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${server.token}`, 'transfer-encoding': 'chunked' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      asking.once('response', ({ statusCode }) => resolve(statusCode)).once('error', reject);
    });
    for (let sent = 0; sent <= 8; sent += 1) asking.write(Buffer.alloc(1024 * 1024, 0x20));
    expect(await answered).toBe(413);
    asking.destroy();
  });

  it('logs refusals with their reason, and without the token', () => {
    const log = readFileSync(join(home.path, 'ollm.log'), 'utf8');
    expect(log).toContain('"reason":"HOST_NOT_ALLOWED"');
    expect(log).toContain('"reason":"UNAUTHORIZED"');
    expect(log).toContain('"reason":"WORKSPACE_NOT_ALLOWED"');
    expect(log).not.toContain(server.token.slice(1));
  });

  it('keeps the token out of the log, at any place of a request', async () => {
    const { token } = server;
    const escaped = [...token].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
    const paths = [token, token.toLowerCase(), escaped, `${'a'.repeat(190)}${token}`, `api/llm/sessions/${token}`];
    for (const path of paths) await server.ask(`/${path}`, { isStranger: true });
    for (const path of paths)
      await server.ask(`/${path}?${token}`, { isStranger: true, headers: { host: `x${token}` } });
    for (const name of ['origin', 'host', 'cookie', 'authorization', 'user-agent', 'referer']) {
      for (const value of [token, token.toUpperCase()]) {
        await server.ask('/api/llm/sessions', { isStranger: true, headers: { [name]: value } });
        await server.ask('/x', { isStranger: true, headers: { host: 'x', [name]: value } });
      }
    }
    const log = readFileSync(join(home.path, 'ollm.log'), 'utf8').toLowerCase();
    expect(log.match(/\[token\]/g)?.length).toBeGreaterThan(10);
    const pieces = Array.from({ length: token.length - 15 }, (_, at) => token.slice(at, at + 16).toLowerCase());
    for (const piece of pieces) expect(log).not.toContain(piece);
    expect(log).not.toContain(escaped.toLowerCase().slice(0, 48));
  });
});

describe('a browser', () => {
  it('enters with a code, once, and then with its cookie', async () => {
    using home = createHome();
    await using server = await serve(home);
    const { data } = (await server.post('/api/auth/codes')).body;
    expect(data).toEqual({ ...data, path: `/join#${data.code}`, link: `${server.address}/join#${data.code}` });
    const enter = (code: string, headers = { origin: server.address }) =>
      server.post('/api/auth/code', { code }, { isStranger: true, headers });
    expect(await enter(data.code, {} as never)).toMatchObject({
      status: 403,
      body: { error: { code: 'ORIGIN_NOT_ALLOWED' } },
    });
    const entered = await enter(data.code);
    expect(entered).toMatchObject({ status: 200, body: { data: { entered: true } } });
    expect(await enter(data.code)).toMatchObject({ status: 401, body: { error: { code: 'CODE_INVALID' } } });
    const [set = ''] = entered.headers['set-cookie'] as string[];
    expect(set).toMatch(/^ollm-\d+=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    const cookie = set.split(';')[0]!;
    const asBrowser = (headers: Record<string, string>, method = 'GET') =>
      server.ask(method === 'GET' ? '/health' : '/api/llm/sessions/claude%3Anone/restore', {
        isStranger: true,
        method,
        headers: { cookie, ...headers },
      });
    expect((await asBrowser({})).status).toBe(200);
    expect((await asBrowser({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    // Whatever changes something says from which page it comes.
    expect((await asBrowser({}, 'POST')).status).toBe(403);
    expect((await asBrowser({ origin: server.address }, 'POST')).status).toBe(404);
    const codes = { isStranger: true, headers: { cookie, origin: server.address } };
    expect(await server.post('/api/auth/codes', {}, codes)).toMatchObject({
      status: 403,
      body: { error: { code: 'TOKEN_REQUIRED' } },
    });
    expect(
      (await server.ask('/health', { isStranger: true, headers: { cookie: `${cookie.slice(0, -1)}~` } })).status,
    ).toBe(401);
  });

  it('does not enter with the cookie of a server on a different port, under any name', async () => {
    using home = createHome();
    await using one = await serve(home);
    await using other = await serve(home);
    const { code } = (await one.post('/api/auth/codes')).body.data;
    const headers = { origin: one.address };
    const entered = await one.post('/api/auth/code', { code }, { isStranger: true, headers });
    const [name = '', value = ''] = (entered.headers['set-cookie'] as string[])[0]!.split(';')[0]!.split('=');
    const ask = (server: Served, cookie: string) => server.ask('/health', { isStranger: true, headers: { cookie } });
    expect((await ask(one, `${name}=${value}`)).status).toBe(200);
    expect((await ask(other, `${name}=${value}`)).status).toBe(401);
    expect((await ask(other, `ollm-${new URL(other.address).port}=${value}`)).status).toBe(401);
  });

  it('stays logged in over a restart', async () => {
    using home = createHome();
    let cookie = '';
    let port = '';
    {
      await using server = await serve(home);
      const { code } = (await server.post('/api/auth/codes')).body.data;
      const entered = await server.post(
        '/api/auth/code',
        { code },
        { isStranger: true, headers: { origin: server.address } },
      );
      cookie = (entered.headers['set-cookie'] as string[])[0]!.split(';')[0]!;
      port = new URL(server.address).port;
      expect(await server.end()).toEqual([143, null]);
    }
    await using server = await serve(home, ['--port', port]);
    expect((await server.ask('/health', { isStranger: true, headers: { cookie } })).status).toBe(200);
  });
});

describe('the token', () => {
  it('is created once, in a file that only its owner can read', async () => {
    using home = createHome();
    const path = join(home.path, 'server-token');
    let first = '';
    {
      await using server = await serve(home);
      first = server.token;
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(first).toMatch(/^[\w-]{43}$/);
    await using server = await serve(home);
    expect(server.token).toBe(first);
  });

  it.each<[string, (path: string) => void]>([
    ['others can read', (path) => chmodSync(path, 0o644)],
    ['does not hold one', (path) => writeFileSync(path, 'short\n')],
  ])('is not taken from a file that %s', async (_, change) => {
    using home = createHome();
    const path = join(home.path, 'token');
    writeFileSync(path, `${'t'.repeat(43)}\n`, { mode: 0o600 });
    change(path);
    const { exitCode, stderr } = await home.run(['serve', '--port', '0', '--token-file', path]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(path) });
  });
});

describe('an address that other machines can reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.org'])('is refused without TLS: %s', async (host) => {
    using home = createHome();
    const { exitCode, stderr } = await home.run(['serve', '--port', '0', '--host', host]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('--behind-proxy') });
  });

  it('needs the name that browsers use if a proxy is configured, and then accepts no other name', async () => {
    using home = createHome();
    const args = ['--host', '0.0.0.0', '--behind-proxy'];
    expect((await home.run(['serve', ...args])).exitCode).toBe(2);
    writeFileSync(join(home.path, 'config.yaml'), 'server: { hosts: [ollm.example] }\n');
    await using server = await serve(home, args);
    const ask = (host: string, origin: string) => server.ask('/health', { headers: { host, origin } });
    expect((await ask('ollm.example', 'https://ollm.example')).status).toBe(200);
    expect((await ask('ollm.example', 'http://ollm.example')).status).toBe(403);
    expect((await ask('other.example', 'https://ollm.example')).status).toBe(403);
    const { stdout, stderr } = await home.run(['open'], NO_BROWSER);
    expect(stderr).toContain('This is your home directory, not a project: the page starts no sessions here.');
    const [, link, code] = / (\S+)\/join#([\w-]+)/.exec(stdout) ?? [];
    expect(link).toBe('https://ollm.example');
    const headers = { host: 'ollm.example', origin: link! };
    expect((await server.post('/api/auth/code', { code }, { isStranger: true, headers })).status).toBe(200);
  });
});

(hasOpenssl ? describe : describe.skip)('a server with a certificate (needs openssl)', () => {
  it('uses only HTTPS, also to other machines, and its cookie is bound to the host', async () => {
    using home = createHome();
    const { cert, key } = makeCertificate(home.path, 'DNS:localhost,IP:127.0.0.1');
    await using server = await serve(home, ['--host', '0.0.0.0', '--cert', cert, '--key', key]);
    expect(server.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const ca = readFileSync(cert);
    const { port, host } = new URL(server.address);
    const ask = (path: string, headers: Record<string, string>, body?: object) =>
      new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Json }>((resolve, reject) => {
        const options = {
          ca,
          port,
          path,
          headers,
          host: '127.0.0.1',
          servername: 'localhost',
          method: body === undefined ? 'GET' : 'POST',
        };
        const asking = secureRequest(options, async (answer) => {
          const text = Buffer.concat(await answer.toArray()).toString();
          resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) });
        });
        asking.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
      });
    const authorization = `Bearer ${server.token}`;
    expect(await ask('/health', { authorization })).toMatchObject({ status: 200, body: { data: { status: 'ok' } } });
    expect((await ask('/health', { authorization, origin: `http://${host}` })).status).toBe(403);
    expect((await ask('/health', { authorization, host: 'other.example' })).status).toBe(403);
    const { code } = (await ask('/api/auth/codes', { authorization }, {})).body.data;
    const json = { 'content-type': 'application/json', origin: `https://${host}` };
    const entered = await ask('/api/auth/code', json, { code });
    expect(entered.headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-ollm-\d+=.*; Secure$/)]);
    const plain = fetch(server.address.replace('https', 'http'), { headers: { authorization } });
    await expect(plain).rejects.toThrow();
  });

  it('is opened by the name that browsers use, which its certificate has', async () => {
    using home = createHome();
    const { cert, key } = makeCertificate(home.path, 'DNS:ollm.example');
    writeFileSync(join(home.path, 'config.yaml'), 'server: { hosts: ["Ollm.example:4443"] }\n');
    await using _ = await serve(home, ['--cert', cert, '--key', key]);
    using garden = createTree();
    const { stdout, stderr } = await home.run(['open'], { ...NO_BROWSER, cwd: garden.root });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringContaining(' https://ollm.example:4443/join#'),
      stderr: '',
    });
  });

  it('does not start with an invalid certificate, or a key that does not match', async () => {
    using home = createHome();
    writeFileSync(join(home.path, 'cert.pem'), 'no certificate\n');
    const files = ['--cert', join(home.path, 'cert.pem'), '--key', join(home.path, 'cert.pem')];
    const { exitCode, stderr } = await home.run(['serve', '--port', '0', ...files]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('certificate') });
  });
});
