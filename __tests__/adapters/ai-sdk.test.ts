// Conversations of the AI SDK by their contract, in a directory: the events of their messages, and the conversation
// that ollm sees in them. ai-sdk-real.test.ts holds them against the package itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { aiSdkModelMessages, aiSdkUiMessages } from '../../lib/adapters/ai-sdk.ts';
import { createRedactor, openFileStore, openMemoryStore, openSession, runTurn } from '../../lib/index.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { eventsOf } from '../session/world.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree, type Tree } from '../support/tree.ts';

const SIGNED = { anthropic: { signature: 'c2lnbmVk' } };
const PNG = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\nharbour', 'latin1').toString('base64')}`;
const QUESTION = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'When does the ferry leave?' }] };
const ANSWER = {
  id: 'a1',
  role: 'assistant',
  metadata: { model: 'gpt-5' },
  parts: [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Ferries.', state: 'done', providerMetadata: SIGNED },
    {
      ...{ type: 'tool-times', toolCallId: 'c1', state: 'output-available', input: { line: 7 } },
      output: { at: 'nine' },
    },
    { type: 'step-start' },
    { type: 'text', text: 'It leaves at nine.', state: 'done' },
    { type: 'data-map', id: 'd1', data: { x: 1 } },
    { type: 'source-url', sourceId: 's1', url: 'https://example.org' },
  ],
};
const PICTURE = { id: 'u2', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: PNG }] };
const STEPS = [
  { role: 'user', content: 'When does the ferry leave?' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Ferries.', providerOptions: SIGNED },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'times', input: { line: 7 } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'times', output: { type: 'json', value: { at: 'nine' } } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It leaves at nine.' }] },
  { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]) }] },
];

let tree: Tree;
let store: JournalStore;
const chat = () => aiSdkUiMessages({ store, id: 'ferry' });
const history = () => aiSdkModelMessages({ store, id: 'ferry', model: 'm-1', provider: 'anthropic' });
const typesNow = async () => (await eventsOf(store, 'ferry')).map(({ type }) => type);
const journal = () => readFileSync(join(tree.root, 'sessions', 'ferry.jsonl'), 'utf8');

beforeEach(() => {
  tree = createTree();
  store = openFileStore(join(tree.root, 'sessions'));
});
afterEach(() => tree[Symbol.dispose]());

it('UI messages of a page are returned unchanged, and ollm has their texts, calls, results and files', async () => {
  await using written = chat();
  expect(await written.load()).toEqual([]);
  await written.save([QUESTION, ANSWER, PICTURE]);
  await written.close();
  await using read = chat();
  expect(await read.load()).toEqual([QUESTION, ANSWER, PICTURE]);
  const events = (await eventsOf(store, 'ferry')).filter(({ type }) => /^(message|tool)\./.test(type));
  expect(events.map(({ type, data }) => [type, data])).toMatchObject([
    ['message.added', { role: 'user', parts: [{ text: 'When does the ferry leave?' }], trusted: true }],
    ['message.added', { role: 'assistant', parts: [{ type: 'reasoning', text: 'Ferries.' }], trusted: false }],
    ['tool.requested', { callId: 'c1', name: 'times', args: { line: 7 } }],
    ['tool.finished', { callId: 'c1', status: 'ok', result: { llmContent: '{"at":"nine"}' } }],
    ['message.added', { role: 'assistant', parts: [{ text: 'It leaves at nine.' }] }],
    ['message.added', { role: 'user', parts: [{ type: 'image', mediaType: 'image/png' }] }],
  ]);
});

it('messages of a model are returned unchanged, with bytes and signatures', async () => {
  await using written = history();
  await written.append(STEPS[0]!);
  await written.append(STEPS.slice(1));
  await using read = history();
  expect(await read.load()).toEqual(STEPS);
  expect(await typesNow()).toEqual(expect.arrayContaining(['message.added', 'tool.requested', 'tool.finished']));
});

it('messages of a result are added with its usage', async () => {
  await using written = history();
  await written.append(STEPS[0]!);
  const usage = { inputTokens: 12, outputTokens: 5 };
  const response = { modelId: 'm-1', messages: STEPS.slice(1, 4) };
  await written.append({ finishReason: 'stop', usage, response });
  expect(await written.load()).toEqual(STEPS.slice(0, 4));
  const [reported] = (await eventsOf(store, 'ferry')).filter(({ type }) => type === 'usage.reported');
  expect(reported?.data).toMatchObject({ ...usage, model: 'm-1', provider: 'anthropic' });
});

