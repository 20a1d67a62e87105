// A session through all providers, from each of them to each other one and a second turn with each: the built program
// talks to servers that others keep in step with the vendors. What matters is what those servers are sent.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { createHome, type Home, parseLines } from '../../support/cli.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { faultsOf } from '../../support/well-formed.ts';

const NAMES = ['ollama', 'openai', 'anthropic', 'gemini', 'bedrock', 'box'] as const;
const MODEL = 'gpt-4o';
const KEYS = {
  OPENAI_API_KEY: 'planted-openai-key-4711',
  ANTHROPIC_API_KEY: 'planted-anthropic-key-4712',
  GEMINI_API_KEY: 'planted-gemini-key-4713',
  AWS_BEARER_TOKEN_BEDROCK: 'planted-bedrock-key-4714',
  BOX_KEY: 'planted-box-key-4715',
};
const THOUGHT = 'private thoughts of';

type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly by: string;
  readonly status: number;
  readonly body: Json;
}

/** Each provider has its own address at a proxy of the mock, so that the test knows which one asked. */
interface Front extends AsyncDisposable {
  readonly url: (name: string) => string;
  readonly asked: readonly Asked[];
}

let home: Home;
let project: Tree;
let front: Front;
let stops: readonly string[];
let ran: Awaited<ReturnType<Home['run']>>;

beforeAll(async () => {
  home = createHome();
  project = createTree({ 'notes.md': Array.from({ length: 99 }, (_, index) => `line ${index}\n`).join('') });
  front = await startFront();
  const { url } = front;
  project.write({
    'config.yaml': `providers:
  ollama: {host: "${url('ollama')}", contextLength: 100000}
  openai: {baseUrl: "${url('openai')}/v1"}
  anthropic: {baseUrl: "${url('anthropic')}/v1", thinkingTokens: 1024}
  gemini: {baseUrl: "${url('gemini')}/v1beta"}
  bedrock: {baseUrl: "${url('bedrock')}", region: eu-central-1}
  compatible:
    box: {baseUrl: "${url('box')}/v1", apiKeyEnv: BOX_KEY, contextWindow: 100000}
`,
  });
  stops = tourOf(NAMES);
  const input = stops.flatMap((name, at) => [
    `/provider ${name} ${MODEL}`,
    `question ${2 * at} here`,
    `question ${2 * at + 1} here`,
  ]);
  ran = await home.run(['--config', 'config.yaml', 'repl', '--name', 'tour', '--provider', 'offline'], {
    cwd: project.root,
    env: { ...KEYS, OLLAMA_HOST: undefined },
    input: `${[...input, '/usage'].join('\n')}\n`,
  });
});
afterAll(async () => {
  await front[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

it('the tour moves from each provider to each other one, and every request is accepted', () => {
  expect(ran.stderr.split('\n').filter((line) => line.startsWith('ollm:'))).toEqual([]);
  expect(ran.exitCode).toBe(0);
  expect(front.asked.map(({ by }) => by)).toEqual(stops.flatMap((name) => [name, name, name, name]));
  expect(front.asked.filter(({ status }) => status !== 200)).toEqual([]);
  const ends = parseLines(readFileSync(home.journal('tour'), 'utf8')).filter(({ type }) => type === 'turn.ended');
  expect(ends.map(({ data }) => (data as Json).status)).toEqual(stops.flatMap(() => ['completed', 'completed']));
});

it('every call in a request has its result, whichever model made it', () => {
  const faults = front.asked.flatMap(({ by, body }, at) => faultsOf(body).map((fault) => `${at} to ${by}: ${fault}`));
  expect(faults).toEqual([]);
  // Each request has the whole earlier conversation: two calls in each turn.
  expect(JSON.stringify(front.asked.at(-1)?.body).match(/<<<untrusted/g)).toHaveLength(4 * stops.length + 1);
});

it('thoughts go back only to the model that had them', () => {
  const strangers = front.asked.flatMap(({ by, body }) =>
    NAMES.filter((name) => name !== by && JSON.stringify(body).includes(`${THOUGHT} ${name}`)).map((name) => [
      by,
      name,
    ]),
  );
  expect(strangers).toEqual([]);
  for (const by of ['anthropic', 'openai', 'box'])
    expect(JSON.stringify(front.asked.findLast((asked) => asked.by === by)?.body)).toContain(`${THOUGHT} ${by}`);
});

it("each request begins with the provider's earlier request, byte for byte", () => {
  for (let stop = 0; stop < stops.length; stop += 1) {
    const requests = front.asked.slice(4 * stop, 4 * stop + 4).map(({ body }) => prefixOf(body));
    for (const [index, { fixed, messages }] of requests.slice(1).entries()) {
      const before = requests[index]!;
      expect({ stop: stops[stop], fixed }).toEqual({ stop: stops[stop], fixed: before.fixed });
      expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect(messages.length).toBeGreaterThan(before.messages.length);
    }
  }
});

it('Anthropic is told the beginning and the end of its cached prefix', () => {
  const body = front.asked.findLast(({ by }) => by === 'anthropic')!.body;
  expect(JSON.stringify(body.system)).toContain('"cache_control":{"type":"ephemeral"}');
  expect(JSON.stringify((body.messages as Json[]).at(-1))).toContain('"cache_control":{"type":"ephemeral"}');
});

it('no key is in any file or any output', () => {
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(2);
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  for (const key of Object.values(KEYS)) {
    expect(texts.filter((text) => text.includes(key))).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(key);
  }
});

it('/usage counts the requests to all of them', () => {
  expect(ran.stdout).toContain(`turns     ${2 * stops.length}, with`);
  expect(ran.stdout).toContain(`requests  ${4 * stops.length} answered`);
});

/** Visits every ordered pair of names once. */
function tourOf(names: readonly string[]): readonly string[] {
  const left = new Map(names.map((from) => [from, names.filter((to) => to !== from)]));
  const path: string[] = [];
  const stack = [names[0]!];
  while (stack.length > 0) {
    const next = left.get(stack.at(-1)!)!.pop();
    if (next === undefined) path.push(stack.pop()!);
    else stack.push(next);
  }
  return path.reverse();
}

/**
 * The part of a request that a vendor may cache for the next one. The mark of the end of a cache moves, and is not a
 * part of the messages; servers with this protocol want thoughts back only during work on their question.
 */
function prefixOf(body: Json): { readonly fixed: string; readonly messages: readonly string[] } {
  const {
    messages = body.contents,
    system,
    systemInstruction,
    tools,
    toolConfig,
    thinking,
  } = body as Json & {
    messages?: unknown;
  };
  return {
    fixed: JSON.stringify({ system, systemInstruction, tools, toolConfig, thinking }),
    messages: (messages as Json[]).map((message) => JSON.stringify(withoutWhatPasses(message))),
  };
}

function withoutWhatPasses(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'cache_control' || key === 'reasoning_content' ? undefined : inner)),
  );
}

