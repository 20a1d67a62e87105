// What a first turn needs can be loaded before there is one: no server hears of it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../lib/app/compose.ts';
import { loadForTurn } from '../../../lib/app/turn/load-for-turn.ts';
import { memoryFileSystem, silentLog } from '../../../lib/platform/index.ts';

const MODELS = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-5', gemini: 'gemini-2.5-pro', ollama: 'llama3.2' };

describe('loading the code of a turn', () => {
  let server: Server;
  let requests: number;

  beforeEach(async () => {
    requests = 0;
    server = createServer((_, response) => {
      requests += 1;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  it.each(Object.entries(MODELS))('succeeds for %s without a request to its server', async (name, model) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const variable = name.toUpperCase();
    const env = {
      ...{ HOME: '/home/me', OLLM_HOME: '/home/me/.ollm', OLLAMA_HOST: url },
      ...{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
      ...(name === 'ollama' ? {} : { [`OLLM_PROVIDERS__${variable}__BASE_URL`]: `${url}/v1` }),
    };
    const parts = { fileSystem: memoryFileSystem(), log: silentLog };
    const app = await createApp({ env, cwd: '/', command: 'test', parts });
    const provider = await app.providers.load(name);
    expect(provider.load).toBeDefined();
    await provider.load!(model);
    await loadForTurn({ choice: { provider, model, contextWindow: undefined, why: '' } });
    expect(requests).toBe(0);
    await app.close();
  });
});
