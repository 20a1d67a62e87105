// The providers of the LLM module, with a model at a real HTTP server: the available ones, their models and modes of
// thinking, and a choice of both for a session.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startToolModel } from '../repl/tool-model.ts';
import { createRunHome, type RunHome } from '../runs/run-home.ts';
import { createHome, type Home } from '../support/cli.ts';
import { type Answer, type Json, type Served, serve } from '../support/served.ts';
import { until } from '../support/until.ts';

it('the routes list providers and their models, and set model and thinking for later turns', async () => {
  await using model = await startToolModel({ text: 'ok' });
  using home = createHome();
  await using server = await serve(home, [], { env: { OLLAMA_HOST: model.url, OLLM_DEFAULT_PROMPT: 'false' } });
  const at = '/api/llm/providers/ollm';
  expect((await server.data('/api/llm/providers')).providers.slice(0, 1)).toMatchObject([
    { id: 'ollm', family: 'sdk', capabilities: { supportsThinkingModeControl: true } },
  ]);
  const { models } = await server.data(`${at}/models`);
  expect(models.find(({ answerer }: { answerer: string }) => answerer === 'ollama')).toMatchObject({
    value: 'tooled:latest',
    supportsThinkingModes: true,
    supportedThinkingModes: ['off', 'high'],
  });
  const start = { prompt: 'first', answerer: 'ollama', thinkingMode: 'high' };
  const started = (await server.post(`${at}/sessions/start?wait=1`, start)).body.data;
  expect(started).toMatchObject({ status: 'completed', thinkingMode: 'high', model: 'tooled:latest' });
  const session = `${at}/sessions/${started.sessionId}`;
  const patch = (body: object) => server.post(`${session}/thinking`, body, { method: 'PATCH' });
  expect((await patch({ thinkingMode: 'off' })).body.data).toMatchObject({ provider: 'ollm', thinkingMode: 'off' });
  expect(await patch({ thinkingMode: 'low' })).toMatchObject({
    status: 400,
    body: { error: { code: 'THINKING_MODE_NOT_SUPPORTED', details: { modes: ['off', 'high'] } } },
  });
  await server.post(`${session}/resume?wait=1`, { prompt: 'second' });
  const asked = model.requests.filter(({ path }) => path === '/api/chat');
  expect(asked.map(({ body }) => (body as { think?: unknown }).think)).toEqual([true, false]);
  expect(await server.data(session)).toMatchObject({ thinkingMode: 'off' });
});

it("a session is created under the client's id, once", async () => {
  using home = createHome();
  await using server = await serve(home, [], { env: { OLLM_DEFAULT_PROMPT: 'false' } });
  const at = '/api/llm/providers/ollm/sessions';
  const sessionId = '5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';
  const start = (body: object) => server.post(`${at}/start?wait=1`, { prompt: 'first', answerer: 'offline', ...body });
  const started = await start({ sessionId });
  expect(started).toMatchObject({ status: 202, body: { data: { sessionId, status: 'completed' } } });
  expect(started.body.data.title).toBe('first');
  for (const used of [sessionId, `ollm:${sessionId}`]) {
    const refused = await start({ sessionId: used });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'SESSION_EXISTS']);
  }
  expect((await start({ sessionId: 'oak', name: 'An old oak' })).body.data).toMatchObject({
    sessionId: 'oak',
    title: 'An old oak',
  });
  // Twice at once: one of them is the first.
  const both = await Promise.all([start({ sessionId: 'ash' }), start({ sessionId: 'ash' })]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  for (const bad of ['../oak', 'Oak', 'con', '', '-oak', 'x'.repeat(65)]) {
    expect([bad, (await start({ sessionId: bad })).status]).toEqual([bad, 400]);
  }
  expect((await start({ sessionId: 'claude:none' })).status).toBe(404);
  await server.post(`${at}/oak/resume?wait=1`, { prompt: 'second' });
  expect((await server.data('/api/llm/sessions')).total).toBe(3);
});

it('a start, a resume and a queued prompt are answered with the unfinished state at the time when the prompt was stored', async () => {
  const reply = { text: 'ok' };
  await using model = await startToolModel(reply, reply, { text: 'slow', ends: false }, reply);
  using home = createHome();
  await using server = await serve(home, [], { env: { OLLAMA_HOST: model.url, OLLM_DEFAULT_PROMPT: 'false' } });
  const at = '/api/llm/providers/ollm/sessions';
  const statusOf = async (path: string, body: object) => {
    const answer = await server.post(`${at}/${path}`, body);
    const { status, transitions, seq } = answer.body.data;
    const { type } = eventsOf(home)[seq]!;
    return [answer.status, status, transitions.at(-1).status, type];
  };
  const ended = async () => until(async () => (await server.data(`${at}/oak`)).status === 'completed');
  const start = { prompt: 'first', answerer: 'ollama', sessionId: 'oak' };
  expect(await statusOf('start', start)).toEqual([202, 'starting', 'starting', 'queue.changed']);
  await ended();
  expect(await statusOf('oak/resume', { prompt: 'second' })).toEqual([202, 'starting', 'starting', 'queue.changed']);
  await ended();
  await server.post(`${at}/oak/resume`, { prompt: 'third' });
  await until(async () => (await server.data(`${at}/oak`)).status === 'running');
  expect(await statusOf('oak/resume', { prompt: 'fourth' })).toEqual([202, 'running', 'running', 'queue.changed']);
  await server.post(`${at}/oak/stop`, {});
  await ended();
});