async function startFront(): Promise<Front> {
  const mock = new LLMock({ port: 0 });
  let calls = 0;
  mock.on(
    { predicate: ({ messages }) => messages.at(-1)?.role === 'tool' },
    { content: 'That is what it says.', toolCalls: [] },
  );
  mock.on({}, () => {
    calls += 1;
    return {
      reasoning: `${THOUGHT} ${asker}`,
      content: 'I look.',
      toolCalls: [
        { name: 'file_read', arguments: JSON.stringify({ path: 'notes.md', from_line: calls, to_line: calls }) },
        { name: 'list_files', arguments: '{}' },
      ],
    };
  });
  const mockUrl = await mock.start();
  const asked: Asked[] = [];
  /** Who is being answered: the program asks one after the other. */
  let asker = '';
  const server = createServer(async (incoming, outgoing) => {
    const [, name, path] = /^\/([a-z]+)(\/.*)$/.exec(incoming.url!)!;
    const content = Buffer.concat(await incoming.toArray());
    const list = LISTS.find(([pattern]) => pattern.test(path!));
    if (list) return outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(list[1]));
    asker = name!;
    const headers = { ...incoming.headers, host: new URL(mockUrl).host };
    forward(mockUrl + path, { method: incoming.method!, headers }, (answer) => {
      if (/chat|messages|Generate|converse/.test(path!))
        asked.push({ by: name!, status: answer.statusCode!, body: JSON.parse(content.toString()) });
      answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers));
    }).end(content);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    async [Symbol.asyncDispose]() {
      await mock.stop();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Paths that the mock answers without lists. */
const LISTS: readonly (readonly [path: RegExp, answer: object])[] = [
  [
    /^\/v1beta\/models\?/,
    {
      models: [{ name: `models/${MODEL}`, supportedGenerationMethods: ['generateContent'], inputTokenLimit: 100_000 }],
    },
  ],
  [
    /^\/foundation-models/,
    {
      modelSummaries: [
        {
          modelId: MODEL,
          inferenceTypesSupported: ['ON_DEMAND'],
          outputModalities: ['TEXT'],
          responseStreamingSupported: true,
        },
      ],
    },
  ],
  [/^\/inference-profiles/, { inferenceProfileSummaries: [] }],
];
