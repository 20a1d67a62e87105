import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConversationRAG,
  type ConversationRAGSettings,
  createConversationRAG,
  type RagItem,
} from '../../lib/library/conversation-rag.ts';
import { createOllamaProvider } from '../../lib/providers/ollama/index.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { deadUrl } from '../support/fault-server.ts';
import { createTree } from '../support/tree.ts';

const message = (key: string, text: string, more: object = {}): RagItem => ({
  kind: 'message',
  session: 'harbour',
  key,
  text,
  ...more,
});
const file = (path: string, text: string): RagItem => ({ kind: 'file', project: '/home/ada/harbour', path, text });
const placesFor = async (rag: ConversationRAG, query: string) =>
  (await rag.retrieve(query)).map(({ place }) => place).sort();

describe('ConversationRAG', () => {
  it('finds indexed messages without waiting for them, with place, score and rank', async () => {
    const rag = createConversationRAG();
    rag.index(message('7', 'The server listens on 8471, as harbour.toml says.'));
    rag.index(file('docs/locks.md', '# Locks\n\nEach writer releases its lock at the end.\n'));
    expect(await rag.retrieve('which port does the server listen on?', 1)).toMatchObject([
      {
        place: 'harbour#7',
        kind: 'session',
        ranks: { words: 1 },
        score: expect.any(Number),
        words: ['server', 'listen'],
      },
    ]);
    expect(await placesFor(rag, 'locks')).toEqual(['docs/locks.md:1']);
    await rag.close();
  });

  it('replaces messages that are indexed again', async () => {
    const rag = createConversationRAG();
    for (const text of ['The anchor is of iron.', 'The anchor is of bronze, since last week.']) {
      rag.index(message('7', text));
      rag.index(file('a.md', text));
    }
    expect((await rag.retrieve('anchor')).map(({ text }) => text)).toEqual([
      'The anchor is of bronze, since last week.',
    ]);
    expect(await rag.retrieve('iron')).toEqual([]);
    await rag.close();
  });

  it('searches only files or conversations, and one directory, on request', async () => {
    const rag = createConversationRAG();
    rag.index(message('1', 'The anchor is of iron, said the captain.', { project: '/home/ada/other' }));
    rag.index(file('a.md', 'The anchor is of bronze.'));
    const found = async (scope: object) => (await rag.retrieve('anchor', 8, { scope })).map(({ place }) => place);
    expect(await found({ kind: 'file' })).toEqual(['a.md:1']);
    expect(await found({ kind: 'session' })).toEqual(['harbour#1']);
    expect(await found({ project: '/home/ada/other' })).toEqual(['harbour#1']);
    await rag.close();
  });

  it('stores its index in a file that only its user can read, and refuses a file of a different kind', async () => {
    using tree = createTree({ 'other.sqlite': 'not a database at all '.repeat(100) });
    const path = join(tree.root, 'rag.sqlite');
    const first = createConversationRAG({ file: path });
    await first.index(message('1', 'The anchor is of iron, said the captain.'));
    await first.close();
    expect(statSync(path).mode & 0o077).toBe(0);
    const second = createConversationRAG({ file: path });
    expect(await placesFor(second, 'anchor')).toEqual(['harbour#1']);
    await second.close();
    const before = readFileSync(join(tree.root, 'other.sqlite'));
    const wrong = createConversationRAG({ file: join(tree.root, 'other.sqlite') });
    await expect(wrong.retrieve('anchor')).rejects.toThrow();
    expect(readFileSync(join(tree.root, 'other.sqlite'))).toEqual(before);
    writeFileSync(path, '');
    await expect(createConversationRAG({ file: path }).retrieve('anchor')).resolves.toEqual([]);
  });

  it('refuses to work after it was closed, and closes once', async () => {
    const rag = createConversationRAG();
    await rag.close();
    await rag.close();
    await expect(rag.retrieve('x')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(rag.index(message('1', 'x'))).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('accepts a hundred thousand characters, control characters and an empty text', async () => {
    const rag = createConversationRAG();
    for (const text of ['x '.repeat(50_000), '\u0000\u001b[31manchor\u001b[0m\ud800', ''])
      rag.index(message(text.slice(0, 3), text));
    expect(await rag.retrieve('anchor')).toHaveLength(1);
    await rag.close();
  });
});

describe('ConversationRAG with a model for embeddings', () => {
  let server: EmbeddingServer;
  const notes: string[] = [];
  beforeEach(async () => {
    notes.splice(0);
    server = await startEmbeddingServer({ meanings: { boat: 'vessel', ship: 'vessel', quick: 'fast', swift: 'fast' } });
  });
  afterEach(async () => server[Symbol.asyncDispose]());

  const ragWith = (host: string, more: ConversationRAGSettings = {}) =>
    createConversationRAG({
      embeddings: { provider: createOllamaProvider({ host }), model: 'hash' },
      onNote: (note) => notes.push(note),
      ...more,
    });

  it('finds texts without a common word, and returns both ranks', async () => {
    const rag = ragWith(server.url);
    rag.index(message('1', 'A swift ship crosses.'));
    rag.index(file('b.md', 'Bread is baked of flour.'));
    rag.index(file('c.md', 'Quick is relative.'));
    const found = await rag.retrieve('quick boat');
    expect(found.map(({ place, ranks }) => ({ place, ...ranks }))).toEqual([
      { place: 'c.md:1', words: 1, meaning: 2 },
      { place: 'harbour#1', meaning: 1 },
      { place: 'b.md:1', meaning: 3 },
    ]);
    expect(notes).toEqual(['ollama hash makes vectors of 3 passages: the text is sent to it.']);
    await rag.close();
  });

  it('searches only the scope, and sends no text from outside it', async () => {
    const rag = ragWith(server.url);
    rag.index(message('1', 'A swift ship crosses.', { project: '/home/ada/other' }));
    rag.index(file('b.md', 'A ship of bread.'));
    const found = await rag.retrieve('boat', 8, { scope: { kind: 'file' } });
    expect(found.map(({ place }) => place)).toEqual(['b.md:1']);
    expect(server.texts.join('\n')).not.toContain('crosses');
    await rag.close();
  });

  it('stores vectors in its file, and makes only those of new texts', async () => {
    using tree = createTree();
    const path = join(tree.root, 'rag.sqlite');
    const first = ragWith(server.url, { file: path });
    first.index(message('1', 'A swift ship crosses.'));
    await first.retrieve('boat');
    await first.close();
    const before = server.texts.length;
    const second = ragWith(server.url, { file: path });
    second.index(message('2', 'A boat is at anchor.'));
    expect((await second.retrieve('vessel boat')).map(({ place }) => place)).toEqual(['harbour#2', 'harbour#1']);
    expect(server.texts.slice(before).sort()).toEqual(['A boat is at anchor.', 'vessel boat']);
    await second.close();
  });

  it('finds only by words if the model cannot be asked, and says why', async () => {
    const rag = ragWith(await deadUrl());
    rag.index(message('1', 'A swift ship crosses.'));
    rag.index(message('2', 'A quick boat is at anchor.'));
    expect((await rag.retrieve('boat')).map(({ place, ranks }) => ({ place, ranks }))).toEqual([
      { place: 'harbour#2', ranks: { words: 1 } },
    ]);
    expect(notes).toEqual([expect.stringMatching(/^Passages are found by their words alone: /)]);
    await rag.close();
  });

  it('ends with the signal of the question, and continues with the next one', async () => {
    const rag = ragWith(server.url);
    rag.index(message('1', 'A swift ship crosses.'));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(rag.retrieve('boat', 8, { signal })).rejects.toThrow('enough');
    expect((await rag.retrieve('boat')).map(({ place }) => place)).toEqual(['harbour#1']);
    await rag.close();
  });

  it('refuses a provider without embeddings', () => {
    const { embed, ...provider } = createOllamaProvider({ host: server.url });
    expect(() => createConversationRAG({ embeddings: { provider, model: 'hash' } })).toThrow('makes no vectors');
    expect(embed).toBeDefined();
  });
});
