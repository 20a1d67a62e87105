// Every function that a program can import is called with values that no type allows: it answers, or it throws an
// OllmError that names the wrong argument. A new export is called too, without a change of this file.
import { aiSdkModelMessages, aiSdkUiMessages } from '../../lib/adapters/ai-sdk.ts';
import { claudeSessionStore } from '../../lib/adapters/claude-agent-sdk.ts';
import { langchainHistory } from '../../lib/adapters/langchain.ts';
import { langgraphSaver } from '../../lib/adapters/langgraph.ts';
import { openaiAgentsSession } from '../../lib/adapters/openai-agents.ts';
import * as ollm from '../../lib/index.ts';
import { createTree } from '../support/tree.ts';

type Verb = (...given: unknown[]) => unknown;

const circle: Record<string, unknown> = {};
circle.self = circle;
const ODD: readonly unknown[] = [
  ...[undefined, null, 7, 1n, 'text', Symbol('s'), circle, {}, [], [null], { role: 'user', content: [null] }],
  ...[new Map(), Object.create(null)],
];
/** What JavaScript itself says of a wrong value. */
const RAW = /Cannot (?:read|convert|mix|destructure)|is not a function|not iterable|of undefined|of null|\[object/;

/** Classes of errors take what every Error takes. */
const ERRORS = new Set(['OllmError', 'ToolFailure']);
const ADAPTERS = {
  ...{ aiSdkModelMessages, aiSdkUiMessages, claudeSessionStore, langchainHistory, langgraphSaver, openaiAgentsSession },
};
const FUNCTIONS = Object.entries<unknown>({ ...ollm, ...ADAPTERS }).filter(
  ([name, value]) => typeof value === 'function' && !ERRORS.has(name),
) as [string, Verb][];

/** A call that fails in another way; undefined for one that answers, or is refused as it should be. */
async function faultOf(name: string, call: () => unknown): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (ollm.isOllmError(error) && !RAW.test(error.message)) return undefined;
    return `${name}: ${(error as Error | undefined)?.name} ${(error as Error | undefined)?.message}`;
  }
}

/** Each odd value in each place, with good ones before it. */
async function faultsOf(name: string, verb: () => Verb | Promise<Verb>, good: readonly unknown[]): Promise<string[]> {
  const faults = new Set<string>();
  for (let place = 0; place <= good.length; place += 1) {
    const work = await verb();
    for (const odd of ODD) {
      const fault = await faultOf(name, () => work(...good.slice(0, place), odd));
      if (fault !== undefined) faults.add(fault);
    }
  }
  return [...faults];
}

const store = () => ollm.openMemoryStore();
const made = async () => {
  const memory = store();
  await (await memory.create('garden', { provider: 'p', model: 'm' })).close();
  return memory;
};
const session = () => ollm.openSessionStore(store()).openOrCreate({ id: 'garden' });
const MESSAGES = [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }], timestamp: '' }];

