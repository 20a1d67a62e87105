// Guests of one session: every route of the table with the token of a link, against the real server.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../lib/api/route.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { countGuestTurn, guestLinks, makeGuestLink, revokeGuestLink } from '../../lib/host/guest-links.ts';
import { createHome, type Home } from '../support/cli.ts';
import { PNG } from '../support/conversations-in-forms.ts';
import { type Json, type Served, serve } from '../support/served.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { until } from '../support/until.ts';

const TABLE: readonly Route[] = ROUTES;
const WEEK_MS = 7 * 86_400_000;

const IMAGE = Buffer.from(PNG, 'base64');
const OTHER_IMAGE = Buffer.concat([IMAGE, Buffer.from('other')]);
const OUTPUT = Buffer.from('all that was printed');
const FILE = Buffer.from('which is named, and not shown');
const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
/** Shown by the session of the link. */
const HASHES = { image: hashOf(IMAGE), text: hashOf(OUTPUT) };

function pathOf({ path, query }: Route, id: string): string {
  const search = query?.required?.map((name) => `${name}=walk`).join('&');
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) =>
      ({ id, provider: 'ollm', hash: HASHES[path.endsWith('/text') ? 'text' : 'image'] })[name] ?? '',
  );
  return search ? `${filled}?${search}` : filled;
}

const rows = TABLE.filter(({ open }) => !open).map((route) => [`${route.method} ${route.path}`, route] as const);

/** A prompt with an image and a file, and a call with a kept output. */
function eventsWith(image: Uint8Array): readonly object[] {
  const part = { type: 'image', blob: hashOf(image), mediaType: 'image/png', width: 1, height: 1 };
  const file = { type: 'file', name: 'notes.md', mediaType: 'text/markdown', blob: hashOf(FILE) };
  const started = { sandbox: 'none', envRemoved: [] };
  const finished = { status: 'ok', result: { llmContent: 'all' }, blob: hashOf(OUTPUT), trusted: false };
  return [
    { type: 'message.added', data: { role: 'user', parts: [part, file], trusted: true } },
    { type: 'tool.requested', data: { callId: 'c1', name: 'bash', args: {} } },
    { type: 'tool.started', data: { callId: 'c1', ...started } },
    { type: 'tool.finished', data: { callId: 'c1', ...finished } },
  ];
}

