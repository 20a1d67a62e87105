// Guests of one session: every route of the table with the token of a link, against the real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../lib/api/route.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { guestLinks, makeGuestLink, revokeGuestLink } from '../../lib/host/guest-links.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';

const TABLE: readonly Route[] = ROUTES;
const WEEK_MS = 7 * 86_400_000;

function pathOf({ path, query }: Route, id: string): string {
  const search = query?.required?.map((name) => `${name}=walk`).join('&');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ({ id, provider: 'ollm' })[name] ?? '0'.repeat(64));
  return search ? `${filled}?${search}` : filled;
}

const rows = TABLE.filter(({ open }) => !open).map((route) => [`${route.method} ${route.path}`, route] as const);

describe('a guest of one session', () => {
  let home: Home;
  let server: Served;
  let app: App;
  let token: string;
  beforeAll(async () => {
    home = createHome();
    const said = [{ type: 'message.added', data: { role: 'user', parts: [], trusted: true } }];
    await home.append('walk', said);
    await home.append('oak', said);
    server = await serve(home);
    app = await createApp({ env: { ...process.env, OLLM_HOME: home.path }, cwd: home.path, command: 'share' });
    ({ token } = await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS }));
  });
  afterAll(async () => {
    await app.close();
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const ask = (path: string, method = 'GET', bearer = token) =>
    server.ask(path, { method, isStranger: true, headers: { authorization: `Bearer ${bearer}` } });

  it.each(rows)('is answered about that session or not at all: %s', async (_, route) => {
    const own = await ask(pathOf(route, 'walk'), route.method);
    const other = await ask(pathOf(route, 'oak'), route.method);
    expect(own.status).toBe(route.guests ? 200 : 403);
    expect(other.status).toBe(route.guests ? 404 : 403);
    if (route.guests) expect(route.method).toBe('GET');
    expect(other.text).not.toContain('oak');
  });

  it.each(['/mcp', '/nothing', '/api/llm/sessions/walk/nothing'])(
    'is refused outside of the table: %s',
    async (path) => {
      expect((await ask(path, 'POST')).status).toBe(403);
    },
  );

  it('comes as a browser by a cookie of its own', async () => {
    const headers = { origin: server.address };
    const entered = await server.post('/api/auth/code', { code: token }, { isStranger: true, headers });
    expect(entered.body.data).toEqual({ entered: true, guestOf: 'walk' });
    const [cookie] = String(entered.headers['set-cookie']).split(';');
    const by = (path: string) => server.ask(path, { isStranger: true, headers: { cookie: cookie! } });
    expect((await by('/api/llm/sessions/walk')).status).toBe(200);
    expect((await by('/api/llm/sessions/oak')).status).toBe(404);
    expect((await by('/api/llm/sessions')).status).toBe(403);
  });

  it('is in no file and no log by its token', async () => {
    await ask(`/${token}`);
    expect(readFileSync(join(home.path, 'guest-links.json'), 'utf8')).not.toContain(token.slice(6));
    expect(readFileSync(join(home.path, 'ollm.log'), 'utf8')).not.toContain(token.slice(6));
  });

  it('is ended at once when its link is revoked, also while it follows', async () => {
    const made = await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS });
    const headers = { authorization: `Bearer ${made.token}` };
    const stream = await fetch(`${server.address}/api/llm/sessions/walk/events?from=0`, { headers });
    expect(stream.status).toBe(200);
    expect(await revokeGuestLink(app, `http://x/join#${made.token}/s/walk`)).toMatchObject({ name: made.link.name });
    expect((await ask('/api/llm/sessions/walk', 'GET', made.token)).status).toBe(401);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    expect(await ended).toBe('ended');
    expect(guestLinks(app).map(({ name }) => name)).not.toContain(made.link.name);
  });

  it('is ended when its link expires', async () => {
    const made = await makeGuestLink(app, { sessionId: 'walk', holdsMs: 400 });
    const headers = { authorization: `Bearer ${made.token}` };
    const stream = await fetch(`${server.address}/api/llm/sessions/walk/events?from=0`, { headers });
    await stream.text().catch(() => '');
    expect((await ask('/api/llm/sessions/walk', 'GET', made.token)).status).toBe(401);
  });
});
