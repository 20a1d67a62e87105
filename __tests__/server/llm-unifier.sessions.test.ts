// Lists, rows, history and messages over HTTP, of sessions of our own and of other programs.
import { appendFileSync } from 'node:fs';
import { createHome, type Home } from '../support/cli.ts';
import { type Json, type Served, serve } from '../support/served.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';

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