describe('a guest of one session', () => {
  let home: Home;
  let server: Served;
  let app: App;
  let token: string;
  beforeAll(async () => {
    home = createHome();
    app = await createApp({ env: { ...process.env, OLLM_HOME: home.path }, cwd: home.path, command: 'share' });
    for (const bytes of [IMAGE, OTHER_IMAGE, OUTPUT, FILE]) await app.store.putBlob(bytes);
    await home.append('walk', eventsWith(IMAGE));
    await home.append('oak', eventsWith(OTHER_IMAGE));
    server = await serve(home);
    ({ token } = await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS }));
  });
  afterAll(async () => {
    await app.close();
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  const ask = (path: string, method = 'GET', bearer = token) =>
    server.ask(path, { method, isStranger: true, headers: { authorization: `Bearer ${bearer}` } });

  it.each(rows)('is answered only about that session: %s', async (_, route) => {
    const own = await ask(pathOf(route, 'walk'), route.method);
    const other = await ask(pathOf(route, 'oak'), route.method);
    const isForAll = route.guests === 'all';
    expect(own.status).toBe(isForAll ? 200 : 403);
    expect(other.status).toBe(isForAll ? 404 : 403);
    if (isForAll) expect(route.method).toBe('GET');
    expect(other.text).not.toContain('oak');
  });

  it('sees the images and the kept outputs of only that session', async () => {
    const asset = (bytes: Uint8Array, rest = '', id = 'walk') =>
      ask(`/api/llm/sessions/${id}/assets/${hashOf(bytes)}${rest}`);
    expect(await asset(IMAGE)).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    expect((await asset(OUTPUT, '/text?limit=16')).body.data).toEqual({
      text: 'all that was pri',
      bytes: 20,
      next: 16,
    });
    for (const hidden of [OTHER_IMAGE, FILE, Buffer.from('not kept')]) {
      expect((await asset(hidden)).status).toBe(404);
      expect((await asset(hidden, '/text')).status).toBe(404);
    }
    expect((await asset(OTHER_IMAGE, '', 'oak')).status).toBe(404);
    expect((await ask(`/api/llm/assets/${HASHES.image}`)).status).toBe(403);
    const owner = await server.ask(`/api/llm/sessions/oak/assets/${hashOf(OTHER_IMAGE)}`);
    expect(owner.status).toBe(200);
  });

  it.each(['/mcp', '/nothing', '/api/llm/sessions/walk/nothing'])('is refused outside the table: %s', async (path) => {
    expect((await ask(path, 'POST')).status).toBe(403);
  });

  it('enters with a browser through a cookie of its own', async () => {
    const headers = { origin: server.address };
    const entered = await server.post('/api/auth/code', { code: token }, { isStranger: true, headers });
    expect(entered.body.data).toEqual({ entered: true, guestOf: 'walk' });
    const [cookie] = String(entered.headers['set-cookie']).split(';');
    const by = (path: string) => server.ask(path, { isStranger: true, headers: { cookie: cookie! } });
    expect((await by('/api/llm/sessions/walk')).status).toBe(200);
    expect((await by('/api/llm/sessions/oak')).status).toBe(404);
    expect((await by('/api/llm/sessions')).status).toBe(403);
  });

  it('has a token that is in no file and no log', async () => {
    await ask(`/${token}`);
    expect(readFileSync(join(home.path, 'guest-links.json'), 'utf8')).not.toContain(token.slice(6));
    expect(readFileSync(join(home.path, 'ollm.log'), 'utf8')).not.toContain(token.slice(6));
  });

  it('is disconnected immediately when its link is revoked, also while following', async () => {
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

  it('keeps its link when the owner ends one of another session by its name', async () => {
    const { link } = await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS });
    const end = (id: string) => server.ask(`/api/llm/sessions/${id}/share/${link.name}`, { method: 'DELETE' });
    expect((await end('oak')).status).toBe(404);
    expect(guestLinks(app).map(({ name }) => name)).toContain(link.name);
    expect((await end('walk')).body.data).toEqual({ name: link.name, revoked: true });
    expect(guestLinks(app).map(({ name }) => name)).not.toContain(link.name);
  });

  it('is disconnected when its link expires', async () => {
    const made = await makeGuestLink(app, { sessionId: 'walk', holdsMs: 400 });
    const headers = { authorization: `Bearer ${made.token}` };
    const stream = await fetch(`${server.address}/api/llm/sessions/walk/events?from=0`, { headers });
    await stream.text().catch(() => '');
    expect((await ask('/api/llm/sessions/walk', 'GET', made.token)).status).toBe(401);
  });
});

