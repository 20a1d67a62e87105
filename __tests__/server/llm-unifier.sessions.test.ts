// Lists, rows, history and messages over HTTP, of sessions of our own and of other programs.
import { appendFileSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { importedId } from '../../lib/agents/address.ts';
import { processesMarked } from '../../lib/platform/processes/process-tree.ts';
import { createRunHome, type RunHome } from '../runs/run-home.ts';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { type Json, type Served, serve } from '../support/served.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import { until } from '../support/until.ts';

const CLAUDE = 'claude:5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';
const message = (role: string, text: string) => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: true },
});

describe('sessions over HTTP', () => {
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    writeSessionsOfOthers(home.path);
    const lines = Array.from({ length: 250 }, (_, index) => message(index % 2 ? 'assistant' : 'user', `line ${index}`));
    await home.append('walk', lines);
    await home.append('run', [message('user', 'one')]);
    server = await serve(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  it('are listed with the newest activity first, for every program', async () => {
    const { sessions, total } = await server.data('/api/llm/sessions');
    expect(total).toBe(4);
    expect(sessions.map(({ agent }: { agent: string }) => agent).sort()).toEqual(['claude', 'codex', 'ollm', 'ollm']);
    const times = sessions.map((row: { lastActivity: string }) => row.lastActivity);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('are listed by program and by project', async () => {
    const claude = await server.data('/api/llm/sessions?provider=claude');
    expect(claude.sessions).toMatchObject([{ address: CLAUDE, title: 'Why do two writers deadlock?', gone: false }]);
    expect((await server.data('/api/llm/sessions?project=/home/me')).total).toBe(2);
    expect((await server.data('/api/llm/sessions?project=/home/me/gard')).total).toBe(0);
    expect((await server.data('/api/llm/sessions?since=2999-01-01')).total).toBe(0);
    expect(await server.ask('/api/llm/sessions?provider=clippy')).toMatchObject({
      status: 400,
      body: { error: { code: 'UNSUPPORTED_PROVIDER' } },
    });
  });

  it('are counted by program, project and day, like a list with the same filters', async () => {
    for (const filter of ['', 'provider=claude', 'project=/home/me', 'since=2999-01-01']) {
      const { sessions, total } = await server.data(`/api/llm/sessions?${filter}`);
      const counts = await server.data(`/api/llm/session-counts?${filter}&zone=Asia/Tokyo`);
      expect(counts.total).toBe(total);
      const agents = Map.groupBy(sessions, ({ agent }: { agent: string }) => agent);
      expect(new Map(counts.agents.map((each: Json) => [each.agent, each.sessions]))).toEqual(
        new Map([...agents].map(([agent, rows]) => [agent, rows.length])),
      );
    }
    expect(await server.ask('/api/llm/session-counts?zone=Moon/Crater')).toMatchObject({ status: 400 });
    expect((await server.ask('/api/llm/session-counts?provider=clippy')).status).toBe(400);
  });

  it('are listed in pages that contain each of them once', async () => {
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 10; page++) {
      const { sessions, next } = await server.data(`/api/llm/sessions?limit=1${after}`);
      seen.push(...sessions.map(({ address }: { address: string }) => address));
      if (next === undefined) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(seen.length).toBe(4);
    expect(new Set(seen).size).toBe(4);
    expect((await server.ask('/api/llm/sessions?after=x')).status).toBe(400);
  });

  it('have a row each, by id or by address', async () => {
    expect(await server.data('/api/llm/sessions/walk')).toMatchObject({ id: 'walk', messageCount: 250, locked: false });
    expect(await server.data('/api/llm/sessions/ollm%3Awalk')).toMatchObject({ id: 'walk' });
    expect(await server.data(`/api/llm/sessions/${encodeURIComponent(CLAUDE)}`)).toMatchObject({ address: CLAUDE });
  });

  it.each(['wal', 'walks', 'claude:5f3c', 'claude:none', 'clippy:5f3c', 'ollm:wal'])(
    'are not found by %s',
    async (id) => {
      for (const rest of ['', '/history', '/messages']) {
        expect(await server.ask(`/api/llm/sessions/${encodeURIComponent(id)}${rest}`)).toMatchObject({
          status: 404,
          body: { success: false, error: { code: 'SESSION_NOT_FOUND' } },
        });
      }
    },
  );

  it.each(['walk', CLAUDE])('have their history in pages: %s', async (id) => {
    const seqs: number[] = [];
    let from: number | undefined = 0;
    let head = -1;
    while (from !== undefined) {
      const page: Json = await server.data(`/api/llm/sessions/${encodeURIComponent(id)}/history?from=${from}&limit=37`);
      seqs.push(...page.entries.map(({ seq }: { seq: number }) => seq));
      expect(page.entries.length).toBeLessThanOrEqual(37);
      from = page.next;
      head = page.head;
    }
    expect(seqs).toEqual(Array.from({ length: head + 1 }, (_, seq) => seq));
  });

  it('begin at the end with a negative number', async () => {
    const { entries, head, next } = await server.data('/api/llm/sessions/walk/history?from=-3');
    expect(head).toBe(251);
    expect(entries.map(({ seq }: { seq: number }) => seq)).toEqual([249, 250, 251]);
    expect(next).toBeUndefined();
    const claude = await server.data(`/api/llm/sessions/${encodeURIComponent(CLAUDE)}/history?from=-1`);
    expect(claude.entries.map(({ seq }: { seq: number }) => seq)).toEqual([claude.head]);
  });

  it('of a foreign program have the name given here, and their files stay unchanged', async () => {
    const path = `/api/llm/sessions/${encodeURIComponent(CLAUDE)}`;
    const { title, bytes } = await server.data(path);
    const rename = (summary: string) => server.post(`${path}/rename`, { summary }, { method: 'PUT' });
    expect((await rename(' Two\nwriters ')).body.data).toEqual({ sessionId: CLAUDE, summary: 'Two writers' });
    expect(await server.data(path)).toMatchObject({ title: 'Two writers', bytes });
    const { sessions } = await server.data('/api/llm/sessions?provider=claude');
    expect(sessions.map((row: { title: string }) => row.title)).toContain('Two writers');
    await rename(title);
    expect((await server.data(path)).title).toBe(title);
  });

  it('have their history as messages', async () => {
    const { messages, provider, workspacePath, fileType } = await server.data(
      `/api/llm/sessions/${encodeURIComponent(CLAUDE)}/history`,
    );
    expect({ provider, workspacePath, fileType }).toEqual({
      provider: 'claude',
      workspacePath: '/home/me/garden',
      fileType: 'jsonl',
    });
    expect(messages).toMatchObject([
      { type: 'session_started' },
      { type: 'user_message', text: 'Why do two writers deadlock?', sessionId: CLAUDE },
      { type: 'assistant_message' },
    ]);
    const short = await server.data('/api/llm/sessions/walk/messages?from=1&limit=2');
    expect(short.messages).toMatchObject([
      { seq: 1, type: 'user_message', text: 'line 0' },
      { seq: 2, type: 'assistant_message', text: 'line 1' },
    ]);
    expect((await server.data('/api/llm/sessions/walk/history?messages=false&limit=5')).messages).toEqual([]);
  });

  it('report their damage, and continue after it', async () => {
    await home.append('torn', [message('user', 'before')]);
    appendFileSync(home.journal('torn'), '{"seq":3,"half');
    const { entries, damage } = await server.data('/api/llm/sessions/torn/history');
    expect(entries.length).toBe(3);
    expect(damage).toMatchObject([{ kind: 'torn-tail', length: 14 }]);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=0x10',
    'limit=0b11',
    'limit=1e2',
    'limit=%207',
    'limit=%2B7',
    'limit=07',
    'limit=7.0',
    'limit=',
    'from=-0x10',
    'from=x',
    'limit=1&limit=2',
    'other=1',
    'from=1e99',
    'messages=perhaps',
  ])('refuse an invalid query: %s', async (query) => {
    expect(await server.ask(`/api/llm/sessions/walk/history?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_QUERY' } },
    });
  });
});

describe('sessions in which an agent of another vendor works', () => {
  const SESSIONS = '/api/llm/providers/qwen/sessions';
  const at = (sessionId: string, rest = '') => `${SESSIONS}/${encodeURIComponent(sessionId)}${rest}`;
  const of = (sessionId: string, rest = '') => `/api/llm/sessions/${encodeURIComponent(sessionId)}${rest}`;
  const kinds = (messages: readonly Json[]) =>
    messages.map(({ type, text }) => (text === undefined ? type : [type, text]));
  let runs: RunHome;
  let server: Served;
  let env: Readonly<Record<string, string>>;
  let id: string;
  const start = (prompt: string, body: object = {}) =>
    server.post(`${SESSIONS}/start`, { prompt, workspacePath: runs.project, ...body });
  const resume = (prompt: string, body: object = {}, query = '?wait=1') =>
    server.post(at(id, `/resume${query}`), { prompt, ...body });
  const file = () => join(runs.home.path, '.qwen/projects/-work/chats', `${id.slice('qwen:'.length)}.jsonl`);
  const left = () =>
    runs.events().flatMap(({ type, data }) => (type === 'run.started' ? processesMarked(String(data.mark)) : []));

  beforeAll(async () => {
    runs = createRunHome();
    runs.trust([runs.project], { server: { workspaces: [runs.project] } });
    env = { PATH: runs.agentThatWrites(), HOME: runs.home.path };
    server = await serve(runs.home, [], { env, cwd: runs.project });
    const started = await start('count');
    expect(started).toMatchObject({ status: 202, body: { data: { status: 'starting', family: 'acp' } } });
    id = started.body.data.sessionId;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    runs[Symbol.dispose]();
  });

  it('are listed once, as open and not as gone, while they work, and are stopped', async () => {
    const row = { address: id, gone: false, locked: true };
    await until(async () => (await server.data(at(id))).status === 'running');
    expect((await server.ask('/metrics')).text).toContain('ollm_active_sessions{provider="qwen"} 1');
    expect((await server.data('/api/llm/sessions?provider=qwen')).sessions).toMatchObject([row]);
    expect((await server.data('/api/llm/sessions')).total).toBe(1);
    await until(async () => (await server.ask(of(id, '/history'))).text.includes('count'));
    expect(await server.data(of(id))).toMatchObject(row);
    // A prompt that comes meanwhile waits, and has its turn after the stop.
    expect((await resume('hello', {}, '')).body.data).toMatchObject({ status: 'starting' });
    const waiting = resume('once more');
    await until(async () => (await server.data(of(id, '/activity'))).queue?.length === 2);
    expect((await server.post(at(id, '/stop'))).body.data).toMatchObject({ sessionId: id, stopped: true });
    const { status, messages, transitions, startedAt, endedAt } = (await waiting).body.data;
    expect([status, transitions.map((each: Json) => each.status)]).toEqual(['completed', ['running', 'completed']]);
    expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
    expect(kinds(messages)).toEqual([
      ['user_message', 'once more'],
      ['assistant_message', 'You said: once more'],
    ]);
  });

  it('have one history, in which a stop, the words until then and later turns are', async () => {
    const { messages, entries, provider, workspacePath } = await server.data(of(id, '/history?limit=1000'));
    expect({ provider, workspacePath }).toEqual({ provider: 'qwen', workspacePath: runs.project });
    expect(kinds(messages)).toEqual([
      'session_started',
      ['user_message', 'count'],
      ['assistant_message', 'One, two, '],
      'session_interrupted',
      ['user_message', 'hello'],
      ['assistant_message', 'You said: hello'],
      ['user_message', 'once more'],
      ['assistant_message', 'You said: once more'],
    ]);
    expect(entries.map(({ seq }: Json) => seq)).toEqual(entries.map((_: Json, seq: number) => seq));
    expect((await server.data(of(id, '/messages?limit=1000'))).messages).toEqual(messages);
  });

  it('report that their agent died, and continue with a new process of it', async () => {
    const died = (await resume('die')).body.data;
    expect(died).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^AGENT_BROKEN_STREAM: .*exit code 9/),
    });
    expect(died.messages.at(-1)).toMatchObject({
      type: 'assistant_error_message',
      text: expect.stringContaining('exit code 9'),
    });
    expect((await resume('hello again')).body.data).toMatchObject({ status: 'completed', sessionId: id });
  });

  it('pass the commands and skills of the agent on unchanged', async () => {
    for (const prompt of ['/compact now', '$review the code']) {
      const { messages } = (await resume(prompt)).body.data;
      expect(kinds(messages)).toContainEqual(['assistant_message', `You said: ${prompt}`]);
    }
  });

  it('take no id from a client, and continue if a client gives their address', async () => {
    for (const sessionId of ['5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001', 'oak', 'claude:oak']) {
      const refused = await start('hi', { sessionId });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'SESSION_ID_NOT_SUPPORTED']);
    }
    expect((await start('hi', { sessionId: id })).body.data.sessionId).toBe(id);
    await resume('and that');
  });

  it('are renamed without a change of their file, and a sync lists none twice', async () => {
    const before = readFileSync(file(), 'utf8');
    await server.post(of(id, '/rename'), { summary: 'An old oak' }, { method: 'PUT' });
    expect(await server.data(of(id))).toMatchObject({ title: 'An old oak' });
    expect((await server.post('/api/llm/sessions/sync')).body.data).toMatchObject({ failures: [] });
    expect((await server.data('/api/llm/sessions')).sessions.map(({ address }: Json) => address)).toEqual([id]);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('are unchanged after a kill of the server, and busy if a different process has just written to them', async () => {
    const state = ({ instanceId: _, ...rest }: Json) => rest;
    const before = state(await server.data(at(id)));
    await server.end('SIGKILL');
    await until(() => left().length === 0);
    server = await serve(runs.home, [], { env, cwd: runs.project });
    expect(state(await server.data(at(id)))).toEqual(before);
    expect((await resume('after the kill')).body.data).toMatchObject({ status: 'completed', title: 'An old oak' });
    await server.end();
    const ended = Date.now();
    server = await serve(runs.home, [], { env, cwd: runs.project });
    await until(() => Date.now() - ended > 600);
    utimesSync(file(), new Date(), new Date());
    const busy = await resume('too early');
    expect(busy).toMatchObject({ status: 409, body: { error: { code: 'SESSION_BUSY' } } });
    expect(busy.body.error.details.retryAfterMs).toBeGreaterThan(30_000);
    expect((await resume('all the same', { force: true })).body.data).toMatchObject({ status: 'completed' });
  });

  it('continue under the address of the session that their agent begins', async () => {
    expect((await resume('/clear', {}, '')).status).toBe(202);
    const next = await resume('where now');
    expect(next.body.data.status).toBe('completed');
    const journal = () =>
      parseLines(readFileSync(runs.home.journal(importedId('qwen', id.slice(5))), 'utf8')) as Json[];
    const linked = () => journal().find(({ type }) => type === 'run.linked');
    await until(() => linked() !== undefined);
    const moved = String(linked()!.data.address);
    await until(async () => JSON.stringify((await server.ask(of(moved, '/messages'))).body).includes('where now'));
    await until(() => journal().some(({ type, data }) => type === 'run.ended' && data.reason === 'moved'));
    id = moved;
    expect((await resume('here')).body.data).toMatchObject({ status: 'completed', sessionId: moved });
    expect((await server.data('/api/llm/sessions')).total).toBe(2);
  });
});

describe('ollm serve', () => {
  it('answers health and describes itself, until it is stopped', async () => {
    using home = createHome();
    const server = await serve(home);
    expect(await server.data('/health')).toMatchObject({ status: 'ok', instance: expect.any(String) });
    const { body } = await server.ask('/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0', paths: { '/health': { get: { operationId: 'health' } } } });
    expect(await server.end('SIGINT')).toEqual([130, null]);
    expect(server.stderr()).toContain('Stopping.');
  });

  it('reports that its port is taken', async () => {
    using home = createHome();
    await using server = await serve(home);
    const { port } = new URL(server.address);
    expect(await home.run(['serve', '--port', port])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(port),
    });
  });
});
