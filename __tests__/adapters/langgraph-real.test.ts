// The saver of checkpoints and the history under LangGraph and LangChain themselves, at their newest versions: by the
// suite that their package has for savers, with their own saver in memory as the model, and by graphs that are
// interrupted, killed and led on from earlier checkpoints. Skipped where the packages are not installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { langchainHistory } from '../../lib/adapters/langchain.ts';
import { langgraphSaver } from '../../lib/adapters/langgraph.ts';
import { createRedactor, openFileStore, openMemoryStore, replay, viewFold } from '../../lib/index.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { eventsOf } from '../session/world.ts';
import { ROOT } from '../support/cli.ts';
import { goOffline } from '../support/offline.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { codeUnder, typeProblems } from './typed-against.ts';

// biome-ignore lint/suspicious/noExplicitAny: packages without types here
type AnyModule = Record<string, any>;

const FOLDER = join(PROGRAMS_FOLDER, 'langgraph');
const fileOf = (path: string) => join(FOLDER, 'node_modules/@langchain', path);
const load = async (path: string) => (await import(fileOf(path))) as AnyModule;
const at = (path: string) => JSON.stringify(pathToFileURL(path).href);
const isInstalled = existsSync(fileOf('langgraph/dist/index.js'));
const describeInstalled = isInstalled ? describe : describe.skip;
const [graphs, checkpoints, messages, histories, suite] = isInstalled
  ? await Promise.all([
      load('langgraph/dist/index.js'),
      load('langgraph-checkpoint/dist/index.js'),
      load('core/dist/messages/index.js'),
      load('core/dist/chat_history.js'),
      load('langgraph-checkpoint-validation/dist/index.js'),
    ])
  : [{}, {}, {}, {}, {}];

/** Asks before it calls, and waits for the answer: an interrupt. `dies`: killed right after the interrupt. */
const PROGRAM = `
import { AIMessage } from ${at(fileOf('core/dist/messages/index.js'))};
import { BaseCheckpointSaver, Command, interrupt, MessagesAnnotation, StateGraph } from ${at(fileOf('langgraph/dist/index.js'))};
import { openFileStore } from ${at(join(ROOT, 'dist/index.js'))};
import { langgraphSaver } from ${at(join(ROOT, 'dist/adapters/langgraph.js'))};
const [what, given] = process.argv.slice(2);
const checkpointer = langgraphSaver({ BaseCheckpointSaver }, { store: openFileStore('./sessions') });
const graph = new StateGraph(MessagesAnnotation)
  .addNode('ask', () => ({ messages: [new AIMessage('I would look at the timetable.')] }))
  .addNode('look', () => ({ messages: [new AIMessage('You said ' + interrupt('May I?') + ': at nine.')] }))
  .addEdge('__start__', 'ask').addEdge('ask', 'look').compile({ checkpointer });
const config = { configurable: { thread_id: 'ferry' } };
await graph.invoke(what === 'resume' ? new Command({ resume: given }) : { messages: given }, config);
const state = await graph.getState(config);
console.log(JSON.stringify({ texts: state.values.messages.map(({ text }) => text), next: state.next }));
if (what === 'dies') process.kill(process.pid, 'SIGKILL');
`;

let tree: Tree;
let store: JournalStore;
beforeEach(() => {
  tree = createTree();
  store = openFileStore(join(tree.root, 'sessions'));
});
afterEach(() => tree[Symbol.dispose]());

const saverOf = (options: Partial<Parameters<typeof langgraphSaver>[1]> = {}): AnyModule =>
  langgraphSaver(graphs as never, { store, ...options });
const shown = async (id: string) => {
  const reader = store.openReader(id);
  try {
    const items = currentView((await replay(reader, { view: viewFold })).states.view);
    return items.map((item) =>
      item.kind === 'message' ? item.parts.map((part) => 'text' in part && part.text).join('') : item.kind,
    );
  } finally {
    reader.close();
  }
};

