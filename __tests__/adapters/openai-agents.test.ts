// The session of the OpenAI Agents SDK, by its contract, in a directory: the events of its items, and the conversation
// that ollm sees in them. openai-agents-sdk.test.ts holds it against the package itself.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { openaiAgentsSession } from '../../lib/adapters/openai-agents.ts';
import { createRedactor, openFileStore, openSession, replay, runTurn, viewFold } from '../../lib/index.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { eventsOf } from '../session/world.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree, type Tree } from '../support/tree.ts';

const PICTURE = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\nharbour', 'latin1').toString('base64')}`;
const QUESTION = { type: 'message', role: 'user', content: 'When does the ferry leave?' };
const CALL = { type: 'function_call', id: 'fc_1', callId: 'call_1', name: 'times', arguments: '{"line":7}' };
const RESULT = {
  type: 'function_call_result',
  name: 'times',
  callId: 'call_1',
  status: 'completed',
  output: { type: 'text', text: 'At nine.' },
};
const ANSWER = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  id: 'msg_1',
  content: [{ type: 'output_text', text: 'It leaves at nine.', providerData: { annotations: [] } }],
  providerData: { model: 'gpt-5' },
};
const CONVERSATION = [QUESTION, CALL, RESULT, ANSWER];
/** An item of each kind, with the types and data of its events. */
const KINDS: readonly (readonly [item: object, ...says: unknown[]])[] = [
  [{ role: 'system', content: 'Be terse.' }, 'message.added', { role: 'system', trusted: true }],
  [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'This?' },
        { type: 'input_image', image: PICTURE },
      ],
    },
    'message.added',
    {
      parts: [
        { type: 'text', text: 'This?' },
        { type: 'image', mediaType: 'image/png' },
      ],
      trusted: true,
    },
  ],
  [
    { role: 'user', content: [{ type: 'input_image', image: 'https://example.org/a.png' }] },
    'message.added',
    { parts: [{ type: 'text', text: '[a picture: https://example.org/a.png]' }] },
  ],
  [
    { role: 'user', content: [{ type: 'input_file', file: 'data:text/plain;base64,aGk=', filename: 'a.txt' }] },
    'message.added',
    { parts: [{ type: 'file', name: 'a.txt', mediaType: 'text/plain' }] },
  ],
  [ANSWER, 'message.added', { role: 'assistant', trusted: false, model: 'gpt-5', message: 'msg_1' }],
  [
    { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'Ferries.' }], providerData: { e: 'x' } },
    'message.added',
    { role: 'assistant', parts: [{ type: 'reasoning', text: 'Ferries.' }] },
  ],
  [CALL, 'tool.requested', { callId: 'call_1', name: 'times', args: { line: 7 } }],
  [RESULT, 'tool.finished', { callId: 'call_1', status: 'ok', result: { llmContent: 'At nine.' } }],
  [
    { type: 'shell_call', callId: 's', action: { commands: ['ls'] } },
    'tool.requested',
    { name: 'shell', args: { commands: ['ls'] } },
  ],
  [
    {
      type: 'shell_call_output',
      callId: 's',
      output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'exit', exitCode: 2 } }],
    },
    'tool.finished',
    { status: 'error', result: { llmContent: 'a\nb' } },
  ],
  [
    { type: 'computer_call_result', callId: 'c', output: { type: 'computer_screenshot', data: PICTURE } },
    'tool.finished',
    { result: { llmContent: '', images: [{ type: 'image', mediaType: 'image/png' }] } },
  ],
  [
    { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', arguments: '{"q":"x"}', output: 'Found.' },
    'tool.requested',
    { callId: 'ws_1', name: 'web_search_call', args: { q: 'x' } },
    'tool.finished',
    { callId: 'ws_1', status: 'ok', result: { llmContent: 'Found.' } },
  ],
  [{ type: 'compaction', encrypted_content: 'gAAA' }, 'item.kept', {}],
  [{ type: 'unknown', providerData: { type: 'of tomorrow' } }, 'item.kept', {}],
  [{ type: 'function_call', callId: '', name: '', arguments: '' }, 'item.kept', {}],
  [{ type: 'message', role: 'of tomorrow', content: 4 }, 'item.kept', {}],
];

let tree: Tree;
let store: JournalStore;
const open = (name = 'ferry') => openaiAgentsSession({ store, name });
const conversation = async () => (await eventsOf(store, 'ferry')).filter(({ seq }) => seq > 0);
const view = async () => {
  const reader = store.openReader('ferry');
  try {
    return currentView((await replay(reader, { view: viewFold })).states.view);
  } finally {
    reader.close();
  }
};

beforeEach(() => {
  tree = createTree();
  store = openFileStore(join(tree.root, 'sessions'));
});
afterEach(() => tree[Symbol.dispose]());

