import type { Program } from './program.ts';

export const pi: Program = {
  agent: 'pi',
  model: 'local-1',
  files: (url) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        local: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: 'none',
          models: [
            {
              ...{ id: 'local-1', name: 'local-1', reasoning: false, input: ['text'] },
              ...{ contextWindow: 100_000, maxTokens: 4096 },
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            },
          ],
        },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
  idMember: 'id',
  call: (command) => ({ name: 'bash', args: { command } }),
  turn: (prompt, id) => [
    ...['--provider', 'local', '--model', 'local-1', '--mode', 'json'],
    ...(id === undefined ? [] : ['--session', id]),
    ...['-p', prompt],
  ],
};
