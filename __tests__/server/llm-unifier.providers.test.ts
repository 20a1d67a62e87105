// The providers of the LLM module, with a model behind a real HTTP server: what answers, its models and their modes of
// thinking, and a choice of both for a session.
import { startToolModel } from '../repl/tool-model.ts';
import { createHome } from '../support/cli.ts';
import { serve } from '../support/served.ts';

it('lists what answers and its models, and sets model and thinking for the turns after it', async () => {
  await using model = await startToolModel({ text: 'ok' });
  using home = createHome();
  await using server = await serve(home, [], { env: { OLLAMA_HOST: model.url, OLLM_DEFAULT_PROMPT: 'false' } });
  const at = '/api/llm/providers/ollm';
  expect((await server.data('/api/llm/providers')).providers).toMatchObject([
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
