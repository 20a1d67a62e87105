// No history leaves a session stuck with its model: each refusal that a history causes, in the words of the vendor, is
// followed by a request that is accepted. Real requests to a server that refuses the same as the vendor.
import { lastValueFrom, toArray } from 'rxjs';
import { DEFAULT_COMPACTION } from '../../../lib/context/compaction/due.ts';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { silentLog } from '../../../lib/platform/index.ts';
import { digestOf, encodeOpaque } from '../../../lib/providers/ai-sdk/opaque.ts';
import { refusedPiece } from '../../../lib/providers/refused-history.ts';
import { estimatingCounter } from '../../../lib/tokens/estimate.ts';
import { runTurn } from '../../../lib/turn/run-turn.ts';
import type { TurnSignal } from '../../../lib/turn/signals.ts';
import type { TurnInput } from '../../../lib/turn/turn-input.ts';
import { memoryWorld, said, turnEvents } from '../../session/world.ts';
import { startCheckingServer, WIRES } from '../../support/checking-server.ts';
import { TOOLS } from '../../support/continued-session.ts';
import { event } from '../../support/event-list.ts';
import type { Wire } from '../../support/vendor-rules.ts';

/** What an earlier question left: reasoning with what its vendor wants back, a call, an image and a document. */
const THOUGHT = 'An earlier thought.';
const PROVIDER: Readonly<Record<Wire, string>> = {
  ...{ anthropic: 'anthropic', openai: 'openai', gemini: 'gemini', bedrock: 'bedrock' },
  ...{ ollama: 'ollama', compatible: 'box' },
};
const SIGNED: Readonly<Record<Wire, object>> = {
  anthropic: { anthropic: { signature: 'OLD-SIGNATURE' } },
  bedrock: { bedrock: { signature: 'OLD-SIGNATURE' }, amazonBedrock: { signature: 'OLD-SIGNATURE' } },
  openai: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'OLD-SIGNATURE' } },
  gemini: { google: { thoughtSignature: 'OLD-SIGNATURE' } },
  compatible: {},
  ollama: {},
};

function reasoning(wire: Wire): object[] {
  const provider = PROVIDER[wire];
  const opaque = encodeOpaque(WIRES[wire].model, {
    kind: 'reasoning',
    metadata: SIGNED[wire] as never,
    digest: digestOf(THOUGHT),
  });
  const isSigned = Object.keys(SIGNED[wire]).length > 0;
  return [
    { type: 'reasoning', text: THOUGHT, provider },
    ...(isSigned ? [{ type: 'reasoning', opaque, provider }] : []),
  ];
}

interface Row {
  readonly wire: Wire;
  readonly status?: number;
  /** As the vendor says it, refusing a body that matches. */
  readonly says: string;
  readonly refuses: (body: string) => boolean;
  readonly withoutReasoning?: boolean;
  /** The parts that the accepted request still has. */
  readonly keeps: RegExp;
}

const holds = (pattern: RegExp) => (body: string) => pattern.test(body);
const signed = holds(/OLD-SIGNATURE/);
const image = holds(/AAAA/);
const calls = holds(/"tool_use"|"tool_calls"|"function_call"|"functionCall":|"toolUse":/);

