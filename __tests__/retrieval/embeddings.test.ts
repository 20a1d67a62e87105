// Passages that are found by their meaning: with a real server of embeddings, the texts that are sent to it and those
// that are not, the state after a restart, and the search by words if it fails.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../lib/app/app.ts';
import { hideSession } from '../../lib/app/list/foreign-notes.ts';
import { type RecallAnswer, type RecallRequest, recall } from '../../lib/app/recall/recall.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { PASSAGES_NAME } from '../../lib/retrieval/schema.ts';
import { type HubWorld, hubWorld, type Variables } from '../hub/world.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { deadUrl } from '../support/fault-server.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { until } from '../support/until.ts';

const meanings = { boat: 'vessel', ship: 'vessel', quick: 'fast', swift: 'fast' };

let hub: HubWorld;
let tree: Tree;
let server: EmbeddingServer;
beforeEach(async () => {
  hub = hubWorld();
  tree = createTree();
  server = await startEmbeddingServer({ meanings, refuses: 'unspeakable' });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  tree[Symbol.dispose]();
  hub.remove();
});

const ollama = (model = 'hash'): Variables => ({ OLLAMA_HOST: server.url, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: model });
const asking = (app: App, request: string | RecallRequest): Promise<RecallAnswer> =>
  recall(app, typeof request === 'string' ? { text: request, scope: { project: tree.root } } : request);
const withApp = <Result>(use: (app: App) => Promise<Result>, env: Variables = ollama()): Promise<Result> =>
  hub.withApp((app) => use({ ...app, paths: { ...app.paths, project: tree.root } }), env);
const ask = (request: string | RecallRequest, env?: Variables): Promise<RecallAnswer> =>
  withApp((app) => asking(app, request), env);
const places = ({ passages }: RecallAnswer) => passages.map(({ place }) => place);

function opened<Result>(use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(hub.home, PASSAGES_NAME));
  try {
    return use(database);
  } finally {
    database.close();
  }
}
const countOf = (what: string) =>
  Number(opened((database) => database.prepare(`SELECT count(*) AS n FROM ${what}`).get())?.n);

