// Embeddings from a server, in both protocols: valid answers and invalid ones.
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { compatible } from '../../../lib/providers/compatible/vendor.ts';
import { createOllamaProvider } from '../../../lib/providers/ollama/index.ts';
import { responses } from '../../../lib/providers/openai/vendor.ts';
import type { Provider } from '../../../lib/providers/provider.ts';
import { startEmbeddingServer, vectorOf } from '../../support/embedding-server.ts';
import { startFaultServer } from '../../support/fault-server.ts';

const key = { fromVariable: () => 'sk-test-key' };
const openAi = (url: string) => createAiSdkProvider(responses(`${url}/v1`, key), { timeoutSeconds: 5 });
const box = (url: string) =>
  createAiSdkProvider(compatible({ name: 'box', baseUrl: `${url}/v1`, setting: 'x', key }), { timeoutSeconds: 5 });
const ollama = (url: string) => createOllamaProvider({ host: url, timeoutSeconds: 5 });

const makers: readonly (readonly [string, (url: string) => Provider])[] = [
  ['ollama', ollama],
  ['openai', openAi],
  ['a compatible server', box],
];
const texts = ['a keel', 'a mast', ''];
const embed = (provider: Provider, signal = new AbortController().signal) =>
  provider.embed!({ model: 'hash', texts }, { signal });

describe.each(makers)('%s', (_, make) => {
  it('gives a vector for each text, in their order', async () => {
    await using server = await startEmbeddingServer();
    const vectors = await embed(make(server.url));
    expect(vectors.map((vector) => [...vector])).toEqual(texts.map((text) => vectorOf(text)));
    expect(server.requests).toMatchObject([{ model: 'hash', texts }]);
  });

  it('rejects an answer with too few vectors, with some of a different length, or with a value that is not a number', async () => {
    for (const vectors of [
      [[1, 2]],
      [[1, 2], [1], [1, 2]],
      [[1], [2], ['x']],
      [[], [], []],
      [[1], [2], [1e300]],
      'none',
    ]) {
      const data = Array.isArray(vectors) ? vectors.map((embedding, index) => ({ index, embedding })) : vectors;
      const answer = (body: unknown) => ({ type: 'application/json', steps: [JSON.stringify(body)] });
      await using server = await startFaultServer({
        '/api/embed': answer({ embeddings: vectors }),
        '/v1/embeddings': answer({ data }),
      });
      await expect(embed(make(server.url))).rejects.toMatchObject({ code: 'PROVIDER_BROKEN_STREAM' });
    }
  });

  it('reports that the model is missing, that the server is overloaded, and stops on request', async () => {
    await using server = await startEmbeddingServer();
    const signal = new AbortController().signal;
    const provider = make(server.url);
    await expect(provider.embed!({ model: 'missing', texts }, { signal })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
    });
    server.now.status = 503;
    await expect(embed(provider)).rejects.toMatchObject({ data: { retryable: true } });
    server.now.status = 200;
    server.now.answers = 0;
    const stop = new AbortController();
    const asked = embed(provider, stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
