// The requests of thirty turns, over the wire of each provider: between them context is added and removed, a commit
// changes the state of the repository, and an entry expires. What did not change is the same, byte for byte, so that
// caches hold.
import { lastValueFrom, toArray } from 'rxjs';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { silentLog } from '../../../lib/platform/index.ts';
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { createOllamaProvider } from '../../../lib/providers/ollama/index.ts';
import type { Provider } from '../../../lib/providers/provider.ts';
import { estimatingCounter } from '../../../lib/tokens/estimate.ts';
import { createToolbox } from '../../../lib/tools/toolbox.ts';
import { runTurn } from '../../../lib/turn/run-turn.ts';
import { memoryWorld } from '../../session/world.ts';
import { type Answer, startFaultServer } from '../../support/fault-server.ts';
import { testTool } from '../../turn/tool-world.ts';
import { messages as anthropic } from '../anthropic/dialect.ts';
import { converse as bedrock } from '../bedrock/dialect.ts';
import { chat as compatible } from '../compatible/dialect.ts';
import { generateContent as gemini } from '../gemini/dialect.ts';
import { responsesDialect as openai } from '../openai/dialect.ts';
import type { Dialect } from '../vendor-scenes.ts';

const TURNS = 30;

/** One request as it was sent, in the order in which a model reads it. */
interface Sent {
  readonly tools: string;
  /** Instructions and context. */
  readonly system: string;
  /** One text for each message, without cache points. */
  readonly messages: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;
type Reader = (body: Body) => { readonly tools: unknown; readonly system: unknown; readonly messages: unknown };

const isSystem = ({ role }: { readonly role?: unknown }) => role === 'system' || role === 'developer';
const chatReader =
  (name: string): Reader =>
  (body) => {
    const all = body[name] as { role?: unknown }[];
    return { tools: body.tools, system: all.filter(isSystem), messages: all.filter((each) => !isSystem(each)) };
  };

interface Wire {
  readonly path: string;
  readonly model?: string;
  readonly answer: Answer;
  readonly provider: (url: string) => Provider;
  readonly read: Reader;
}

function wireOf(dialect: Dialect, read: Reader): Wire {
  const { answerPath, type = 'text/event-stream', begin = '', says, end } = dialect;
  return {
    path: answerPath,
    answer: { type, steps: [begin, says('fine'), end] },
    provider: (url) => createAiSdkProvider(dialect.vendor(url), { timeoutSeconds: 20 }),
    read,
  };
}

const ollamaLine = (value: object) => `${JSON.stringify(value)}\n`;
const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: wireOf(anthropic, ({ tools, system, messages }) => ({ tools, system, messages })),
  openai: wireOf(openai, chatReader('input')),
  gemini: wireOf(gemini, ({ tools, systemInstruction, contents }) => ({
    tools,
    system: systemInstruction,
    messages: contents,
  })),
  bedrock: wireOf(bedrock, ({ toolConfig, system, messages }) => ({ tools: toolConfig, system, messages })),
  compatible: wireOf(compatible, chatReader('messages')),
  ollama: {
    path: '/api/chat',
    answer: {
      type: 'application/x-ndjson',
      steps: [
        ollamaLine({ message: { role: 'assistant', content: 'fine' }, done: false }),
        ollamaLine({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }),
      ],
    },
    provider: (host) => createOllamaProvider({ host }),
    read: chatReader('messages'),
  },
};

/** Without the marks of cache points, which move with the conversation. */
function unmarked(value: unknown): string {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'cache_control') return undefined;
    return Array.isArray(inner) ? inner.filter((each) => each?.cachePoint === undefined) : inner;
  });
  return text ?? '';
}

/** All texts of a system message, one after the other. */
function textsIn(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (key, inner: unknown) => {
    if ((key === 'text' || key === 'content') && typeof inner === 'string') texts.push(inner);
    return inner;
  });
  return texts.join('\n\n');
}

const context = (key: string, content: string, more: object = {}): NewOllmEvent => ({
  type: 'context.added',
  data: {
    ...{ key, content, priority: 50, source: 'user', trusted: true },
    tokens: { count: 9, method: 'counted' },
    ...more,
  },
});
const git = (commit: string) => context('git', `Commit: ${commit}`, { source: 'system', trusted: false });

/** What happens before these turns. */
const BETWEEN: Readonly<Record<number, (nowMs: number) => NewOllmEvent>> = {
  2: () => git('a1'),
  6: () => context('note', 'The release is on Friday.'),
  11: () => ({ type: 'context.removed', data: { key: 'note', reason: 'user' } }),
  16: () => git('b2'),
  21: (nowMs) => context('build', 'It is red.', { expiresAt: new Date(nowMs + 60_000).toISOString() }),
};
const MOVES_CONTEXT = [6, 11];
const EXPIRES = 26;

