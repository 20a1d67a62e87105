// The requests of thirty turns, over the wire of each provider, with calls of tools in them: meanwhile context is added
// and removed, a commit changes the state of the repository, a skill is read in the middle of a turn, an entry expires,
// and the mode changes. Each request begins with the one before, byte for byte, so that caches hold.
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
import { messages as anthropic, block, start, stop as stopped } from '../anthropic/dialect.ts';
import { converse as bedrock, blockStop, delta, frame, metadata, stop } from '../bedrock/dialect.ts';
import { chunk, chat as compatible, end as ended } from '../compatible/dialect.ts';
import { generateContent as gemini, ended as geminiEnd, parts } from '../gemini/dialect.ts';
import { added, completed, created, done, responsesDialect as openai } from '../openai/dialect.ts';
import type { Dialect } from '../vendor-scenes.ts';

const TURNS = 30;

/** A request as it was sent, in the order in which a model reads it. */
interface Sent {
  readonly tools: string;
  /** Instructions and context. */
  readonly system: string;
  /** A text for each message, without cache points. */
  readonly messages: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;
type Reader = (body: Body) => { readonly tools: unknown; readonly system: unknown; readonly messages: unknown };

const isSystem = ({ role }: { readonly role?: unknown }) => role === 'system' || role === 'developer';
const chatReader =
  (name: string): Reader =>
  (body) => {
    const all = body[name] as { role?: unknown }[];
    const begin = all.findIndex((each) => !isSystem(each));
    return { tools: body.tools, system: all.slice(0, begin), messages: all.slice(begin) };
  };

interface Wire {
  readonly path: string;
  readonly model?: string;
  readonly answer: Answer;
  /** Asks for the tool `echo`. */
  readonly call: Answer;
  /** Where a system message may be between others. */
  readonly systemBetween?: true;
  readonly provider: (url: string) => Provider;
  readonly read: Reader;
}

function wireOf(dialect: Dialect, call: readonly (string | Uint8Array)[], read: Reader): Wire {
  const { answerPath, type = 'text/event-stream', begin = '', says, end } = dialect;
  return {
    path: answerPath,
    answer: { type, steps: [begin, says('fine'), end] },
    call: { type, steps: call },
    provider: (url) => createAiSdkProvider(dialect.vendor(url), { timeoutSeconds: 20 }),
    read,
  };
}

const ARGS = '{"text":"hi"}';
const openaiCall = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'echo' };
const ollamaLine = (value: object) => `${JSON.stringify(value)}\n`;
const ollamaEnd = ollamaLine({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' });
const ollamaSays = (message: object) => ollamaLine({ message: { role: 'assistant', ...message }, done: false });
const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: wireOf(
    anthropic,
    [
      start(),
      block(
        0,
        { type: 'tool_use', id: 'toolu_1', name: 'echo', input: {} },
        { type: 'input_json_delta', partial_json: ARGS },
      ),
      stopped('tool_use'),
    ],
    ({ tools, system, messages }) => ({ tools, system, messages }),
  ),
  openai: {
    ...wireOf(
      openai,
      [
        created,
        added(0, { ...openaiCall, arguments: '' }),
        done(0, { ...openaiCall, arguments: ARGS, status: 'completed' }),
        completed(),
      ],
      chatReader('input'),
    ),
    systemBetween: true,
  },
  gemini: wireOf(
    gemini,
    [parts([{ functionCall: { name: 'echo', args: JSON.parse(ARGS) } }]), geminiEnd()],
    ({ tools, systemInstruction, contents }) => ({ tools, system: systemInstruction, messages: contents }),
  ),
  bedrock: wireOf(
    bedrock,
    [
      frame('messageStart', { role: 'assistant' }),
      frame('contentBlockStart', {
        contentBlockIndex: 0,
        start: { toolUse: { toolUseId: 'tooluse_1', name: 'echo' } },
      }),
      delta(0, { toolUse: { input: ARGS } }),
      blockStop(0),
      stop('tool_use'),
      metadata(),
    ],
    ({ toolConfig, system, messages }) => ({ tools: toolConfig, system, messages }),
  ),
  compatible: wireOf(
    compatible,
    [
      chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'echo', arguments: ARGS } }] }),
      ended('tool_calls'),
    ],
    chatReader('messages'),
  ),
  ollama: {
    path: '/api/chat',
    answer: { type: 'application/x-ndjson', steps: [ollamaSays({ content: 'fine' }), ollamaEnd] },
    call: {
      type: 'application/x-ndjson',
      steps: [
        ollamaSays({ content: '', tool_calls: [{ function: { name: 'echo', arguments: JSON.parse(ARGS) } }] }),
        ollamaEnd,
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

const TAKEN_OUT = 11;
/** What happens before these turns. */
const BETWEEN: Readonly<Record<number, (nowMs: number, lastSeq: number) => NewOllmEvent>> = {
  2: () => git('a1'),
  6: () => context('note', 'The release is on Friday.'),
  8: () => ({ type: 'mode.changed', data: { mode: 'auto', previous: 'ask', by: 'user' } }),
  [TAKEN_OUT]: () => ({ type: 'context.removed', data: { key: 'note', reason: 'user' } }),
  16: () => git('b2'),
  21: (nowMs) => context('build', 'It is red.', { expiresAt: new Date(nowMs + 60_000).toISOString() }),
  28: (_, lastSeq) => ({
    type: 'compaction.completed',
    data: {
      ...{ strategy: 'hybrid', covers: { from: 0, to: lastSeq - 1 }, keptFrom: lastSeq, summary: 'Much was asked.' },
      ...{ tokensBefore: 100, tokensAfter: 10, by: 'user' },
    },
  }),
};
const EXPIRES = 26;
const COMPACTED = 28;
/** The model asks for a tool in these, and in one of them reads a skill by it. */
const CALLS = (turn: number) => turn % 3 === 0;
const READS_SKILL = 9;
/** Which request is the first of a turn. */
const firstOf = (turn: number) => turn - 1 + Array.from({ length: turn - 1 }, (_, at) => at + 1).filter(CALLS).length;

async function thirtyTurns({
  path,
  model = 'test',
  answer,
  call,
  provider: make,
  read,
}: Wire): Promise<readonly Sent[]> {
  const answers = Array.from({ length: TURNS }, (_, at) => (CALLS(at + 1) ? [call, answer] : [answer])).flat();
  await using server = await startFaultServer({ [path]: answers });
  const world = memoryWorld();
  const provider = make(server.url);
  const session = await world.create('notes', {
    created: { provider: provider.name, model, ollm: '0.0.0' },
    system: { text: 'You are terse.', tokens: { count: 4, method: 'counted' } },
  });
  let turn = 0;
  const echo = testTool({
    async run() {
      if (turn === READS_SKILL) await session.append([context('skill lint', 'Lint first.', { source: 'system' })]);
      return { content: `result ${turn}` };
    },
  });
  const base = { provider, model, counter: estimatingCounter, store: world.store, clock: world.clock };
  const tools = {
    toolbox: createToolbox([echo, testTool({ name: 'skill_read' })]),
    policy: { decide: () => ({ kind: 'allow', by: 'policy', rule: 'all' }) as const, grant: () => {} },
    place: { root: '/project', cwd: '/project' },
    boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: [] },
    runProgram: () => Promise.reject(new Error('No programs here.')),
    timeoutMs: 60_000,
    maxOutputTokens: 1_000,
  };
  await session.append([context('skills', '- lint: checks the style', { source: 'system' })]);
  for (turn = 1; turn <= TURNS; turn++) {
    const event = BETWEEN[turn]?.(world.clock.now(), session.writer.head.seq);
    if (event !== undefined) await session.append([event]);
    if (turn === EXPIRES) world.clock.advance(3_600_000);
    const signals = await lastValueFrom(
      runTurn(session, { text: `question ${turn}` }, { ...base, tools, stopAtLoop: false, log: silentLog }).pipe(
        toArray(),
      ),
    );
    expect(signals.at(-1)).toMatchObject({ type: 'done' });
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
  /** The new messages of the first request of a turn. */
  const newIn = (turn: number) =>
    sent[firstOf(turn)]!.messages.slice(sent[firstOf(turn) - 1]!.messages.length).join('');

  it('begin each request with the previous one, except after a removal and a compaction', () => {
    expect(sent).toHaveLength(firstOf(TURNS + 1));
    const breaks = sent.flatMap(({ tools, system, messages }, index) => {
      const before = sent[index - 1];
      const isBeginning = before?.messages.every((message, place) => message === messages[place]);
      return before && !(isBeginning && tools === before.tools && system === before.system) ? [index] : [];
    });
    expect(breaks).toEqual([firstOf(TAKEN_OUT), firstOf(COMPACTED)]);
    expect(sent[0]?.system).toMatch(/^You are terse\..*## skills\n\n- lint: checks the style$/s);
    expect(sent[0]?.tools).toContain('echo');
  });

  it('report once each change, in the next request, directly before the question', () => {
    for (const [turn, said] of [
      [2, 'Commit: a1'],
      [16, 'Commit: b2'],
      [21, 'It is red.'],
      [EXPIRES, String.raw`The section \"## build\" no longer holds.`],
    ] as const) {
      expect(newIn(turn)).toContain(said);
      expect(newIn(turn).indexOf(said)).toBeLessThan(newIn(turn).indexOf(`question ${turn}`));
      const times = sent.map(({ messages }) => messages.join('').split(said).length - 1);
      expect(new Set(times.slice(0, firstOf(turn)))).toEqual(new Set([0]));
      expect(new Set(times.slice(firstOf(turn), firstOf(COMPACTED)))).toEqual(new Set([1]));
    }
  });

  it('do not mention an entry again that the user has removed', () => {
    const holding = sent.flatMap((each, at) =>
      JSON.stringify(each).includes('The release is on Friday.') ? [at] : [],
    );
    const from = firstOf(6);
    expect(holding).toEqual(Array.from({ length: firstOf(TAKEN_OUT) - from }, (_, at) => from + at));
    expect(JSON.stringify(sent.slice(firstOf(TAKEN_OUT)))).not.toContain('## note');
  });

  it('have a skill that is read in the middle of a turn after the result of its call', () => {
    const after = sent[firstOf(READS_SKILL) + 1]!.messages.join('');
    expect(after.indexOf('result 9')).toBeLessThan(after.indexOf('Lint first.'));
    expect(after.indexOf('result 9')).toBeGreaterThan(0);
  });

  it('have every entry at the beginning after a compaction, and none in the messages', () => {
    const { system, messages } = sent[firstOf(COMPACTED)]!;
    for (const part of ['- lint: checks the style', 'Commit: b2', 'Lint first.', 'Much was asked.'])
      expect(system).toContain(part);
    for (const part of ['Commit: a1', 'The release is on Friday.', 'It is red.']) expect(system).not.toContain(part);
    expect(messages.join('')).not.toContain('System note');
  });

  it('give instructions the role of the system if the vendor accepts that in the middle, and data never', () => {
    const roleOf = (message: string) => (JSON.parse(message) as { role: string }).role;
    const holding = (text: string) => sent[firstOf(20)]!.messages.find((message) => message.includes(text))!;
    expect(isSystem({ role: roleOf(holding('Lint first.')) })).toBe(wire.systemBetween === true);
    expect(roleOf(holding('Commit: b2'))).toBe('user');
    expect(holding('Commit: b2')).toMatch(/<<<untrusted [0-9a-f]+ context from system>>>\\nCommit: b2\\n<<<end/);
  });
});

it('Anthropic and Bedrock get a cache point after the instructions, after the context, and two in the messages', async () => {
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
    expect(new Set(points.slice(1))).toEqual(new Set([22, 21]));
    expect(points.filter((each) => each === 21)).toHaveLength(2);
  }
});