it('items are returned unchanged, in order, in a second process too', async () => {
  const session = open();
  expect(await session.getItems()).toEqual([]);
  await session.addItems(CONVERSATION);
  await session.addItems([]);
  await session.close();
  await using again = open();
  expect(await again.getSessionId()).toBe('ferry');
  expect(await again.getItems()).toEqual(CONVERSATION);
  expect(await again.getItems(2)).toEqual([RESULT, ANSWER]);
  expect(await again.getItems(0)).toEqual([]);
  expect(await again.getItems(99)).toEqual(CONVERSATION);
});

it.each(KINDS)('%j is stored with its meaning', async (item, ...says) => {
  await using session = open();
  await session.addItems([item]);
  expect(await session.getItems()).toEqual([item]);
  const events = await conversation();
  expect(events.flatMap(({ type, data }) => [type, data])).toMatchObject(says);
  expect(events).toHaveLength(says.length / 2);
});

it('the items are a conversation in ollm, with texts, calls and results', async () => {
  await using session = open();
  await session.addItems(CONVERSATION);
  expect(await view()).toMatchObject([
    { kind: 'message', role: 'user', parts: [{ type: 'text', text: QUESTION.content }] },
    { kind: 'call', name: 'times', args: { line: 7 }, result: { status: 'ok', content: 'At nine.' } },
    { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'It leaves at nine.' }] },
  ]);
});

it('the newest item is popped, item by item, and no byte leaves the journal', async () => {
  await using session = open();
  await session.addItems(CONVERSATION);
  expect(await session.popItem()).toEqual(ANSWER);
  expect(await session.popItem()).toEqual(RESULT);
  await session.addItems([{ ...RESULT, output: 'At ten.' }]);
  expect(await session.getItems()).toEqual([QUESTION, CALL, { ...RESULT, output: 'At ten.' }]);
  expect(await view()).toMatchObject([{ kind: 'message' }, { kind: 'call', result: { content: 'At ten.' } }]);
  for (let left = 3; left > 0; left -= 1) expect(await session.popItem()).toBeDefined();
  expect(await session.popItem()).toBeUndefined();
  expect(await session.getItems()).toEqual([]);
  const journal = readFileSync(join(tree.root, 'sessions', 'ferry.jsonl'), 'utf8');
  for (const text of ['It leaves at nine.', 'At nine.', 'At ten.']) expect(journal).toContain(text);
});

it('a clear resets the session: the whole journal is in the archive, and the name continues', async () => {
  await using session = open();
  await session.clearSession();
  await session.addItems([{ role: 'system', content: 'Be terse.' }, ...CONVERSATION]);
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
  await session.clearSession();
  await session.addItems([QUESTION]);
  expect(await session.getItems()).toEqual([QUESTION]);
  const archive = join(tree.root, 'sessions', 'archive');
  const [name = '', ...others] = readdirSync(archive);
  expect(others).toEqual([]);
  expect(readFileSync(join(archive, name), 'utf8')).toContain('It leaves at nine.');
});

it('a pop or a clear creates no session', async () => {
  await using session = open();
  expect(await session.popItem()).toBeUndefined();
  await session.clearSession();
  expect(await store.ids()).toEqual([]);
});

it('a compaction replaces earlier items, which the journal keeps', async () => {
  const marker = { type: 'compaction', encrypted_content: 'gAAA' };
  await using session = open();
  await session.addItems(CONVERSATION);
  await session.replaceHistoryWithCompaction([marker, ANSWER]);
  await session.addItems([QUESTION]);
  expect(await session.getItems()).toEqual([marker, ANSWER, QUESTION]);
  expect((await view()).map(({ kind }) => kind)).toEqual(['message', 'message']);
  for (const item of [QUESTION, ANSWER, marker]) expect(await session.popItem()).toEqual(item);
  expect(await session.popItem()).toBeUndefined();
});

it('a call in the middle is replaced, and later items stay', async () => {
  const replacement = { ...CALL, arguments: '{"line":8}' };
  await using session = open();
  await session.addItems(CONVERSATION);
  await session.applyHistoryMutations({
    mutations: [{ type: 'replace_function_call', callId: 'call_1', replacement }],
  });
  expect(await session.getItems()).toEqual([QUESTION, replacement, RESULT, ANSWER]);
  await session.applyHistoryMutations({ mutations: [{ type: 'replace_function_call', callId: 'none', replacement }] });
  expect(await session.getItems()).toHaveLength(4);
});