it('a save stores only new messages, and a repeated answer as a move back', async () => {
  await using written = chat();
  await written.save([QUESTION]);
  await written.save([QUESTION, ANSWER]);
  await written.save([QUESTION, ANSWER]);
  const before = await typesNow();
  expect(before.filter((type) => type === 'message.added')).toHaveLength(3);
  const again = { ...ANSWER, id: 'a2', parts: [{ type: 'text', text: 'At ten.' }] };
  await written.save([QUESTION, again]);
  expect((await typesNow()).slice(before.length)).toEqual(['branch.moved', 'message.added']);
  expect(await written.load()).toEqual([QUESTION, again]);
  await written.save([]);
  expect(await written.load()).toEqual([]);
  expect(journal()).toContain('It leaves at nine.');
});

it('the messages are those of the last save, after any sequence of saves', async () => {
  const part = fc.oneof(
    fc.string().map((text) => ({ type: 'text', text })),
    fc.string().map((text) => ({ type: 'reasoning', text, providerMetadata: SIGNED })),
    fc.constantFrom('c1', 'c2').map((toolCallId) => ({
      ...{ type: 'tool-f', toolCallId, state: 'output-available', input: {}, output: 'done' },
    })),
    fc.record({ type: fc.constant('of tomorrow'), data: fc.jsonValue({ maxDepth: 2 }) }),
  );
  const message = fc.record({
    ...{ id: fc.constantFrom('1', '2'), role: fc.constantFrom('user', 'assistant', 'of tomorrow') },
    parts: fc.array(part, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(message, { maxLength: 4 }), { maxLength: 5 }), async (saves) => {
      const inMemory = openMemoryStore();
      const wanted = (messages: unknown) => JSON.parse(JSON.stringify(messages)) as unknown;
      await using written = aiSdkUiMessages({ store: inMemory, id: 'any' });
      for (const messages of saves) {
        await written.save(messages);
        expect(wanted(await aiSdkUiMessages({ store: inMemory, id: 'any' }).load())).toEqual(wanted(messages));
      }
    }),
    { numRuns: 100 },
  );
});

it('a conversation continues after messages of ollm, in each form', async () => {
  await using written = chat();
  await written.save([QUESTION, ANSWER]);
  await written.close();
  const provider = scriptedProvider(() => says('And back ', 'at ten.'));
  const inOllm = await openSession(store, 'ferry');
  await lastValueFrom(runTurn(inOllm, 'And back?', { provider, store, model: 'm-1' }).pipe(toArray()));
  await inOllm.close('exit');
  expect(JSON.stringify(provider.requests[0]?.messages)).toContain('It leaves at nine.');
  const loaded = await written.load();
  expect(loaded).toMatchObject([
    QUESTION,
    ANSWER,
    { role: 'user', parts: [{ type: 'text', text: 'And back?' }] },
    { role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: 'And back at ten.' }] },
  ]);
  // They are known by their ids from now on, and stored again by no save.
  const before = (await typesNow()).length;
  await written.save(loaded);
  expect((await typesNow()).slice(before).filter((type) => type === 'message.added')).toEqual([]);
  expect(await history().load()).toMatchObject([
    { role: 'user', content: 'When does the ferry leave?' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'times', input: { line: 7 } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', output: { type: 'text' } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'It leaves at nine.' }] },
    { role: 'user', content: 'And back?' },
    { role: 'assistant', content: [{ type: 'text', text: 'And back at ten.' }] },
  ]);
});

it('an append waits for a different writer that releases the session a moment after its last message', async () => {
  await using one = chat();
  await using other = chat();
  await one.save([QUESTION]);
  await other.save([QUESTION, ANSWER]);
  expect(await one.load()).toEqual([QUESTION, ANSWER]);
});

it('ids are distinguished by case, may be any text, and exclude a name', async () => {
  const ids = ['aBc', 'abc', 'Abc', '@me', '日本', 'x'.repeat(300)].map((id) => aiSdkUiMessages({ store, id }).id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[1]).toBe('abc');
  expect(() => aiSdkUiMessages({ store, id: 'a', name: 'b' })).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

it('secrets are redacted on request, and saving equal messages stores nothing', async () => {
  const key = `sk-ant-api03-${'a1B2'.repeat(23)}AA`;
  const told = { id: 'u1', role: 'user', parts: [{ type: 'text', text: `The key is ${key}.` }] };
  await using written = aiSdkUiMessages({ store, id: 'ferry', redactor: createRedactor() });
  await written.save([told]);
  const before = await typesNow();
  await written.save([told]);
  expect(await typesNow()).toEqual(before);
  expect(journal()).not.toContain(key);
});