describeInstalled('LangGraph (skipped where it is not installed: run .ci/install-agents)', () => {
  describe('passes its own suite for savers', () => {
    // The suite is written for another runner, of which it uses one function more.
    beforeAll(() => Object.assign(expect, { soft: expect }));
    afterAll(() => Reflect.deleteProperty(expect, 'soft'));
    if (isInstalled) {
      suite.validate({
        checkpointerName: 'ollm',
        createCheckpointer: () => langgraphSaver(graphs as never, { store: openMemoryStore() }),
        destroyCheckpointer: (saver: AnyModule) => saver.close(),
      });
      suite.deltaChannelHistoryTests({
        checkpointerName: 'ollm',
        createCheckpointer: () => langgraphSaver(graphs as never, { store: openMemoryStore() }),
        destroyCheckpointer: (saver: AnyModule) => saver.close(),
      });
    }
  });

  it('gets the same checkpoints and writes as from its own saver in memory after any sequence of calls', async () => {
    const ids = ['1', '2', '3', '4'];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)) as unknown),
      fc.array(fc.constantFrom('a', 'b').map((text) => new messages.HumanMessage({ content: text, id: text }))),
      fc.uint8Array({ maxLength: 4 }),
    );
    const step = fc.record({
      kind: fc.constantFrom('put', 'put', 'put', 'putWrites', 'deleteThread', 'reopen'),
      thread: fc.constantFrom('t', 'T', 'other'),
      ns: fc.constantFrom('', 'sub:1'),
      id: fc.constantFrom(...ids),
      parent: fc.option(fc.constantFrom(...ids), { nil: undefined }),
      values: fc.dictionary(fc.constantFrom('messages', 'x', '__proto_'), value, { maxKeys: 2 }),
      task: fc.constantFrom('one', 'two'),
      channel: fc.constantFrom('messages', '__error__', '__interrupt__'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (list) => {
        const inMemory = openMemoryStore();
        const open = (): AnyModule => langgraphSaver(graphs as never, { store: inMemory });
        let ours = open();
        const theirs = new checkpoints.MemorySaver() as AnyModule;
        for (const { kind, thread, ns, id, parent, values, task, channel } of list) {
          const config = { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: parent } };
          const versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
          if (kind === 'reopen') {
            await ours.close();
            ours = open();
          }
          for (const saver of [theirs, ours]) {
            if (kind === 'put') {
              const checkpoint = {
                v: 4,
                id,
                ts: '2026-01-01',
                channel_values: values,
                channel_versions: versions,
                versions_seen: {},
              };
              await saver.put(config, checkpoint, { source: 'loop', step: 1, parents: {} }, versions);
            } else if (kind === 'deleteThread') await saver.deleteThread(thread);
            else if (kind === 'putWrites') {
              const place = { configurable: { ...config.configurable, checkpoint_id: id } };
              await saver.putWrites(place, [[channel, values]], task, 'path');
            }
          }
          for (const thread_id of ['t', 'T', 'other'])
            for (const checkpoint_ns of ['', 'sub:1'])
              for (const checkpoint_id of [...ids, undefined]) {
                const place = { configurable: { thread_id, checkpoint_ns, checkpoint_id } };
                // Theirs fails where a namespace has no checkpoint.
                const wanted = await theirs.getTuple(place).catch(() => undefined);
                expect(await ours.getTuple(place)).toEqual(wanted);
              }
        }
        const all = async (saver: AnyModule) => {
          const tuples = (await Array.fromAsync(saver.list({}))) as AnyModule[];
          return tuples.map(({ config }) => JSON.stringify(Object.entries(config.configurable).sort())).sort();
        };
        expect(await all(ours)).toEqual(await all(theirs));
        await ours.close();
      }),
      { numRuns: 100 },
    );
  });

  it('continues after an interrupt in a different process, also after a killed one', async () => {
    await using offline = await goOffline([], () => ({ 'run.mjs': PROGRAM }));
    const run = (...args: string[]) =>
      offline.run([process.execPath, '--no-warnings', 'run.mjs', ...args], { cwd: offline.home, env: {} });
    await expect(run('dies', 'When does the ferry leave?')).rejects.toThrow('did not end');
    const output = await run('resume', 'yes');
    const said = ['When does the ferry leave?', 'I would look at the timetable.', 'You said yes: at nine.'];
    expect(JSON.parse(output.trim().split('\n').at(-1)!)).toEqual({ texts: said, next: [] });
    store = openFileStore(join(offline.home, 'sessions'));
    expect(await shown('ferry')).toEqual(said);
  });

  it('has a conversation in ollm, with calls and results, which moves with a run from an earlier checkpoint', async () => {
    await using checkpointer = saverOf() as AsyncDisposable & AnyModule;
    const call = { type: 'tool_call', id: 'c1', name: 'times', args: { line: 7 } };
    const answers = [
      new messages.AIMessage({ content: '', tool_calls: [call] }),
      new messages.ToolMessage({ content: 'Nine.', tool_call_id: 'c1', name: 'times' }),
      new messages.AIMessage({
        content: 'It leaves at nine.',
        usage_metadata: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
      }),
    ];
    const graph = new graphs.StateGraph(graphs.MessagesAnnotation)
      .addNode('answer', () => ({ messages: answers }))
      .addEdge('__start__', 'answer')
      .compile({ checkpointer });
    const config = { configurable: { thread_id: 'ferry' } };
    await graph.invoke({ messages: 'When does it leave?' }, config);
    expect(await shown('ferry')).toEqual(['When does it leave?', 'call', 'It leaves at nine.']);
    await graph.invoke({ messages: 'Thanks.' }, config);
    const first = ((await Array.fromAsync(graph.getStateHistory(config))) as AnyModule[]).find(
      ({ values, next }) => values.messages?.length === 4 && next.length === 0,
    );
    await graph.invoke({ messages: 'And line 8?' }, first!.config);
    expect((await shown('ferry')).slice(0, 4)).toEqual([
      'When does it leave?',
      'call',
      'It leaves at nine.',
      'And line 8?',
    ]);
    const events = await eventsOf(store, 'ferry');
    expect(events.filter(({ type }) => type === 'usage.reported')[0]?.data).toMatchObject({ inputTokens: 9 });
    expect(events.map(({ type }) => type)).toContain('branch.moved');
    expect(readFileSync(join(tree.root, 'sessions', 'ferry.jsonl'), 'utf8')).toContain('Thanks.');
  });

  it('needs room for a long thread that grows linearly with its messages', async () => {
    const sizes: number[] = [];
    await using checkpointer = saverOf() as AsyncDisposable & AnyModule;
    const said: AnyModule[] = [];
    const put = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const parent = said.length === 0 ? undefined : String(1000 + said.length);
        said.push(
          new messages.HumanMessage({ content: `Message ${said.length} of a few words.`, id: `${said.length}` }),
        );
        const config = { configurable: { thread_id: 'long', checkpoint_ns: '', checkpoint_id: parent } };
        const checkpoint = {
          ...{ v: 4, id: String(1000 + said.length), ts: '2026-01-01', versions_seen: {} },
          ...{ channel_values: { messages: [...said] }, channel_versions: { messages: said.length } },
        };
        await checkpointer.put(
          config,
          checkpoint,
          { source: 'loop', step: said.length, parents: {} },
          { messages: said.length },
        );
      }
      sizes.push((await store.info('long'))!.bytes);
    };
    await put(20);
    await put(40);
    await put(20);
    expect(sizes[2]! - sizes[1]!).toBeLessThan(1.2 * sizes[0]!);
    const tuple = await checkpointer.getTuple({ configurable: { thread_id: 'long' } });
    expect(tuple.checkpoint.channel_values.messages).toHaveLength(80);
  });

  it('is refused for a thread whose session is a different conversation, and redacts secrets on request', async () => {
    await using history = langchainHistory({ ...histories, ...messages } as never, {
      store,
      id: 'taken',
    }) as AnyModule & AsyncDisposable;
    await history.addUserMessage('Hello');
    await using checkpointer = saverOf({ redactor: createRedactor() }) as AsyncDisposable & AnyModule;
    const key = `sk-ant-api03-${'a1B2'.repeat(23)}AA`;
    const put = (thread_id: string) =>
      checkpointer.put(
        { configurable: { thread_id } },
        {
          ...checkpoints.emptyCheckpoint(),
          channel_values: { messages: [new messages.HumanMessage(`The key is ${key}.`)], note: key },
          channel_versions: { messages: 1, note: 1 },
        },
        { source: 'input', step: -1, parents: {} },
        { messages: 1, note: 1 },
      );
    await expect(put('taken')).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    await put('mine');
    const tuple = await checkpointer.getTuple({ configurable: { thread_id: 'mine' } });
    expect(tuple.checkpoint.channel_values.messages[0].text).toMatch(/^The key is \[redacted/);
    expect(readFileSync(join(tree.root, 'sessions', 'mine.jsonl'), 'utf8')).not.toContain(key);
  });

  it('accepts the saver and the history by their types', () => {
    const use = `
      import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
      import { mapStoredMessagesToChatMessages, type BaseMessage } from '@langchain/core/messages';
      import { BaseCheckpointSaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
      import { openFileStore } from 'ollm';
      import { langchainHistory } from 'ollm/adapters/langchain';
      import { langgraphSaver } from 'ollm/adapters/langgraph';
      const saver: BaseCheckpointSaver = langgraphSaver({ BaseCheckpointSaver }, { store: openFileStore('s') });
      new StateGraph(MessagesAnnotation).compile({ checkpointer: saver });
      const core = { BaseListChatMessageHistory, mapStoredMessagesToChatMessages };
      const history: BaseListChatMessageHistory = langchainHistory(core, { store: openFileStore('s') });
      const messages: BaseMessage[] = await history.getMessages();
      export { messages };`;
    expect(typeProblems(FOLDER, use)).toBe('');
    for (const heading of ['LangChain', 'LangGraph']) expect(typeProblems(FOLDER, codeUnder(heading))).toBe('');
    expect(typeProblems(FOLDER, use.replace("{ store: openFileStore('s') });\n      new", '1);\n      new'))).toContain(
      'TS2345',
    );
  });
});