describe('a guest who takes part', () => {
  let home: Home;
  let server: Served;
  let app: App;
  let project: Tree;
  afterEach(async () => {
    await app.close();
    await server[Symbol.asyncDispose]();
    project[Symbol.dispose]();
    home[Symbol.dispose]();
  });

  async function start(settings: Readonly<Record<string, string>>) {
    home = createHome();
    project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    const env = { OLLM_PROVIDER: 'offline', ...settings };
    const options = { env, cwd: project.root };
    await home.run(['ask', 'Where is the harbour?', '--name', 'walk'], options);
    await home.run(['ask', 'Where is the wood?', '--name', 'oak'], options);
    server = await serve(home, [], options);
    app = await createApp({
      env: { ...process.env, ...env, OLLM_HOME: home.path },
      cwd: home.path,
      command: 'share',
    });
  }
  const link = (mayWrite = true) => makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS, mayWrite });
  const say = (token: string, body: object, { id = 'walk', ...headers }: Record<string, string> = {}) =>
    server.post(`/api/llm/sessions/${id}/turns`, body, {
      isStranger: true,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const WRITE = { OLLM_SERVER__GUESTS_MAY_WRITE: 'true' };

  it('starts a turn under its own name, and the owner is asked about each call, also about an allowed one', async () => {
    await start({ ...WRITE, OLLM_TOOLS__ALLOW: 'bash(echo hello)', OLLM_TOOLS__MODE: 'auto' });
    const { token, link: made } = await link();
    expect((await say(token, { prompt: 'bash {"command":"echo hello"}' })).status).toBe(202);
    let question: Json;
    await until(async () => {
      [question] = (await server.data('/api/llm/sessions/walk/questions')).questions;
      return question !== undefined;
    });
    expect(question).toMatchObject({ reason: 'A guest began this turn.', answers: ['once', 'no'] });
    await server.post(`/api/llm/sessions/walk/questions/${question.id}`, { decision: 'no', hash: question.hash });
    const { messages } = await server.data('/api/llm/sessions/walk/messages');
    expect(JSON.stringify(messages)).not.toContain('"hello\\n"');
    const { stdout } = await home.run(['export', 'walk', '--format', 'jsonl']);
    expect(stdout).toContain(`"author":"guest ${made.name}"`);
  });

  it('is denied a call by the policy without a question', async () => {
    await start({ ...WRITE, OLLM_TOOLS__DENY: 'bash' });
    const { token } = await link();
    expect((await say(token, { prompt: 'bash {"command":"echo hello"}' })).status).toBe(202);
    let events = '';
    await until(async () => {
      events = (await home.run(['export', 'walk', '--format', 'jsonl'])).stdout;
      return events.split('"turn.ended"').length > 2;
    });
    expect(events).toContain('"decision":"deny"');
  });

  it('can do nothing but write in its own session', async () => {
    await start(WRITE);
    const { token } = await link();
    for (const more of [{ runtimePermissionMode: 'allow' }, { imagePaths: ['/etc/passwd'] }, { model: 'x' }]) {
      expect((await say(token, { prompt: 'Hello', ...more })).status).toBe(403);
    }
    expect((await say(token, { prompt: 'x'.repeat(32_001) })).status).toBe(403);
    expect((await say(token, { prompt: 'Hello' }, { id: 'oak' })).status).toBe(404);
    const cookie = String(
      (await server.post('/api/auth/code', { code: token }, { isStranger: true, headers: { origin: server.address } }))
        .headers['set-cookie'],
    ).split(';')[0]!;
    const byCookie = (headers: Record<string, string>) =>
      server.post(
        '/api/llm/sessions/walk/turns',
        { prompt: 'Hello' },
        { isStranger: true, headers: { cookie, ...headers } },
      );
    expect((await byCookie({})).status).toBe(403);
    expect((await byCookie({ origin: server.address })).status).toBe(202);
    for (const path of ['stop', 'undo', 'compact']) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await server.post(`/api/llm/sessions/walk/${path}`, {}, { isStranger: true, headers })).status).toBe(403);
    }
  });

  it('starts no turn once the session has reached the cost of its link, including requests before it', async () => {
    await start(WRITE);
    const spend = (totalCost: number) =>
      home.append('walk', [
        {
          type: 'usage.reported',
          data: { inputTokens: 1, outputTokens: 1, totalCost, source: 'provider', model: 'm' },
        },
      ]);
    await spend(9);
    const bounded = async (mostCost: number) =>
      (await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS, mayWrite: true, mostCost })).token;
    const [less, more] = [await bounded(0.5), await bounded(0.7)];
    await spend(0.6);
    const refused = await say(less, { prompt: 'Hello' });
    expect([refused.status, refused.body.error.message]).toEqual([429, 'The session has cost the $0.5 of this link.']);
    expect((await say(more, { prompt: 'Hello' })).status).toBe(202);
  });

  it('starts at most the turns of its link, and none with a link for reading or without the setting', async () => {
    await start(WRITE);
    const { token, link: made } = await link();
    for (let turn = 0; turn < 50; turn += 1) await countGuestTurn(app, made);
    const refused = await say(token, { prompt: 'Hello' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'QUEUE_FULL']);
    const few = await makeGuestLink(app, { sessionId: 'walk', holdsMs: WEEK_MS, mayWrite: true, mostTurns: 1 });
    await countGuestTurn(app, few.link);
    expect((await say(few.token, { prompt: 'Hello' })).body.error.message).toBe('This link has had its 1 turn.');
    expect((await say((await link(false)).token, { prompt: 'Hello' })).status).toBe(403);
    await server[Symbol.asyncDispose]();
    server = await serve(home, [], { env: { OLLM_PROVIDER: 'offline' } });
    expect((await say((await link()).token, { prompt: 'Hello' })).status).toBe(403);
  });
});