const ROWS: readonly Row[] = [
  {
    wire: 'anthropic',
    says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    refuses: signed,
    keeps: /old-output/,
  },
  { wire: 'anthropic', says: 'messages.1.content.0: Invalid signature', refuses: signed, keeps: /old-output/ },
  {
    wire: 'anthropic',
    says: 'messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    refuses: signed,
    keeps: /old-output/,
  },
  {
    wire: 'bedrock',
    says: 'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block',
    refuses: signed,
    keeps: /old-output/,
  },
  {
    wire: 'openai',
    says: 'The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    refuses: signed,
    keeps: /old-output/,
  },
  {
    wire: 'openai',
    says: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    refuses: signed,
    keeps: /old-output/,
  },
  {
    wire: 'gemini',
    says: 'Unable to submit request because Thought signature is not valid.',
    refuses: signed,
    keeps: /old-output/,
  },
  { wire: 'gemini', says: 'Corrupted thought signature.', refuses: signed, keeps: /old-output/ },
  {
    wire: 'compatible',
    says: "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    refuses: holds(/reasoning_content/),
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    status: 422,
    says: '{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}',
    refuses: holds(/reasoning_content/),
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    says: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    refuses: (body) => !/reasoning_content/.test(body),
    withoutReasoning: true,
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    says: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    refuses: (body) => !/reasoning_content/.test(body),
    withoutReasoning: true,
    keeps: /old-output/,
  },
  {
    wire: 'anthropic',
    says: 'messages.0.content.1.image.source.base64.data: Could not process image',
    refuses: image,
    keeps: /OLD-SIGNATURE/,
  },
  {
    wire: 'anthropic',
    says: 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'anthropic',
    says: 'messages.0.content.1.pdf.source.base64.data: The PDF specified was not valid.',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'openai',
    says: 'You uploaded an unsupported image. Please make sure your image is valid.',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'gemini',
    says: 'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'bedrock',
    says: 'The model returned the following errors: messages.0.content.1.image.source.base64.data: Could not process image',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    status: 404,
    says: 'No endpoints found that support image input',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    status: 500,
    says: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'ollama',
    status: 500,
    says: 'failed to decode images: unsupported image format',
    refuses: image,
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    says: 'Tool call id was call_old but must be a-z, A-Z, 0-9, with a length of 9.',
    refuses: holds(/call_old/),
    keeps: /old-output/,
  },
  {
    wire: 'compatible',
    status: 500,
    says: 'Conversation roles must alternate user/assistant/user/assistant/...',
    refuses: holds(/"role":"tool"/),
    keeps: /old-output/,
  },
  {
    wire: 'anthropic',
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_old.',
    refuses: calls,
    keeps: /old-output/,
  },
  { wire: 'openai', says: 'No tool output found for function call call_old.', refuses: calls, keeps: /old-output/ },
  {
    wire: 'gemini',
    says: 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    refuses: calls,
    keeps: /old-output/,
  },
  {
    wire: 'bedrock',
    says: 'Expected toolResult blocks at messages.2.content for the following Ids: call_old',
    refuses: calls,
    keeps: /old-output/,
  },
  { wire: 'ollama', says: 'invalid message: unexpected tool_calls', refuses: calls, keeps: /old-output/ },
];

async function afterRefusal({ wire, status = 400, says, refuses, withoutReasoning = false }: Omit<Row, 'keeps'>) {
  await using server = await startCheckingServer({
    refuse: (body) => (refuses(JSON.stringify(body)) ? { status, message: says } : undefined),
  });
  const { model, provider: make } = WIRES[wire];
  const provider = make(server.url);
  const world = memoryWorld();
  const session = await world.create('notes', { created: { provider: provider.name, model, ollm: '0.0.0' } });
  const blob = await world.store.putBlob(Buffer.from([0, 0, 0, 0, 0, 0]));
  const asked = said('user', 'Look at this.');
  const image = { type: 'image', mediaType: 'image/png', blob };
  const answer = said('assistant', 'I look.');
  await session.append([
    { ...asked, data: { ...asked.data, parts: [...(asked.data as { parts: [] }).parts, image] } } as NewOllmEvent,
    {
      ...answer,
      data: {
        ...answer.data,
        ...{ provider: provider.name, model },
        parts: [...(withoutReasoning ? [] : reasoning(wire)), ...(answer.data as { parts: [] }).parts],
      },
    } as NewOllmEvent,
    event.asked('call_old', 'read', { path: 'x' }),
    event.finished('call_old', 'old-output'),
    said('assistant', 'Seen.'),
  ]);
  const dependencies = { provider, model, store: world.store, clock: world.clock, counter: estimatingCounter };
  const ask = () =>
    lastValueFrom(
      runTurn(session, { text: 'And now?' }, { ...dependencies, tools: TOOLS, log: silentLog }).pipe(toArray()),
    );
  const signals = [await ask(), await ask()];
  return { requests: server.requests, signals };
}

const lastOf = (signals: readonly TurnSignal[]) => signals.at(-1)?.type;

