// The providers of the LLM module, with a model behind a real HTTP server: what answers, its models and their modes of
// thinking, and a choice of both for a session.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startToolModel } from '../repl/tool-model.ts';
import { createHome, type Home } from '../support/cli.ts';
import { serve } from '../support/served.ts';
import { until } from '../support/until.ts';

it('lists what answers and its models, and sets model and thinking for the turns after it', async () => {
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

it('begins a session under the id that the client gives it, once', async () => {
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

it('answers a start, a resume and a prompt that waits with a state that is not final, as it was when the prompt was stored', async () => {
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

function eventsOf(home: Home): { readonly type: string }[] {
  const text = readFileSync(join(home.path, 'session-data', 'oak.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