describe('recall with a model for embeddings', () => {
  it('finds a passage without a common word, and returns both ranks', async () => {
    tree.write({ 'a.md': 'A swift ship crosses.', 'b.md': 'Bread is baked of flour.', 'c.md': 'Quick is relative.' });
    const { passages } = await ask('quick boat');
    const of = (wanted: string) => passages.find(({ place }) => place === wanted);
    expect(of('a.md:1')).toMatchObject({ words: [] });
    expect([of('a.md:1')?.ranks, of('b.md:1')?.ranks, of('c.md:1')?.ranks]).toEqual([
      { meaning: 1 },
      { meaning: 3 },
      { words: 1, meaning: 2 },
    ]);
    expect(passages.map(({ place }) => place)).toEqual(['c.md:1', 'a.md:1', 'b.md:1']);
    expect(places(await ask('quick boat', {}))).toEqual(['c.md:1']);
  });

  it('uses the protocol of OpenAI with a key, and reports once which texts are sent to which server', async () => {
    tree.write({ 'a.md': 'A swift ship crosses.', 'b.md': 'Bread is baked of flour.' });
    const env = {
      OLLM_RETRIEVAL__EMBEDDINGS__PROVIDER: 'openai',
      OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'small',
      OLLM_PROVIDERS__OPENAI__BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: 'sk-test-key',
    };
    const first = await ask('quick boat', env);
    expect(places(first)[0]).toBe('a.md:1');
    expect(first.notes).toEqual(['openai small makes vectors of 2 passages: the text is sent to it.']);
    expect((await ask('quick boat', env)).notes).toEqual([]);
    expect(new Set(server.requests.map(({ path, key, model }) => `${path} ${key} ${model}`))).toEqual(
      new Set(['/v1/embeddings Bearer sk-test-key small']),
    );
  });

  it('sends each passage once, later only changed ones, and nothing if no model is configured', async () => {
    tree.write({ 'a.md': 'A swift ship crosses.', 'b.md': 'Bread is baked of flour.' });
    await ask('quick boat', { OLLAMA_HOST: server.url });
    expect(server.requests).toEqual([]);
    await ask('quick boat');
    expect([...server.texts].sort()).toEqual([
      'a.md\n\nA swift ship crosses.',
      'b.md\n\nBread is baked of flour.',
      'quick boat',
    ]);
    tree.write({ 'b.md': 'Bread is baked of rye, and slowly.' });
    await ask('quick boat');
    expect([...server.texts].slice(3).sort()).toEqual(['b.md\n\nBread is baked of rye, and slowly.', 'quick boat']);
    expect(countOf('vectors')).toBe(2);
  });

  it('sends no secret, no file that a rule hides or asks about, and nothing of other projects', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    using other = createTree({ 'other.md': 'A garboard of another project.' });
    tree.write({
      'a.md': `The anchor token is ${token}.`,
      'secret/b.md': 'A keel that models may not see.',
      'asked/c.md': 'A mast that models have to ask about.',
    });
    await hub.make('elm', ['The gudgeon of a session about another directory.']);
    const said = ['As secret/b.md has it, the capstan turns left.', 'The windlass turns right, as in docs/c.md.'];
    await hub.make('fir', said, {}, { cwd: tree.root });
    await ask({ text: 'garboard', scope: { project: other.root } }, {});
    const policy = { OLLM_TOOLS__DENY: 'file_read(secret/**)', OLLM_TOOLS__ASK: 'file_read(asked/**)' };
    await ask(`keel mast anchor ${token}`, { ...ollama(), ...policy });
    expect(server.texts.join('\n')).toContain('The anchor token is [redacted');
    expect(server.texts.join('\n')).not.toMatch(/ghp_|models may not see|ask about|garboard of|gudgeon of|capstan/);
    expect(server.texts.join('\n')).toContain('The windlass turns right');
  });

  it('sends nothing of a session that the user has hidden', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and so is the pintle.']);
    await hub.make('elm', ['The garboard is the strake beside the keel.']);
    const { passages } = await withApp(async (app) => {
      await hideSession(app, 'ollm:oak', true);
      return asking(app, { text: 'gudgeon of the strake' });
    });
    expect(passages.map(({ text }) => text)).toEqual(['The garboard is the strake beside the keel.']);
    expect(server.texts.join('\n')).not.toContain('pintle');
  });

  it('creates the vectors again for a different model, and never compares those of two', async () => {
    tree.write({ 'a.md': 'A swift ship crosses.', 'b.md': 'Bread is baked of flour.' });
    await ask('quick boat');
    const before = server.requests.length;
    expect(places(await ask('quick boat', ollama('other')))[0]).toBe('a.md:1');
    expect(server.requests.slice(before).every(({ model }) => model === 'other')).toBe(true);
    expect(opened((database) => database.prepare('SELECT model FROM embedding').all())).toEqual([
      { model: 'ollama other' },
    ]);
    server.now.dimensions = 64;
    expect(places(await ask('quick boat', ollama('other')))[0]).toBe('a.md:1');
    expect(opened((database) => database.prepare('SELECT DISTINCT length(vector) AS n FROM vectors').all())).toEqual([
      { n: 256 },
    ]);
  });

  it('keeps no vector of purged text', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and so is the pintle.']);
    await hub.make('elm', ['The garboard is the strake beside the keel.']);
    await ask({ text: 'gudgeon' });
    expect(countOf('vectors')).toBe(2);
    await hub.withApp((app) => deleteSession(app, 'oak', { purge: true }));
    expect(countOf('vectors')).toBe(1);
    expect(countOf('vectors WHERE passage NOT IN (SELECT id FROM passages)')).toBe(0);
  });

  it('stores vectors of a batch except for a text that the model refuses, which is not sent again', async () => {
    const files = Array.from({ length: 9 }, (_, index) => [`f${index}.md`, `The number ${index} of some passages.`]);
    tree.write({ ...Object.fromEntries(files), 'bad.md': 'This is unspeakable for the model.' });
    const { notes } = await ask('number');
    expect(notes).toEqual(['ollama hash makes vectors of 10 passages: the text is sent to it.']);
    expect([countOf('vectors'), countOf('vectors WHERE vector IS NULL')]).toEqual([10, 1]);
    const before = server.requests.length;
    await ask('number');
    expect(server.texts.filter((text) => text.includes('unspeakable')).length).toBeGreaterThan(0);
    expect(server.requests.slice(before).flatMap(({ texts }) => texts)).toEqual(['number']);
  });
});