async function thirtyTurns({ path, model = 'test', answer, provider: make, read }: Wire): Promise<readonly Sent[]> {
  await using server = await startFaultServer({ [path]: answer });
  const world = memoryWorld();
  const provider = make(server.url);
  const session = await world.create('notes', {
    created: { provider: provider.name, model, ollm: '0.0.0' },
    system: { text: 'You are terse.', tokens: { count: 4, method: 'counted' } },
  });
  const base = { provider, model, counter: estimatingCounter, store: world.store, clock: world.clock };
  const tools = {
    toolbox: createToolbox([testTool()]),
    policy: { decide: () => ({ kind: 'deny', by: 'policy', rule: 'none', reason: 'none' }) as const, grant: () => {} },
    place: { root: '/project', cwd: '/project' },
    boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: [] },
    runProgram: () => Promise.reject(new Error('No programs here.')),
    timeoutMs: 60_000,
    maxOutputTokens: 1_000,
  };
  for (let turn = 1; turn <= TURNS; turn++) {
    const event = BETWEEN[turn]?.(world.clock.now());
    if (event !== undefined) await session.append([event]);
    if (turn === EXPIRES) world.clock.advance(3_600_000);
    const signals = await lastValueFrom(
      runTurn(session, { text: `question ${turn}` }, { ...base, tools, log: silentLog }).pipe(toArray()),
    );
    expect(signals.at(-1)?.type).toBe('done');
  }
  const bodies = server.requests.filter((request) => request.path.startsWith(path.split('?')[0]!));
  return bodies.map(({ body }) => {
    const { tools: definitions, system, messages } = read(body as Body);
    return {
      tools: unmarked(definitions),
      system: textsIn(system),
      messages: (messages as unknown[]).map((message) => unmarked(message)),
    };
  });
}

describe.each(Object.entries(WIRES))('thirty turns with %s', (_name, wire) => {
  let sent: readonly Sent[];
  beforeAll(async () => {
    sent = await thirtyTurns(wire);
  });

  it('begin with the same tools and instructions', () => {
    expect(sent).toHaveLength(TURNS);
    expect(new Set(sent.map(({ tools }) => tools)).size).toBe(1);
    expect(sent[0]?.tools).toContain('echo');
    const [instructions] = [sent[0]!.system];
    expect(instructions).toContain('You are terse.');
    for (const { system } of sent) expect(system.startsWith(instructions)).toBe(true);
  });

  it('have another context only after it was changed, and then behind the instructions', () => {
    const changed = sent.flatMap(({ system }, index) =>
      index > 0 && system !== sent[index - 1]?.system ? [index + 1] : [],
    );
    expect(changed).toEqual(MOVES_CONTEXT);
    expect(sent[6]?.system).toContain('The release is on Friday.');
  });

  it('repeat each message but the last question, whose state of the moment is gone', () => {
    const same = sent.slice(1).map(({ messages }, index) => {
      const before = sent[index]!.messages;
      return before.filter((message, place) => message === messages[place]).length - before.length;
    });
    // Before the first commit nothing changes at all.
    expect(same).toEqual([0, ...Array.from({ length: TURNS - 2 }, () => -1)]);
  });

  it('hold what is volatile once, directly before the newest question', () => {
    const holders = sent.map(({ messages }) =>
      messages.flatMap((message, place) => (message.includes('Commit: ') ? [place - messages.length] : [])),
    );
    expect(holders).toEqual([[], ...Array.from({ length: TURNS - 1 }, () => [-1])]);
    expect(sent[16]?.messages.at(-1)).toContain('Commit: b2');
    const red = sent.flatMap(({ messages }, index) => (messages.at(-1)?.includes('It is red.') ? [index + 1] : []));
    expect(red).toEqual([21, 22, 23, 24, 25]);
  });
});

it('Anthropic and Bedrock get a cache point behind the instructions, behind the context, and two in the messages', async () => {
  const model = 'anthropic.claude-sonnet-4-5';
  const claude = { ...WIRES.bedrock!, model, path: `/model/${model}/converse-stream` };
  for (const wire of [WIRES.anthropic!, claude]) {
    const points: number[] = [];
    const read: Reader = (body) => {
      const parts = wire.read(body);
      const count = (value: unknown) => JSON.stringify(value).match(/"cache_control"|"cachePoint"/g)?.length ?? 0;
      points.push(count(parts.system) * 10 + count(parts.messages));
      return parts;
    };
    await thirtyTurns({ ...wire, read });
    expect(points.slice(1, 12)).toEqual([...Array.from({ length: 4 }, () => 12), 22, 22, 22, 22, 22, 12, 12]);
  }
});