const OBJECTS: Readonly<Record<string, readonly [make: () => object | Promise<object>, ...good: unknown[]]>> = {
  'a session store': [() => ollm.openSessionStore(store()), { id: 'garden' }],
  'an agent’s session': [session, { role: 'user', content: 'Hello' }, 'ai-sdk'],
  'a session': [async () => (await session()).session, { type: 'session.titled', data: { title: 'A' } }],
  'a store': [made, 'garden', 'snapshot'],
  'a writer': [
    () => store().create('garden', { provider: 'p', model: 'm' }),
    { type: 'a.b', data: {}, ignorable: true },
  ],
  'a reader': [async () => (await made()).openReader('garden')],
  'the recording': [async () => ollm.createChatRecordingService({ store: await made() }), 'garden', MESSAGES[0]],
  'the compression': [() => ollm.createChatCompressionService({ summaries: 'extract' }), MESSAGES, 10],
  'the loop detection': [() => ollm.createLoopDetectionService(), 'ls', {}],
  'the context': [() => ollm.createContextManager(), 'key', 'text'],
  'the environment': [() => ollm.createEnvironmentSanitizationService(), 'PATH'],
  'the discovery': [() => ollm.createFileDiscoveryService({ maxDepth: 0 }), 'nowhere', () => {}],
  'the passages': [() => ollm.createConversationRAG(), 'question', 3],
  'the prompt cache': [() => ollm.createPromptCache(), MESSAGES],
  'the memory': [() => ollm.createSummaryBufferMemory(), MESSAGES[0]],
  'a redactor': [() => ollm.createRedactor(), 'text'],
  'the OpenAI Agents SDK’s session': [() => openaiAgentsSession({ store: store(), name: 'garden' }), []],
  'the Claude Agent SDK’s store': [() => claudeSessionStore({ store: store() }), { projectKey: 'p', sessionId: 's' }],
  'model messages': [() => aiSdkModelMessages({ store: store(), name: 'garden' }), []],
  'a page’s messages': [() => aiSdkUiMessages({ store: store(), name: 'garden' }), []],
};

/** Members of the writer's class that its interface does not have, and functions that take functions. */
const INTERNAL = new Set(['constructor', 'appendFirst', 'exclusively', 'subscribe']);

function verbsOf(value: object): string[] {
  const inherited = Object.getPrototypeOf(value) as object;
  const names = [value, ...(inherited === Object.prototype ? [] : [inherited])].flatMap(Object.getOwnPropertyNames);
  return names.filter((name) => !INTERNAL.has(name) && typeof (value as Record<string, unknown>)[name] === 'function');
}

it.each(Object.keys(OBJECTS))('%s refuses an argument of the wrong kind with an OllmError', async (name) => {
  const [make, ...good] = OBJECTS[name]!;
  const verbs = verbsOf(await make());
  expect(verbs).not.toEqual([]);
  for (const verb of verbs) {
    const fresh = async () => {
      const value = (await make()) as Record<string, Verb>;
      return (...given: unknown[]) => value[verb]!(...given);
    };
    expect([verb, await faultsOf(verb, fresh, good)]).toEqual([verb, []]);
  }
});

it('every exported function refuses an argument of the wrong kind with an OllmError', async () => {
  using tree = createTree();
  const env = { HOME: tree.root, PATH: process.env.PATH, OLLM_PROVIDER: 'offline' };
  const app = await ollm.createApp({ env, cwd: tree.root, command: 'test', parts: { store: store() } });
  const conversation = await ollm.openConversation(app, { kind: 'new', name: 'notes' });
  try {
    expect(FUNCTIONS.length).toBeGreaterThan(60);
    for (const [name, verb] of FUNCTIONS) {
      const leading = [
        [await made(), 'garden'],
        [app, 'notes'],
        [app, conversation, { text: 'Hello' }],
      ];
      for (const some of leading) {
        const faults = await faultsOf(
          name,
          () =>
            (...given) =>
              verb(...given),
          some,
        );
        expect([name, faults]).toEqual([name, []]);
      }
    }
  } finally {
    await conversation.session.close('exit');
    await app.close();
  }
});

it('an error for a wrong argument names the function and the argument', async () => {
  const sessions = ollm.openSessionStore(store());
  await expect(sessions.openOrCreate({ name: 7 as never })).rejects.toMatchObject({
    code: 'USAGE',
    message: 'openOrCreate takes a text as choice.name, not a number.',
    data: { function: 'openOrCreate', argument: 'choice.name' },
  });
  expect(() => ollm.openSessionStore(null as never)).toThrow(
    'openSessionStore takes a text or a JournalStore as place',
  );
  const named = [ollm.openSession, ollm.createSession, ollm.runTurn, ollm.showSession, ollm.exportSession] as Verb[];
  for (const verb of named) {
    const error = await (async () => verb({}, 'x', {}))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'USAGE', data: { function: verb.name } });
  }
});