it.each(ROWS)('$wire: “$says” is followed by an accepted request', async ({ keeps, ...row }) => {
  const { requests, signals } = await afterRefusal(row);
  expect(signals.map(lastOf)).toEqual(['done', 'done']);
  expect(requests.flatMap(({ broken }) => broken)).toEqual([]);
  const [first, ...rest] = requests.map(({ body }) => JSON.stringify(body));
  expect(row.refuses(first!)).toBe(true);
  const taken = rest.filter((body) => !row.refuses(body));
  expect(taken).toHaveLength(2);
  for (const body of taken) expect(body).toMatch(keeps);
  // The second turn begins with the form that was taken.
  expect(rest.slice(rest.indexOf(taken[0]!))).toEqual(taken);
  expect(signals[0]).toContainEqual({ type: 'notice', text: expect.stringMatching(/^The provider (refuses|wants)/) });
});

it.each(ROWS.filter(({ says }) => refusedPiece(says) === 'attachments'))(
  '$wire: an image of the newest question that is refused (“$says”) ends its turn with advice, and the next turn continues',
  async ({ wire, says, refuses, status }) => {
    await using server = await startCheckingServer({
      refuse: (body) => (refuses(JSON.stringify(body)) ? { status: status ?? 400, message: says } : undefined),
    });
    const { model, provider: make } = WIRES[wire];
    const provider = make(server.url);
    const world = memoryWorld();
    const session = await world.create('notes', { created: { provider: provider.name, model, ollm: '0.0.0' } });
    const blob = await world.store.putBlob(Buffer.from([0, 0, 0, 0, 0, 0]));
    const dependencies = { provider, model, store: world.store, clock: world.clock, counter: estimatingCounter };
    const ask = (input: TurnInput) =>
      lastValueFrom(runTurn(session, input, { ...dependencies, log: silentLog }).pipe(toArray()));
    const text = 'What is this?';
    const image = { type: 'image', mediaType: 'image/png', blob } as const;
    const refused = (await ask({ text, parts: [{ type: 'text', text }, image] })).at(-1);
    expect(refused?.type === 'error' && refused.error.hint).toMatch(/image or document of this question/);
    expect(lastOf(await ask({ text: 'And without it?' }))).toBe('done');
    expect(server.requests.flatMap(({ broken }) => broken)).toEqual([]);
  },
);

it('an unknown refusal is not retried, and the error names the way to remove earlier messages', async () => {
  const { requests, signals } = await afterRefusal({ wire: 'openai', says: 'Invalid prompt.', refuses: () => true });
  expect(requests).toHaveLength(2);
  const error = signals[0]!.at(-1);
  expect(error).toMatchObject({ type: 'error', error: { code: 'PROVIDER_FAILED' } });
  expect(error?.type === 'error' && error.error.hint).toMatch(/\/undo .*\/compact/);
});

it('a refusal of every form is retried a bounded number of times', async () => {
  const oneOfEach = ROWS.filter(
    ({ says }, index) => index === ROWS.findIndex((row) => refusedPiece(row.says) === refusedPiece(says)),
  );
  for (const { wire, says, status } of oneOfEach) {
    const { requests } = await afterRefusal({ wire, says, refuses: () => true, ...(status && { status }) });
    expect(requests.length).toBeLessThanOrEqual(2 * 4);
  }
});

describe('a conversation that is too large for the server (413)', () => {
  it.each(['{"error":{"message":"Request exceeds the maximum size"}}', '<html>413</html>'])(
    '%s: makes room once',
    async (page) => {
      const type = page.startsWith('<') ? 'text/html' : 'application/json';
      await using server = await startCheckingServer({
        refuse: (body) => (JSON.stringify(body).length > 30_000 ? { status: 413, body: page, type } : undefined),
      });
      const { model, provider: make } = WIRES.anthropic;
      const provider = make(server.url);
      const world = memoryWorld();
      const session = await world.create('notes', { created: { provider: provider.name, model, ollm: '0.0.0' } });
      for (let turn = 1; turn <= 20; turn++)
        await session.append(
          turnEvents(turn, `question ${turn} ${'word '.repeat(200)}`, `answer ${'word '.repeat(200)}`),
        );
      const dependencies = { provider, model, store: world.store, clock: world.clock, counter: estimatingCounter };
      const compaction = { ...DEFAULT_COMPACTION, summaries: 'extraction' as const };
      const signals = await lastValueFrom(
        runTurn(
          session,
          { text: 'Hi' },
          { ...dependencies, compaction, contextWindow: 1_000_000, log: silentLog },
        ).pipe(toArray()),
      );
      expect(lastOf(signals)).toBe('done');
      expect(server.requests).toHaveLength(2);
    },
  );
});
