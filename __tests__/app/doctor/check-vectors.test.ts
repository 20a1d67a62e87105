import { checkVectors } from '../../../lib/app/doctor/check-vectors.ts';
import { recall } from '../../../lib/app/recall/recall.ts';
import { type HubWorld, hubWorld, type Variables } from '../../hub/world.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../support/embedding-server.ts';
import { deadUrl } from '../../support/fault-server.ts';

let hub: HubWorld;
let server: EmbeddingServer;
beforeEach(async () => {
  hub = hubWorld();
  server = await startEmbeddingServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  hub.remove();
});

const found = (env: Variables) => hub.withApp(checkVectors, env);

describe('the check of embeddings', () => {
  it('runs only if a model is configured', async () => {
    expect(await found({ OLLAMA_HOST: server.url })).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  it('reports the model that answers, and the number of passages with vectors', async () => {
    const env = { OLLAMA_HOST: server.url, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' };
    await hub.make('oak', ['The gudgeon is bronze, and so is the pintle.']);
    await hub.withApp((app) => recall(app, { text: 'gudgeon', scope: { kind: 'session' } }), env);
    expect(await found(env)).toEqual({ status: 'ok', text: 'ollama hash answers; vectors of 1 of 1 passage' });
    expect(server.texts.at(-1)).toBe('doctor');
  });

  it('warns if none answers, with a hint', async () => {
    const env = { OLLAMA_HOST: await deadUrl(), OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' };
    expect(await found(env)).toMatchObject({
      status: 'warn',
      text: expect.stringMatching(/Start it with "ollama serve", or set OLLAMA_HOST to where it runs\.$/),
    });
  });
});
