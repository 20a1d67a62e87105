// What every provider promises: run against each of them. See the head of lib/providers/provider.ts.
import { setTimeout as wait } from 'node:timers/promises';
import { isOllmError, type OllmError } from '../../lib/errors/index.ts';
import type { ModelRequest, Provider, ProviderSignal } from '../../lib/providers/provider.ts';

export interface Scene extends AsyncDisposable {
  readonly provider: Provider;
  readonly request: ModelRequest;
}

export interface ContractSubject {
  /** An answer of several pieces, with characters that take several bytes. */
  readonly answers: () => Promise<Scene & { readonly holds: string }>;
  /** An answer that begins and would go on for a long time. */
  readonly goesOn: () => Promise<Scene>;
  /** Failures by title: what happens, and the codes that fit. */
  readonly failures?: Readonly<
    Record<string, { readonly scene: () => Promise<Scene>; readonly code: OllmError['code'] }>
  >;
}

/** The contract speaks of a second; a busy machine gets some more before it counts as hanging. */
const HANGING_MS = 20_000;

export function requestOf(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test',
    system: '',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    readBlob: async () => undefined,
    ...more,
  };
}

export async function collect(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ProviderSignal[]> {
  const signals: ProviderSignal[] = [];
  for await (const part of provider.stream(request, { signal })) signals.push(part);
  return signals;
}

/** Without those that say nothing but that the answer continues. */
export function told(signals: readonly ProviderSignal[]): ProviderSignal[] {
  return signals.filter(
    (part) =>
      part.type !== 'tool-input' && (part.type !== 'reasoning' || part.text !== undefined || part.opaque !== undefined),
  );
}

export function textOf(signals: readonly ProviderSignal[]): string {
  return signals.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The error of a promise; throws if there is none, or one that a person cannot understand. */
export async function failureOf(promise: Promise<unknown>): Promise<OllmError> {
  const error = await Promise.race([
    promise.then(
      () => 'no failure',
      (thrown: unknown) => thrown,
    ),
    wait(HANGING_MS, 'it hangs', { ref: false }),
  ]);
  if (!isOllmError(error)) throw new Error(`expected an OllmError, got: ${String(error)}`, { cause: error });
  expect(error.message).toMatch(/^\S.{10,}[.]$/s);
  expect(`${error.message} ${error.hint ?? ''}`).not.toMatch(/undefined|\[object|NaN|\n {4}at /);
  if (error.code !== 'INTERRUPTED') expect(error.hint).toMatch(/^\S.{10,}/s);
  return error;
}

export function providerContract(name: string, subject: ContractSubject): void {
  describe(`${name} keeps the contract of a provider:`, () => {
    test('the stream ends with exactly one finish, and usage comes at most once before it', async () => {
      await using scene = await subject.answers();
      const types = (await collect(scene.provider, scene.request)).map(({ type }) => type);
      expect(types.filter((type) => type === 'finish')).toHaveLength(1);
      expect(types.at(-1)).toBe('finish');
      expect(types.filter((type) => type === 'usage').length).toBeLessThanOrEqual(1);
    });

    test('text arrives in several pieces, none of them empty, and complete', async () => {
      await using scene = await subject.answers();
      const signals = await collect(scene.provider, scene.request);
      const pieces = signals.filter((part) => part.type === 'text');
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.every(({ text }) => text !== '')).toBe(true);
      expect(textOf(signals)).toContain(scene.holds);
      expect(textOf(signals)).not.toContain('\uFFFD');
    });

    test('two answers at the same time do not mix, and the request stays unchanged', async () => {
      await using scene = await subject.answers();
      const before = JSON.stringify(scene.request);
      const [one, other] = await Promise.all([
        collect(scene.provider, scene.request),
        collect(scene.provider, scene.request),
      ]);
      expect(textOf(one)).toBe(textOf(other));
      expect(JSON.stringify(scene.request)).toBe(before);
    });

    test('a signal that is already aborted gives INTERRUPTED', async () => {
      await using scene = await subject.answers();
      expect(await failureOf(collect(scene.provider, scene.request, AbortSignal.abort()))).toMatchObject({
        code: 'INTERRUPTED',
      });
    });

    test('an abort in the middle ends the stream soon, with INTERRUPTED', async () => {
      await using scene = await subject.goesOn();
      const stop = new AbortController();
      const consume = async () => {
        for await (const _ of scene.provider.stream(scene.request, { signal: stop.signal }))
          setImmediate(() => stop.abort());
      };
      expect(await failureOf(consume())).toMatchObject({ code: 'INTERRUPTED' });
    });

    test('a caller that stops listening causes no failure', async () => {
      await using scene = await subject.goesOn();
      for await (const _ of scene.provider.stream(scene.request, { signal: new AbortController().signal })) break;
    });

    test('models have names, and a stopped question for them is INTERRUPTED or answered', async () => {
      await using scene = await subject.answers();
      const models = await scene.provider.models();
      expect(models.length).toBeGreaterThan(0);
      expect(models.every((model) => model.name.length > 0)).toBe(true);
      const stopped = await scene.provider.models({ signal: AbortSignal.abort() }).catch((error: unknown) => error);
      expect(Array.isArray(stopped) || isOllmError(stopped, 'INTERRUPTED')).toBe(true);
    });

    for (const [title, { scene: open, code }] of Object.entries(subject.failures ?? {})) {
      test(`${title} is ${code}, with a readable message`, async () => {
        await using scene = await open();
        expect(await failureOf(collect(scene.provider, scene.request))).toMatchObject({ code });
      });
    }
  });
}