it('a repeated change is made once, also after a crash', async () => {
  const append = { operationId: 'one', transaction: { type: 'append_items', items: [QUESTION] } } as const;
  const replace = {
    operationId: 'two',
    transaction: { type: 'replace_suffix', expectedSuffix: [QUESTION], replacement: [QUESTION, ANSWER] },
  } as const;
  const nothing = { operationId: 'three', transaction: { type: 'append_items', items: [] } } as const;
  const args = <Given>(given: Given) => structuredClone(given) as never;
  for (let times = 0; times < 2; times += 1) {
    await using session = open();
    for (const change of [append, append, replace, replace, nothing])
      await session.applyHistoryTransaction(args(change));
    expect(await session.getItems()).toEqual([QUESTION, ANSWER]);
    const refused = [
      { ...append, transaction: { ...append.transaction, items: [ANSWER] } },
      { ...nothing, transaction: { ...nothing.transaction, items: [ANSWER] } },
      { ...replace, operationId: 'four' },
      { ...append, operationId: ' ' },
      { operationId: 'five', transaction: { type: 'of tomorrow' } },
    ];
    for (const change of refused) {
      await expect(session.applyHistoryTransaction(args(change))).rejects.toMatchObject({ code: 'USAGE' });
    }
    expect(await session.getItems()).toEqual([QUESTION, ANSWER]);
  }
});

it('calls that do not wait for each other keep their order', async () => {
  await using session = open();
  const items = Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: `number ${index}` }));
  await Promise.all(items.map((item) => session.addItems([item])));
  expect(await session.getItems()).toEqual(items);
});

it('a conversation continues after messages of ollm, and ollm continues it', async () => {
  const session = open();
  await session.addItems([QUESTION, ANSWER]);
  await session.close();
  const provider = scriptedProvider(() => says('And back ', 'at ten.'));
  const inOllm = await openSession(store, 'ferry');
  await lastValueFrom(runTurn(inOllm, 'And back?', { provider, store, model: 'm-1' }).pipe(toArray()));
  await inOllm.close('exit');
  expect(JSON.stringify(provider.requests[0]?.messages)).toContain('It leaves at nine.');
  await using again = open();
  expect(await again.getItems()).toEqual([
    QUESTION,
    ANSWER,
    { type: 'message', role: 'user', content: 'And back?' },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'And back at ten.' }],
    },
  ]);
  expect(await again.popItem()).toMatchObject({ role: 'assistant' });
});

it('a summary of ollm is an item before the kept ones', async () => {
  const session = open();
  await session.addItems([QUESTION, ANSWER, { role: 'user', content: 'Thanks.' }]);
  await session.close();
  const inOllm = await openSession(store, 'ferry');
  const covers = { from: 1, to: 2 };
  const data = { strategy: 'summarize', covers, keptFrom: 3, summary: 'The ferry leaves at nine.' } as const;
  await inOllm.append({
    type: 'compaction.completed',
    data: { ...data, tokensBefore: 40, tokensAfter: 9, by: 'user' },
  });
  await inOllm.close('exit');
  await using again = open();
  const [summary, kept, ...others] = await again.getItems();
  expect(summary).toMatchObject({ role: 'user', content: expect.stringContaining('The ferry leaves at nine.') });
  expect(summary.content).toMatch(/^<<<untrusted/);
  expect([kept, others]).toEqual([{ role: 'user', content: 'Thanks.' }, []]);
  // The covered items do not come back when the kept one is taken away.
  expect(await again.popItem()).toEqual({ role: 'user', content: 'Thanks.' });
  expect(await again.getItems()).toEqual([summary]);
});

it('a session follows a reset by a different process', async () => {
  const session = open();
  await session.addItems(CONVERSATION);
  await session.close();
  const other = open();
  await other.clearSession();
  await other.addItems([ANSWER]);
  await other.close();
  expect(await session.getItems()).toEqual([ANSWER]);
  await session.addItems([QUESTION]);
  expect(await session.getItems()).toEqual([ANSWER, QUESTION]);
  await session.close();
});

it('a session has one writer at a time, and any number of readers', async () => {
  await using session = open();
  await session.addItems([QUESTION]);
  const other = open();
  expect(await other.getItems()).toEqual([QUESTION]);
  await expect(other.addItems([ANSWER])).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
  await expect(other.popItem()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
  await session.close();
  await other.addItems([ANSWER]);
  await other.close();
  expect(await session.getItems()).toEqual([QUESTION, ANSWER]);
});

it('a list with an invalid item is refused as a whole', async () => {
  await using session = open();
  const refused = session.addItems([QUESTION, { role: 'user', content: 1n }]);
  await expect(refused).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  expect(await session.getItems()).toEqual([]);
});

it('secrets are redacted on request', async () => {
  const key = `sk-ant-api03-${'a1B2'.repeat(23)}AA`;
  const redactor = createRedactor();
  await using session = openaiAgentsSession({ store, name: 'ferry', redactor });
  await session.addItems([{ role: 'user', content: `The key is ${key}.` }]);
  expect(readFileSync(join(tree.root, 'sessions', 'ferry.jsonl'), 'utf8')).not.toContain(key);
  expect(JSON.stringify(await session.getItems())).not.toContain(key);
});
