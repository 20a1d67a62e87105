// Where a question has few hits, the passages that recall ranks follow, as far as the search asks for their sessions.
import { hideSession } from '../../lib/app/list/foreign-notes.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import type { SearchRequest } from '../../lib/catalog/search-request.ts';
import { said } from '../session/world.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { type HubWorld, hubWorld, type Variables } from './world.ts';

let hub: HubWorld;
let server: EmbeddingServer;
beforeAll(async () => {
  server = await startEmbeddingServer({ meanings: { boat: 'vessel', ship: 'vessel', quick: 'fast', swift: 'fast' } });
  hub = hubWorld();
  await hub.make('oak', ['The lighthouse keeper paints the railing', said('assistant', 'It has a layer of varnish.')]);
  await hub.make('elm', ['A swift ship crosses the strait.']);
});
afterAll(async () => {
  hub.remove();
  await server[Symbol.asyncDispose]();
});

const QUESTION = 'who repaired lanterns when our lighthouse keeper resigned?';
const vectors = (): Variables => ({ OLLAMA_HOST: server.url, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' });
const ask = (request: SearchRequest, env: Variables = {}) =>
  hub.withApp(async (app) => (await searchSessions(app, request)).hits, env);
const shown = async (request: SearchRequest, env?: Variables) =>
  (await ask(request, env)).map(({ address, isNear }) => `${address}${isNear ? ' near' : ''}`);

describe('a long question', () => {
  it('finds a passage with few of its words, marked as near, with the words around', async () => {
    const [hit, ...others] = await ask({ text: QUESTION });
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ address: 'ollm:oak#1', isNear: true, role: 'user', why: 'text', kind: 'text' });
    expect(hit?.excerpt.marks).toHaveLength(2);
  });

  it.each<[string, SearchRequest]>([
    ['--exact', { text: QUESTION, isExact: true }],
    ['a different role', { text: QUESTION, role: 'assistant' }],
    ['a different program', { text: `${QUESTION} agent:claude` }],
    ['a later time', { text: QUESTION, sinceMs: Date.now() + 1_000_000 }],
    ['a different directory', { text: QUESTION, project: '/home/ada/elm' }],
    ['a word that must not be there', { text: `${QUESTION} -railing` }],
    ['a hidden session', { text: QUESTION, without: new Set(['ollm:oak']) }],
  ])('finds no passage with %s', async (_, request) => {
    if (request.without !== undefined) await hub.withApp((app) => hideSession(app, 'ollm:oak', true));
    expect(await shown(request)).toEqual([]);
  });
});

describe('a search with a model for embeddings', () => {
  it('finds a different word of the same meaning', async () => {
    await hub.withApp((app) => hideSession(app, 'ollm:oak', false));
    expect(await shown({ text: 'quick boat' })).toEqual([]);
    // The first one only has the passages made into vectors.
    await ask({ text: 'quick boat' }, vectors());
    expect((await shown({ text: 'quick boat' }, vectors()))[0]).toBe('ollm:elm#1 near');
  });
});