describe('programs of other vendors', () => {
  const AGENTS = ['qwen', 'claude', 'codex'];
  let runs: RunHome;
  let one: Served;
  let env: Readonly<Record<string, string>>;
  const at = (agent: string) => `/api/llm/providers/${agent}`;
  const patch = (path: string, body: object, server = one) => server.post(path, body, { method: 'PATCH' });
  const start = (agent: string, body: object = {}, query = '?wait=1') =>
    one.post(`${at(agent)}/sessions/start${query}`, { prompt: 'Go', workspacePath: runs.project, ...body });
  const codeOf = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return [status, body.error?.code];
  };

  beforeAll(async () => {
    runs = createRunHome();
    for (const program of ['claude-agent-acp', 'codex-acp']) runs.agentThat('has-choices', program);
    const PATH = runs.agentThat('has-choices');
    runs.trust([runs.project], { server: { workspaces: [runs.project] }, runs: { processes: 2 } });
    env = { PATH, HOME: runs.home.path };
    one = await serve(runs.home, [], { env, cwd: runs.project });
  });
  afterAll(async () => {
    await one?.[Symbol.asyncDispose]();
    runs[Symbol.dispose]();
  });

  it('are listed with their abilities, and with the command that installs a missing one', async () => {
    const { providers } = await one.data('/api/llm/providers');
    for (const agent of AGENTS) {
      expect(providers.find(({ id }: Json) => id === agent)).toMatchObject({
        program: expect.stringContaining(runs.home.path),
        capabilities: { supportsSessionResume: true, supportsRuntimePermissionRequests: true },
      });
    }
    expect(providers.find(({ id }: Json) => id === 'gemini').install).toContain('npm install');
    expect(await one.data(`${at('gemini')}/models`)).toMatchObject({
      models: [],
      unreachable: [{ code: 'AGENT_NOT_INSTALLED' }],
    });
    expect(await codeOf(start('gemini'))).toEqual([503, 'AGENT_NOT_INSTALLED']);
    expect(await codeOf(one.ask(`${at('nobody')}/models`))).toEqual([400, 'UNSUPPORTED_PROVIDER']);
  });

  it.each(AGENTS)('%s is started, changed, resumed, stopped and shown, with the codes of the module', async (agent) => {
    expect((await one.data(`${at(agent)}/models`)).unreachable).toMatchObject([{ code: 'AGENT_NOT_RUN_YET' }]);
    expect(await codeOf(start(agent, { prompt: ' ' }))).toEqual([400, 'PROMPT_REQUIRED']);
    expect(await codeOf(start(agent, { runtimePermissionMode: 'maybe' }))).toEqual([
      ...[400, 'INVALID_RUNTIME_PERMISSION_MODE'],
    ]);
    for (const unattended of [{ runtimePermissionMode: 'allow' }, { allowYolo: true }]) {
      expect(await codeOf(start(agent, unattended))).toEqual([403, 'UNATTENDED_NOT_ALLOWED']);
    }
    expect(await codeOf(start(agent, { imagePaths: ['/no/such.png'] }))).toEqual([400, 'INVALID_IMAGE_PATHS']);
    expect(await codeOf(start(agent, { workspacePath: '/' }))).toEqual([403, 'WORKSPACE_NOT_ALLOWED']);

    const started = await start(agent, { model: 'm-2' });
    const { sessionId, instanceId } = started.body.data;
    expect(started).toMatchObject({ status: 202, body: { data: { provider: agent, status: 'completed' } } });
    const { models } = await one.data(`${at(agent)}/models`);
    expect(models.map(({ value, current }: Json) => [value, current])).toEqual([
      ['m-1', undefined],
      ['m-2', true],
    ]);
    expect(models[1]).toMatchObject({ answerer: agent, supportedThinkingModes: ['low', 'high'] });

    const session = `${at(agent)}/sessions/${encodeURIComponent(sessionId)}`;
    expect((await patch(`${session}/model`, { model: 'm-1' })).body.data).toMatchObject({ sessionId, model: 'm-1' });
    expect(await codeOf(patch(`${session}/model`, {}))).toEqual([400, 'MODEL_REQUIRED']);
    expect(await codeOf(patch(`${session}/model`, { model: 'none' }))).toEqual([404, 'MODEL_NOT_FOUND']);
    expect((await patch(`${session}/thinking`, { thinkingMode: 'high' })).body.data).toMatchObject({
      thinkingMode: 'high',
    });
    expect(await codeOf(patch(`${session}/thinking`, {}))).toEqual([400, 'THINKING_MODE_REQUIRED']);
    expect(await codeOf(patch(`${session}/thinking`, { thinkingMode: 'most' }))).toEqual([
      ...[400, 'THINKING_MODE_NOT_SUPPORTED'],
    ]);

    const resumed = await one.post(`${session}/resume`, { prompt: 'Again' });
    expect(resumed).toMatchObject({ status: 202, body: { data: { status: 'starting', sessionId } } });
    const { transitions } = (await one.post(`${session}/resume?wait=1`, { prompt: 'Once more' })).body.data;
    expect(transitions.map(({ status }: Json) => status)).toEqual(['running', 'completed']);
    expect((await one.post(`${session}/stop`)).body.data).toEqual({ provider: agent, sessionId, stopped: false });
    expect((await one.data(`${at(agent)}/sessions`)).sessions.map((each: Json) => each.sessionId)).toEqual([sessionId]);
    expect(await codeOf(one.ask(`${at(agent)}/sessions/none`))).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(instanceId).toBe((await one.data(session)).instanceId);

    // It is in the routes of all sessions too, once.
    const id = encodeURIComponent(sessionId);
    const { sessions } = await one.data(`/api/llm/sessions?provider=${agent}`);
    expect(sessions).toHaveLength(1);
    await one.post(`/api/llm/sessions/${id}/rename`, { summary: `Run of ${agent}` }, { method: 'PUT' });
    const row = { address: sessionId, locked: true, title: `Run of ${agent}` };
    expect(await one.data(`/api/llm/sessions/${id}`)).toMatchObject(row);
    expect((await one.data(`/api/llm/sessions/${id}/messages`)).messages).toEqual(expect.any(Array));
  });

  it('are limited in number, and a second server shows their sessions without running them', async () => {
    const { text } = await one.ask('/metrics');
    expect(text).toContain('ollm_active_sessions{provider="qwen"} 0');
    // The first was ended for the third. Its snapshot is the same, and it goes on.
    const sessions = AGENTS.map((agent) => `${at(agent)}/sessions/${encodeURIComponent(`${agent}:s-1`)}`);
    const before = await Promise.all(sessions.map((session) => one.data(session)));
    expect(before.map(({ instanceId }) => instanceId === undefined)).toEqual([true, false, false]);
    await using two = await serve(runs.home, [], { env, cwd: runs.project });
    const asked = await Promise.all(sessions.map((session) => two.data(session)));
    const shown = ({ status, startedAt, endedAt, transitions, events }: Json) => ({
      status,
      startedAt,
      endedAt,
      transitions,
      events,
    });
    expect(asked.map(shown)).toEqual(before.map(shown));
    const elsewhere = { status: 409, body: { error: { code: 'NOT_OWNER', details: { address: one.address } } } };
    expect(await two.post(`${sessions[1]}/stop`)).toMatchObject(elsewhere);
    expect((await two.post(`${sessions[0]}/stop`)).body.data.stopped).toBe(false);
  });

  it("take a client's UUID for a new session only from the command of Claude Code, and each once", async () => {
    const sessionId = '5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';
    const missing = await start('claude', { sessionId });
    expect(missing).toMatchObject({ status: 503, body: { error: { code: 'AGENT_NOT_INSTALLED' } } });
    runs.agentThat('none', 'claude');
    const given = await start('claude', { sessionId });
    expect(given.body.data).toMatchObject({ sessionId: `claude:${sessionId}`, status: 'completed' });
    expect((await one.data(`${at('claude')}/sessions/${sessionId}`)).sessionId).toBe(`claude:${sessionId}`);
    // Claude Code has a session that ollm has not seen yet.
    const other = sessionId.replace('5f3c', '5f3d');
    const folder = join(runs.home.path, '.claude', 'projects', '-work');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${other}.jsonl`), '{}\n');
    for (const used of [sessionId, other]) {
      expect(await codeOf(start('claude', { sessionId: used }))).toEqual([409, 'SESSION_EXISTS']);
    }
    for (const bad of ['oak', sessionId.toUpperCase(), `${sessionId}0`, '../oak']) {
      expect([bad, await codeOf(start('claude', { sessionId: bad }))]).toEqual([
        bad,
        [400, 'SESSION_ID_NOT_SUPPORTED'],
      ]);
    }
    expect(await codeOf(start('codex', { sessionId }))).toEqual([400, 'SESSION_ID_NOT_SUPPORTED']);
  });
});

function eventsOf(home: Home): { readonly type: string }[] {
  const text = readFileSync(join(home.path, 'session-data', 'oak.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