describe('recall with a model that fails', () => {
  const text = 'Bread is baked of flour.';

  it('finds only by words and says why, if the server is away or broken, or lacks the model', async () => {
    tree.write({ 'b.md': text });
    const gone = { ...ollama(), OLLAMA_HOST: await deadUrl() };
    for (const [env, why] of [
      [gone, /^Passages are found by their words alone: Ollama does not answer at http:/],
      [
        ollama('missing'),
        /^Passages are found by their words alone: .* has no model "missing"\. Get it with "ollama pull missing"/,
      ],
      [{ ...ollama(), OLLM_RETRIEVAL__EMBEDDINGS__PROVIDER: 'offline' }, /The provider offline makes no vectors\.$/],
      [{ ...ollama(), OLLM_RETRIEVAL__EMBEDDINGS__PROVIDER: 'nowhere' }, /There is no provider "nowhere"\./],
    ] as const) {
      const answer = await ask('flour bread', env);
      expect(places(answer)).toEqual(['b.md:1']);
      expect(answer.passages[0]?.ranks).toEqual({ words: 1 });
      expect(answer.notes).toEqual([expect.stringMatching(why)]);
    }
  });

  it('sends it no request for a while, and continues where it was', async () => {
    const files = Array.from({ length: 80 }, (_, index) => [`f${index}.md`, `The number ${index} of some passages.`]);
    tree.write(Object.fromEntries(files));
    await withApp(async (app) => {
      server.now.status = 400;
      expect((await asking(app, 'number')).notes).toHaveLength(1);
      const { length } = server.requests;
      server.now.status = 200;
      expect((await asking(app, 'number')).notes).toHaveLength(1);
      expect(server.requests).toHaveLength(length);
    });
    await ask('number');
    expect(countOf('vectors')).toBe(80);
  });

  it('waits for a vector at most for its limit of time', async () => {
    tree.write({ 'b.md': text });
    server.now.answers = 0;
    await withApp(async (app) => {
      const request = { text: 'flour', scope: { project: tree.root } };
      const { passages, notes } = await recall(app, request, { vectorMs: 50, waitMs: 0 });
      expect(passages).toHaveLength(1);
      expect(notes).toEqual(['Passages are found by their words alone: ollama hash said nothing for 0.05 seconds.']);
    });
  });

  it('stops with the app in the middle, and the next one continues with the rest', async () => {
    const files = Array.from({ length: 100 }, (_, index) => [`f${index}.md`, `The number ${index} of some passages.`]);
    tree.write(Object.fromEntries(files));
    await withApp(async (app) => {
      // The question, and the first lot.
      server.now.answers = 2;
      await recall(app, { text: 'number', scope: { project: tree.root } }, { waitMs: 0 });
      await until(() => server.requests.length === 3);
    });
    expect(countOf('vectors')).toBe(32);
    server.now.answers = Number.POSITIVE_INFINITY;
    const before = server.texts.length;
    await ask('number');
    expect(countOf('vectors')).toBe(100);
    expect(server.texts.slice(before).filter((each) => each.startsWith('f'))).toHaveLength(68);
  });
});
