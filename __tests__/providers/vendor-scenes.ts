// The scenes that every cloud provider goes through, on a server that says exactly the bytes it is told to. A dialect
// says how a vendor writes an answer; what may go wrong on the wire is the same for all.
import { type AiSdkOptions, createAiSdkProvider } from '../../lib/providers/ai-sdk/provider.ts';
import type { Vendor } from '../../lib/providers/ai-sdk/vendor.ts';
import type { ModelMessage, ModelRequest, ProviderSignal } from '../../lib/providers/provider.ts';
import { emptyReply, partsOf, takeSignal } from '../../lib/turn/request/reply.ts';
import { type Answer, deadUrl, type FaultServer, type Step, startFaultServer } from '../support/fault-server.ts';
import { type ContractSubject, requestOf, type Scene } from './provider.contract.ts';

/** How a vendor writes an answer. */
export interface Dialect {
  /** The vendor, with its API at this address and a key. */
  readonly vendor: (url: string) => Vendor;
  /** Paths under the address. */
  readonly answerPath: string;
  readonly models: Readonly<Record<string, unknown>>;
  readonly type?: string;
  readonly model?: string;
  /** What begins an answer, before its first text. */
  readonly begin?: Uint8Array | string;
  readonly says: (text: string) => Uint8Array | string;
  /** What ends an answer whole. */
  readonly end: Uint8Array | string;
  /** An error in the middle of the stream. */
  readonly fails: Uint8Array | string;
  /** An error answer for a model that is not there. */
  readonly missing: { readonly status: number; readonly body: unknown };
}

export interface VendorScene extends Scene {
  readonly server: FaultServer;
}

const bytesOf = (step: Uint8Array | string): Uint8Array => (typeof step === 'string' ? Buffer.from(step) : step);

/** Each byte a piece of its own. */
export const dripped = (step: Uint8Array | string): Uint8Array[] =>
  Array.from(bytesOf(step), (byte) => Uint8Array.of(byte));

