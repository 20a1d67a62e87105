// Data of sessions over HTTP in addition to their messages: states, costs, audits, exports, searches; and their
// removal: the trash, hidden sessions.
import { existsSync, readdirSync, readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from '../../lib/api/endpoints.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import { createClient, pathOf } from '../../lib/client/client.ts';
import { createHome, type Home, parseLines } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import { until } from '../support/until.ts';

const CLAUDE = 'claude:5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';
const FIGURES = [
  ...['active_sessions', 'turns', 'turns_ended_total', 'appends_total', 'syncs_total', 'sync_seconds_total'],
  ...['catalog_sync_seconds', 'catalog_left_sessions', 'catalog_lag_seconds', 'clients', 'evictions_total'],
];
const CLAUDE_PATH = encodeURIComponent(CLAUDE);

describe('a session over HTTP', () => {
  let home: Home;
  let server: Served;
  beforeAll(async () => {
    home = createHome();
    writeSessionsOfOthers(home.path);
    await home.append('walk', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'plant an oak' }], trusted: true } },
      { type: 'message.added', data: { role: 'assistant', parts: [{ type: 'text', text: 'done' }], trusted: false } },
      {
        type: 'usage.reported',
        data: { inputTokens: 120, outputTokens: 8, totalCost: 0.25, source: 'provider', model: 'm' },
      },
    ]);
    server = await serve(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  it('has the details that `ollm show` prints', async () => {
    const { stdout } = await home.run(['show', 'walk', '--json']);
    expect(await server.data('/api/llm/sessions/walk/details')).toEqual(JSON.parse(stdout));
    expect(await server.data(`/api/llm/sessions/${CLAUDE_PATH}/details`)).toMatchObject({
      agent: { name: 'claude' },
      fidelity: { records: 2 },
    });
  });

  it('has the states that `ollm replay` prints, also of its past', async () => {
    for (const state of ['view', 'budget', 'summary', 'session']) {
      const { stdout } = await home.run(['replay', 'walk', '--state', state, '--at', '1']);
      const { states } = await server.data(`/api/llm/sessions/walk/state?state=${state}&at=1`);
      expect(states[state]).toEqual(JSON.parse(stdout));
    }
    expect((await server.ask('/api/llm/sessions/walk/state?at=99')).body.error.code).toBe('SEQ_NOT_FOUND');
  });

  it('shows the cost of each request', async () => {
    expect(await server.data('/api/llm/sessions/walk/cost')).toMatchObject({
      sessionId: 'walk',
      requests: [{ seq: 3, model: 'm', inputTokens: 120, cost: 0.25, purpose: 'answer' }],
      total: { requests: 1, inputTokens: 120, outputTokens: 8, cost: 0.25, withoutPrice: 0 },
    });
    expect(await server.data(`/api/llm/sessions/${CLAUDE_PATH}/cost`)).toMatchObject({
      requests: [{ model: 'claude-opus-5-5', inputTokens: 120 }],
    });
  });

  it('has its audit', async () => {
    expect(await server.data('/api/llm/sessions/walk/audit')).toEqual({ id: 'walk', calls: [], damaged: 0 });
  });

  it.each([
    ...['md', 'json', 'jsonl', 'html'].map((format) => [format, format]),
    ...[
      ['otel', 'otel.jsonl'],
      ['atif', 'atif.json'],
      ['asf', 'asf.jsonl'],
    ],
  ])('is exported as %s, byte for byte as by the command', async (format, ending) => {
    const { stdout } = await home.run(['export', 'walk', '--format', format]);
    const { text, headers } = await server.ask(`/api/llm/sessions/walk/export?format=${format}`);
    expect(text).toBe(stdout);
    expect(headers['content-disposition']).toBe(`attachment; filename="walk.${ending}"`);
    expect(headers['content-type']).not.toContain('text/html');
  });

  it('is refused with its status as an export that is not possible', async () => {
    expect(await server.ask('/api/llm/sessions/walk/export?from=900')).toMatchObject({ status: 404 });
    expect(await server.ask(`/api/llm/sessions/${CLAUDE_PATH}/export?format=jsonl`)).toMatchObject({ status: 400 });
    expect(await server.ask('/api/llm/sessions/walk/export?contents=true')).toMatchObject({ status: 400 });
  });

  it('is found by its words once it was indexed', async () => {
    const sync = async () => (await server.post('/api/llm/sessions/sync')).body.data;
    // The server does so at its start. A file that has changed a moment ago is read once more.
    await until(async () => {
      const { read, isBusy } = await sync();
      return read === 0 && !isBusy;
    });
    const folder = join(home.path, '.claude');
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.jsonl'))!;
    utimesSync(join(folder, file), 1, 1);
    expect(await sync()).toMatchObject({ processedByProvider: { claude: 1 }, sessions: 3, left: 0, isBusy: false });
    const { hits } = await server.data('/api/llm/search?q=deadlock');
    expect(hits.map(({ agent }: { agent: string }) => agent).sort()).toEqual(['claude', 'codex']);
    expect(hits[0]).toMatchObject({ seq: expect.any(Number), excerpt: { marks: [expect.any(Array)] } });
    expect((await server.data('/api/llm/search?q=oak&provider=claude')).hits).toEqual([]);
    expect(await server.ask('/api/llm/search?q=%22')).toMatchObject({ body: { success: expect.any(Boolean) } });
    expect((await server.ask('/api/llm/search')).status).toBe(400);
  });

  it('is recalled for a question, as by the command, and only in directories of workspaces', async () => {
    const { stdout } = await home.run(['recall', 'deadlock', '--json']);
    const { passages, notes } = await server.data('/api/llm/recall?q=deadlock');
    expect(passages.map(({ place }: { place: string }) => place)).toEqual(parseLines(stdout).map(({ place }) => place));
    expect(notes).toEqual(expect.any(Array));
    expect((await server.ask('/api/llm/recall?q=root&project=/etc')).body.error.code).toBe('WORKSPACE_NOT_ALLOWED');
  });

  it('is a part of the numbers over all sessions', async () => {
    const { by, rows, total } = await server.data('/api/llm/stats?days=3660&by=agent,model');
    expect(total).toMatchObject({ sessions: 3, cost: 0.25 });
    expect(by).toEqual(['agent', 'model']);
    expect(rows).toContainEqual(expect.objectContaining({ agent: 'ollm', cost: 0.25 }));
    const own = await server.data('/api/llm/stats?days=3660&provider=ollm&by=day&zone=Asia/Tokyo');
    expect(own.total.cost).toBe(0.25);
    for (const query of [
      'by=week',
      'by=day,day',
      'zone=Mars/Base',
      'provider=nothing',
      'days=0',
      'day=2026-13-01',
      'limit=0',
    ])
      expect((await server.ask(`/api/llm/stats?${query}`)).status).toBe(400);
    const listed = await server.data('/api/llm/sessions?provider=ollm');
    expect(listed.sessions[0]).toMatchObject({
      ...{ cost: 0.25, tokens: 128, shape: expect.any(String) },
      said: { by: expect.stringMatching(/^(user|assistant)$/), text: expect.any(String) },
    });
  });

  it('of a foreign program is hidden, its file stays, and it comes back', async () => {
    const addresses = async (query = '') =>
      (await server.data(`/api/llm/sessions${query}`)).sessions.map(({ address }: { address: string }) => address);
    const file = `${home.path}/.claude/projects/-home-me-garden/${CLAUDE.slice(7)}.jsonl`;
    const before = readFileSync(file);
    const hidden = await server.ask(`/api/llm/sessions/${CLAUDE_PATH}`, { method: 'DELETE' });
    expect(hidden.body.data).toEqual({
      sessionId: CLAUDE,
      outcome: 'hidden',
      deletedFromDisk: false,
      deletedFromDatabase: true,
    });
    expect(await addresses()).not.toContain(CLAUDE);
    expect(await addresses('?hidden=true')).toContain(CLAUDE);
    const listed = async (...args: string[]) => (await home.run(['list', '--all', ...args])).stdout.includes(CLAUDE);
    expect([await listed(), await listed('--hidden')]).toEqual([false, true]);
    expect(readFileSync(file)).toEqual(before);
    expect((await server.post(`/api/llm/sessions/${CLAUDE_PATH}/restore`)).body.data.outcome).toBe('shown');
    expect(await addresses()).toContain(CLAUDE);
    expect((await server.post(`/api/llm/sessions/${CLAUDE_PATH}/restore`)).status).toBe(404);
  });

  it('of a foreign program that has vanished is known, without its history', async () => {
    const file = `${home.path}/.claude/projects/-home-me-garden/${CLAUDE.slice(7)}.jsonl`;
    await server.post('/api/llm/sessions/sync');
    renameSync(file, `${home.path}/away`);
    try {
      for (const part of ['history', 'messages', 'outline', 'events']) {
        const { status, body } = await server.ask(`/api/llm/sessions/${CLAUDE_PATH}/${part}`);
        expect({ part, status, code: body?.error.code }).toEqual({
          part,
          status: 404,
          code: 'SESSION_HISTORY_NOT_AVAILABLE',
        });
      }
    } finally {
      renameSync(`${home.path}/away`, file);
    }
  });

  it('of ollm itself goes to the trash and comes back whole', async () => {
    const before = readFileSync(home.journal('walk'));
    const trashed = await server.ask('/api/llm/sessions/walk', { method: 'DELETE' });
    expect(trashed.body.data).toMatchObject({ outcome: 'trashed', deletedFromDisk: false });
    expect(existsSync(home.journal('walk'))).toBe(false);
    expect((await server.ask('/api/llm/sessions/walk')).status).toBe(404);
    expect((await server.post('/api/llm/sessions/walk/restore')).body.data.outcome).toBe('restored');
    expect(readFileSync(home.journal('walk'))).toEqual(before);
  });

  it('is not deleted by the beginning of its id', async () => {
    expect((await server.ask('/api/llm/sessions/wal', { method: 'DELETE' })).status).toBe(404);
    expect((await server.ask('/api/llm/sessions/claude%3A5f3c', { method: 'DELETE' })).status).toBe(404);
  });

  it('is read by the typed client as well', async () => {
    const client = createClient({ address: server.address, token: server.token });
    expect(await client.getMessages({ parameters: { id: 'walk' }, query: { from: 1, limit: 1 } })).toMatchObject({
      messages: [{ type: 'user_message', text: 'plant an oak' }],
    });
    expect(await (await client.exportSession({ parameters: { id: 'walk' } })).text()).toContain('plant an oak');
    await expect(client.getSession({ parameters: { id: 'none' } })).rejects.toMatchObject({
      status: 404,
      code: 'SESSION_NOT_FOUND',
    });
    await expect(createClient({ address: server.address }).health()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    // It has a method for each route, and makes an address of any text.
    expect(Object.keys(ENDPOINTS)).toEqual(ROUTES.map(({ name }) => name));
    expect(pathOf('exportSession', { parameters: { id: 'a$&/\ud800' }, query: { format: 'md' } })).toBe(
      '/api/llm/sessions/a%24%26%2F%EF%BF%BD/export?format=md',
    );
  });

  it('is counted for Prometheus', async () => {
    const { text, headers } = await server.ask('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toMatch(/^# HELP /m);
    expect(text).toMatch(/^ollm_requests_total\{status="200"\} \d+$/m);
    const named = [...text.matchAll(/^# TYPE ollm_(\w+)/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(FIGURES));
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{.*\})? [\d.]+)$/);
  });

  it('can be answered by the providers that a route lists', async () => {
    const { providers } = await server.data('/api/llm/providers');
    expect(providers[0]).toMatchObject({ id: 'ollm', family: 'sdk' });
    // This home has no agents: each entry says how to install one.
    expect(providers.find(({ id }: { id: string }) => id === 'codex').install).toContain('codex-acp');
    const { models } = await server.data('/api/llm/providers/ollm/models');
    expect(models).toContainEqual(expect.objectContaining({ answerer: 'offline' }));
    expect((await server.ask('/api/llm/providers/nobody/models')).body.error.code).toBe('UNSUPPORTED_PROVIDER');
  });
});