describeInstalled('LangChain (skipped where it is not installed: run .ci/install-agents)', () => {
  const core = { ...histories, ...messages } as never;
  const open = (id = 'ferry'): AnyModule & AsyncDisposable => langchainHistory(core, { store, id }) as never;

  it('gets messages of each kind as from its own history, and ollm has their texts, calls and results', async () => {
    const all = [
      new messages.SystemMessage('Be terse.'),
      new messages.HumanMessage({
        id: 'h1',
        content: [
          { type: 'text', text: 'This?' },
          { type: 'image', mimeType: 'image/png', data: 'iVBORw==' },
        ],
      }),
      new messages.AIMessage({
        content: [{ type: 'thinking', thinking: 'Ferries.', signature: 'c2ln' }],
        tool_calls: [{ type: 'tool_call', id: 'c1', name: 'times', args: { line: 7 } }],
        response_metadata: { model_name: 'claude' },
        usage_metadata: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
      }),
      new messages.ToolMessage({
        content: 'Nine.',
        tool_call_id: 'c1',
        name: 'times',
        status: 'error',
        artifact: { at: 9 },
      }),
      new messages.AIMessageChunk({ content: 'At nine.', id: 'a2' }),
      new messages.ChatMessage({ content: 'As a narrator.', role: 'narrator' }),
      new messages.RemoveMessage({ id: 'h1' }),
    ];
    {
      await using history = open();
      expect(await history.getMessages()).toEqual([]);
      await history.addMessages(all.slice(0, 6));
      await history.addUserMessage('Thanks.');
      await history.addAIMessage('You are welcome.');
    }
    await using again = open();
    const read = (await again.getMessages()) as AnyModule[];
    const dictOf = (message: AnyModule) => JSON.parse(JSON.stringify(message.toDict())) as unknown;
    expect(read.slice(0, 6).map(dictOf)).toEqual(all.slice(0, 6).map(dictOf));
    expect(read[2]).toBeInstanceOf(messages.AIMessage);
    expect(read.slice(6).map(({ text }) => text)).toEqual(['Thanks.', 'You are welcome.']);
    const events = (await eventsOf(store, 'ferry')).filter(({ type }) => /^(message|tool|usage)\./.test(type));
    expect(events.map(({ type, data }) => [type, data])).toMatchObject([
      ['message.added', { role: 'system' }],
      ['message.added', { role: 'user', parts: [{ text: 'This?' }, { type: 'image' }] }],
      ['message.added', { role: 'assistant', parts: [{ type: 'reasoning', text: 'Ferries.' }], model: 'claude' }],
      ['tool.requested', { callId: 'c1', args: { line: 7 } }],
      ['usage.reported', { inputTokens: 9, outputTokens: 4 }],
      ['tool.finished', { callId: 'c1', status: 'error', result: { llmContent: 'Nine.' } }],
      ['message.added', { role: 'assistant', parts: [{ text: 'At nine.' }] }],
      ['message.added', { role: 'user', parts: [{ text: 'As a narrator.' }] }],
      ['message.added', { parts: [{ text: 'Thanks.' }] }],
      ['message.added', { parts: [{ text: 'You are welcome.' }] }],
    ]);
  });

  it('clears a history by a reset, which keeps the journal in the archive', async () => {
    await using history = open();
    await history.addUserMessage('When does the ferry leave?');
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
    await history.addUserMessage('Again.');
    expect((await history.getMessages()).map(({ text }: AnyModule) => text)).toEqual(['Again.']);
  });

  it('uses the history in a RunnableWithMessageHistory', async () => {
    const { RunnableLambda, RunnableWithMessageHistory } = await load('core/dist/runnables/index.js');
    const heard: string[][] = [];
    const runnable = RunnableLambda.from((given: AnyModule[]) => {
      heard.push(given.map(({ text }) => text as string));
      return new messages.AIMessage('At nine.');
    });
    const kept: AnyModule[] = [];
    const chain = new RunnableWithMessageHistory({
      runnable,
      getMessageHistory: (id: string) => {
        const history = open(id);
        kept.push(history);
        return history;
      },
    });
    const config = { configurable: { sessionId: 'ferry' } };
    await chain.invoke([new messages.HumanMessage('When does it leave?')], config);
    await chain.invoke([new messages.HumanMessage('Sure?')], config);
    for (const history of kept) await history.close();
    expect(heard.at(-1)).toEqual(['When does it leave?', 'At nine.', 'Sure?']);
  });
});