/** A scene with these answers to requests for one. */
export async function sceneOf(
  dialect: Dialect,
  answers: Answer | readonly Answer[],
  options: Partial<AiSdkOptions> = {},
  request: Partial<ModelRequest> = {},
): Promise<VendorScene> {
  const { type = 'text/event-stream', model = 'test' } = dialect;
  const list = (Array.isArray(answers) ? answers : [answers]) as readonly Answer[];
  const server = await startFaultServer({
    ...Object.fromEntries(
      Object.entries(dialect.models).map(([path, body]) => [
        path,
        { type: 'application/json', steps: [JSON.stringify(body)] },
      ]),
    ),
    [dialect.answerPath]: list.map((answer) => ({ type, ...answer })),
  });
  return {
    server,
    provider: createAiSdkProvider(dialect.vendor(server.url), { timeoutSeconds: 20, ...options }),
    request: requestOf('hello', { model, ...request }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The scenes of the contract, with every fault of a connection. */
export function subjectOf(dialect: Dialect): ContractSubject {
  const { begin = '', says, end, fails, missing } = dialect;
  const steps = (steps: readonly Step[], more: Omit<Answer, 'steps'> = {}, options: Partial<AiSdkOptions> = {}) =>
    sceneOf(dialect, { steps: [begin, ...steps], ...more }, options);
  const refused = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    sceneOf(dialect, { status, type: 'application/json', steps: [JSON.stringify(body)], headers });
  const half = bytesOf(says('never seen whole'));
  return {
    answers: async () => ({
      ...(await steps([...dripped(says('Grüße, 世界 🎉 ')), says('and more'), end])),
      holds: 'Grüße, 世界 🎉 and more',
    }),
    goesOn: () => steps([says('a beginning'), { fault: 'stall' }]),
    failures: {
      'nothing that listens': {
        code: 'PROVIDER_UNREACHABLE',
        scene: async () => {
          const unused = await steps([]);
          const vendor = dialect.vendor(await deadUrl());
          return { ...unused, provider: createAiSdkProvider(vendor, { timeoutSeconds: 20 }) };
        },
      },
      'an empty answer': { code: 'PROVIDER_BROKEN_STREAM', scene: () => sceneOf(dialect, { steps: [] }) },
      'a stream that ends without its end': { code: 'PROVIDER_BROKEN_STREAM', scene: () => steps([says('half')]) },
      'a stream that ends in half a frame': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => steps([says('half'), half.subarray(0, half.length - 9)]),
      },
      'a connection that is closed in the middle': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => steps([says('half'), { fault: 'cut' }]),
      },
      'a connection that is reset in the middle': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => steps([says('half'), { fault: 'reset' }]),
      },
      'a connection that is reset before it answers': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => sceneOf(dialect, { steps: [{ fault: 'reset' }] }),
      },
      'a server that says nothing': {
        code: 'PROVIDER_TIMEOUT',
        scene: () => sceneOf(dialect, { steps: [{ fault: 'stall' }] }, { timeoutSeconds: 0.1 }),
      },
      'a server that falls silent': {
        code: 'PROVIDER_TIMEOUT',
        scene: () => steps([says('a'), { fault: 'stall' }], {}, { timeoutSeconds: 0.1 }),
      },
      'an error in the middle': { code: 'PROVIDER_FAILED', scene: () => steps([says('a'), fails]) },
      'a page of HTML': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => sceneOf(dialect, { type: 'text/html', steps: ['<html>'] }),
      },
      'an answer in one piece of JSON': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => sceneOf(dialect, { type: 'application/json', steps: ['{"hello":1}'] }),
      },
      'a 404 of a web server': {
        code: 'PROVIDER_BROKEN_STREAM',
        scene: () => sceneOf(dialect, { status: 404, type: 'text/html', steps: ['<html>'] }),
      },
      'a 502 of a gateway': {
        code: 'PROVIDER_FAILED',
        scene: () => sceneOf(dialect, { status: 502, type: 'text/html', steps: ['<html>'] }),
      },
      'a 500 without words': {
        code: 'PROVIDER_FAILED',
        scene: () => sceneOf(dialect, { status: 500, type: 'text/plain', steps: [] }),
      },
      'a 429': { code: 'PROVIDER_FAILED', scene: () => refused(429, { error: { message: 'slow down' } }) },
      'a key that is wrong': {
        code: 'PROVIDER_KEY',
        scene: () => refused(401, { error: { message: 'invalid x-api-key' } }),
      },
      'a key that may not do it': { code: 'PROVIDER_KEY', scene: () => refused(403, { message: 'no access' }) },
      'a model that is missing': { code: 'MODEL_NOT_FOUND', scene: () => refused(missing.status, missing.body) },
      'no model at all': {
        code: 'MODEL_NOT_FOUND',
        scene: () => sceneOf(dialect, { steps: [] }, {}, { model: '' }),
      },
      'a redirect to another host': {
        code: 'PROVIDER_FAILED',
        scene: () => sceneOf(dialect, { status: 307, headers: { location: 'http://elsewhere.example/v1' } }),
      },
      'a conversation that is too long': {
        code: 'CONTEXT_TOO_SMALL',
        scene: () => refused(400, { error: { message: 'prompt is too long: 300000 tokens > 200000 maximum' } }),
      },
    },
  };
}

/**
 * The conversation after an answer, put together as a turn stores it: the question, the answer with its calls, and a
 * result of each.
 */
export function messagesAfter(signals: readonly ProviderSignal[], provider: string): readonly ModelMessage[] {
  const reply = emptyReply();
  for (const signal of signals) takeSignal(reply, signal);
  const { calls } = reply;
  return [
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', parts: partsOf(reply, provider), toolCalls: calls },
    ...(calls.length === 0
      ? [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'go on' }] }]
      : [
          {
            role: 'tool' as const,
            results: calls.map(({ callId, name }) => ({ callId, name, content: 'done', isError: false })),
          },
        ]),
  ];
}
