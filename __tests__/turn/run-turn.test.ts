import { setTimeout } from 'node:timers/promises';
import { config, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { createRedactor } from '../../lib/environment/redact.ts';
import { OllmError } from '../../lib/errors/index.ts';
import type { JournalStore, StoredEvent } from '../../lib/journal/types.ts';
import { silentLog, systemClock } from '../../lib/platform/index.ts';
import type { ProviderSignal } from '../../lib/providers/provider.ts';
import type { Session } from '../../lib/session/session.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { runTurn, type TurnDependencies, type TurnInput, type TurnOptions } from '../../lib/turn/run-turn.ts';
import type { TurnSignal } from '../../lib/turn/signals.ts';
import { eventsOf, memoryWorld, typesOf, viewTexts } from '../session/world.ts';
import { fails, forever, type Script, says, scriptedProvider } from '../support/scripted-provider.ts';

async function opened(script: Script, more: Partial<TurnDependencies> = {}) {
  const world = memoryWorld();
  const session = await world.create();
  const provider = scriptedProvider(script);
  const dependencies: TurnDependencies = {
    provider,
    model: 'm-1',
    counter: estimatingCounter,
    store: world.store,
    clock: systemClock,
    log: silentLog,
    ...more,
  };
  const turn = (input: string | TurnInput, options?: TurnOptions): Promise<TurnSignal[]> =>
    lastValueFrom(
      runTurn(session, typeof input === 'string' ? { text: input } : input, dependencies, options).pipe(toArray()),
    );
  return { ...world, session, provider, dependencies, turn };
}

const textOf = (signals: readonly TurnSignal[]): string =>
  signals.map((signal) => (signal.type === 'delta' ? signal.content : '')).join('');

/** That the session continues as if nothing had been: the same question to a provider that works. */
async function stillUsable(session: Session, dependencies: TurnDependencies): Promise<void> {
  const working = { ...dependencies, provider: scriptedProvider(() => says('fine')) };
  const signals = await lastValueFrom(runTurn(session, { text: 'again' }, working).pipe(toArray()));
  expect(signals.at(-1)?.type).toBe('done');
  expect(viewTexts(session).slice(-2)).toEqual(['user: again', 'assistant: fine']);
}

async function lastEvent(store: JournalStore, type: string) {
  return (await eventsOf(store, 'notes')).findLast((event) => event.type === type);
}

function filePartOf(event: StoredEvent | undefined): { type: string; blob: string } {
  const [part] = (event?.data.parts ?? []) as { type: string; blob: string }[];
  if (part === undefined) throw new Error('There is no such part.');
  return part;
}

describe('a turn', () => {
  it('stores message, answer and usage in order, and shows each piece as it comes', async () => {
    const { turn, store, session } = await opened(() => says('Hel', 'lo.'));
    const signals = await turn('Hi there');
    expect(signals).toEqual([
      { type: 'start', turn: 1 },
      { type: 'delta', content: 'Hel' },
      { type: 'delta', content: 'lo.' },
      { type: 'done', usage: { inputTokens: 10, outputTokens: 2 } },
    ]);
    const events = (await eventsOf(store, 'notes')).slice(1);
    expect(events.map(({ type }) => type)).toEqual([
      'turn.started',
      'message.added',
      'session.titled',
      'message.added',
      'usage.reported',
      'turn.ended',
    ]);
    expect(events.every((event) => event.turn === 1)).toBe(true);
    expect(events[2]?.data).toEqual({ title: 'Hi there', by: 'derived' });
    expect(events[3]?.data).toMatchObject({
      role: 'assistant',
      parts: [{ type: 'text', text: 'Hello.' }],
      tokens: { count: estimatingCounter.count('Hello.').count, method: 'estimated' },
      trusted: false,
      model: 'm-1',
      provider: 'scripted',
      finish: 'stop',
    });
    expect(events[4]?.data).toMatchObject({ source: 'provider', inputTokens: 10, outputTokens: 2 });
    expect(events[5]?.data).toMatchObject({ status: 'completed', steps: 1 });
    await session.close('exit');
  });

  it('titles a session of a foreign program after its first prompt', async () => {
    const { session, dependencies } = await opened(() => says('answer'));
    await session.append([
      { type: 'turn.started', turn: 1, data: { input: 'Why is the mast short?' } },
      {
        type: 'message.added',
        turn: 1,
        data: { role: 'user', parts: [{ type: 'text', text: 'Why is the mast short?' }], trusted: false },
      },
      { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 1 } },
    ]);
    await lastValueFrom(runTurn(session, { text: 'what next?' }, dependencies).pipe(toArray()));
    expect(session.states.summary.title).toBe('Why is the mast short?');
  });

  it('has the question on the device before the request goes out', async () => {
    let synced = -1;
    const { turn, session } = await opened(async function* () {
      synced = session.writer.synced.seq;
      yield* says('ok');
    });
    await turn('Hi');
    // session.created, turn.started, message.added, session.titled.
    expect(synced).toBe(3);
    expect(session.writer.synced.seq).toBe(session.writer.head.seq);
  });

  it('sends the earlier messages, and the next turn includes this one', async () => {
    const { turn, provider, session } = await opened(() => says('yes'));
    await turn('one');
    await turn('two');
    const texts = provider.requests[1]?.messages.map((message) =>
      !('parts' in message) ? '' : message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    );
    expect(texts).toEqual(['one', 'yes', 'two']);
    expect(session.states.openEnds).toEqual({ turns: 2, calls: [] });
  });

  it('runs after the previous turn, never at the same time', async () => {
    const { dependencies, session, store } = await opened(async function* (_request, _signal, round) {
      await setTimeout(round === 0 ? 30 : 0);
      yield* says(`answer ${round}`);
    });
    const turns = ['one', 'two'].map((text) => lastValueFrom(runTurn(session, { text }, dependencies)));
    await Promise.all(turns);
    expect((await eventsOf(store, 'notes')).flatMap(({ type, turn }) => (turn ? [`${turn} ${type}`] : []))).toEqual([
      ...['turn.started', 'message.added', 'session.titled', 'message.added', 'usage.reported', 'turn.ended'].map(
        (type) => `1 ${type}`,
      ),
      ...['turn.started', 'message.added', 'message.added', 'usage.reported', 'turn.ended'].map((type) => `2 ${type}`),
    ]);
  });

  it('estimates its usage if the provider does not report it', async () => {
    const { turn, store } = await opened(async function* () {
      yield { type: 'text', text: 'four words are here' };
      yield { type: 'finish', reason: 'stop' };
    });
    const signals = await turn('Hi');
    const usage = (await lastEvent(store, 'usage.reported'))?.data;
    expect(usage).toMatchObject({ source: 'estimate' });
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(signals.at(-1)).toMatchObject({ type: 'done', usage: { outputTokens: usage?.outputTokens } });
  });

  it('stores reasoning separately from the answer, and opaque data unchanged', async () => {
    const { turn, store } = await opened(async function* () {
      yield { type: 'reasoning', text: 'Let me ' };
      yield { type: 'reasoning', text: 'think.' };
      yield { type: 'reasoning', opaque: 'b64==' };
      yield* says('42');
    });
    const signals = await turn('Well?');
    expect(textOf(signals)).toBe('42');
    expect((await lastEvent(store, 'message.added'))?.data.parts).toEqual([
      { type: 'reasoning', text: 'Let me think.', provider: 'scripted' },
      { type: 'reasoning', opaque: 'b64==', provider: 'scripted' },
      { type: 'text', text: '42' },
    ]);
  });

  it('stores no message for an empty answer, and ends all the same', async () => {
    const { turn, store, session, dependencies } = await opened(() => says());
    expect((await turn('Hi')).at(-1)?.type).toBe('done');
    expect((await typesOf(store, 'notes')).filter((type) => type === 'message.added')).toHaveLength(1);
    await stillUsable(session, dependencies);
  });

  it('reports when older messages no longer fit the window', async () => {
    const { turn } = await opened(() => says('ok'), { contextWindow: 400 });
    await turn('word '.repeat(150));
    const signals = await turn('word '.repeat(150));
    expect(signals).toContainEqual({ type: 'notice', text: expect.stringMatching(/not sent any more/) });
  });

  it('ends with a clear sentence if the message does not fit, and the session stays usable', async () => {
    const { turn, session, dependencies, provider } = await opened(() => says('ok'), { contextWindow: 300 });
    const signals = await turn('word '.repeat(2000));
    expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'CONTEXT_TOO_SMALL' } });
    expect(provider.requests).toHaveLength(0);
    await stillUsable(session, dependencies);
  });

  it('loses no events to a listener that throws', async () => {
    const { session, dependencies, store } = await opened(() => says('a', 'b'));
    const unhandled: unknown[] = [];
    config.onUnhandledError = (error) => unhandled.push(error);
    try {
      session.writer.subscribe(() => {
        throw new Error('A listener of events is broken.');
      });
      await new Promise<void>((resolve) => {
        runTurn(session, { text: 'Hi' }, dependencies).subscribe({
          next: () => {
            throw new Error('A listener of signals is broken.');
          },
          complete: resolve,
        });
      });
      await setTimeout(0);
    } finally {
      config.onUnhandledError = null;
    }
    expect(unhandled.length).toBeGreaterThan(0);
    expect((await typesOf(store, 'notes')).at(-1)).toBe('turn.ended');
    expect(viewTexts(session)).toEqual(['user: Hi', 'assistant: ab']);
  });
});

describe('a provider that fails', () => {
  const down = new OllmError('PROVIDER_UNREACHABLE', 'Nothing answers at 127.0.0.1:11434.', { hint: 'Start Ollama.' });
  const failures: [string, Script, string, string][] = [
    ['is down', () => fails(down), 'PROVIDER_UNREACHABLE', ''],
    [
      'throws an unexpected value',
      async function* () {
        yield { type: 'text', text: 'so' };
        throw new TypeError('x is null');
      },
      'PROVIDER_FAILED',
      'so',
    ],
    [
      'throws no error at all',
      async function* () {
        yield { type: 'text', text: 'so' };
        throw 'a string';
      },
      'PROVIDER_FAILED',
      'so',
    ],
    [
      'throws before it streams',
      () => {
        throw new Error('at once');
      },
      'PROVIDER_FAILED',
      '',
    ],
    [
      'is cut off in the middle',
      async function* () {
        yield { type: 'text', text: 'half an ans' };
      },
      'PROVIDER_BROKEN_STREAM',
      'half an ans',
    ],
    [
      'falls silent',
      async function* () {
        yield { type: 'text', text: 'so far' };
        await forever();
      },
      'PROVIDER_TIMEOUT',
      'so far',
    ],
    [
      'sends no text but something else',
      async function* () {
        yield { type: 'text', text: 7 } as unknown as ProviderSignal;
      },
      'PROVIDER_BROKEN_STREAM',
      '',
    ],
    [
      'sends an item that is not a signal',
      async function* () {
        yield { type: 'text', text: 'a' };
        yield null as unknown as ProviderSignal;
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'sends a signal of no known kind',
      async function* () {
        yield { type: 'dance' } as unknown as ProviderSignal;
      },
      'PROVIDER_BROKEN_STREAM',
      '',
    ],
    [
      'counts nonsense',
      async function* () {
        yield { type: 'text', text: 'a' };
        yield { type: 'usage', usage: { inputTokens: -1, outputTokens: Number.NaN } };
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'counts costs that are no number',
      async function* () {
        yield { type: 'text', text: 'a' };
        yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1, totalCost: Number.NaN } };
        yield { type: 'finish', reason: 'stop' };
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'took more than nothing from its cache, but less than one token',
      async function* () {
        yield { type: 'text', text: 'a' };
        yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0.5 } };
        yield { type: 'finish', reason: 'stop' };
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'ends for an unknown reason',
      async function* () {
        yield { type: 'text', text: 'a' };
        yield { type: 'finish', reason: 'end_turn' } as unknown as ProviderSignal;
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'continues after its end',
      async function* () {
        yield* says('a');
        yield { type: 'text', text: 'b' };
      },
      'PROVIDER_BROKEN_STREAM',
      'a',
    ],
    [
      'asks for a tool without a name',
      async function* () {
        yield { type: 'tool-call', call: { callId: 'c' } } as unknown as ProviderSignal;
      },
      'PROVIDER_BROKEN_STREAM',
      '',
    ],
  ];

  it.each(failures)(
    '%s: the turn fails and keeps the part that arrived, and the session continues',
    async (_, script, code, text) => {
      const { turn, store, session, dependencies } = await opened(script, { silenceTimeoutMs: 40 });
      const signals = await turn('Hi');
      expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code } });
      expect(signals.filter(({ type }) => ['done', 'error', 'cancelled'].includes(type))).toHaveLength(1);
      expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'failed', error: { code } });
      const [answer] = (await eventsOf(store, 'notes')).filter(({ data }) => data.role === 'assistant');
      if (text === '') expect(answer).toBeUndefined();
      else expect(answer?.data).toMatchObject({ parts: [{ text }], finish: 'failed' });
      await stillUsable(session, dependencies);
    },
  );

  it('is reported in readable words, and without the secrets that were in them', async () => {
    const key = `sk-ant-api03-${'a1B2c3D4'.repeat(6)}`;
    const { turn, store } = await opened(() => fails(new Error(`401 for key ${key}`)), { redactor: createRedactor() });
    const [, last] = await turn('Hi');
    const shown = last?.type === 'error' ? last.error : undefined;
    expect(shown?.message).toMatch(/^The provider scripted failed: 401 for key \[redacted/);
    expect(JSON.stringify((await eventsOf(store, 'notes')).map(({ data }) => data))).not.toContain(key);
  });
});

describe('a cancelled turn', () => {
  const stubborn: Script = async function* () {
    yield { type: 'text', text: 'so ' };
    yield { type: 'text', text: 'far' };
    await forever();
  };

  it('keeps the part that arrived, immediately, even if the provider does not listen', async () => {
    const { session, dependencies, store, provider } = await opened(stubborn);
    const cancel = new AbortController();
    const signals: TurnSignal[] = [];
    await new Promise<void>((resolve) => {
      runTurn(session, { text: 'Hi' }, dependencies, { signal: cancel.signal }).subscribe({
        next(signal) {
          signals.push(signal);
          if (textOf(signals) === 'so far') cancel.abort();
        },
        complete: resolve,
      });
    });
    expect(signals.at(-1)).toEqual({ type: 'cancelled' });
    expect(provider.aborted()).toBe(1);
    expect((await lastEvent(store, 'message.added'))?.data).toMatchObject({
      parts: [{ text: 'so far' }],
      finish: 'cancelled',
    });
    expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'cancelled' });
    expect(session.writer.synced.seq).toBe(session.writer.head.seq);
    await stillUsable(session, dependencies);
  });

  it('by unsubscribing is recorded in the background, and closing waits for that', async () => {
    const { session, dependencies, store } = await opened(stubborn);
    await new Promise<void>((resolve) => {
      const subscription = runTurn(session, { text: 'Hi' }, dependencies).subscribe((signal) => {
        if (signal.type !== 'delta' || signal.content !== 'far') return;
        subscription.unsubscribe();
        resolve();
      });
    });
    await session.close('signal', 'SIGHUP');
    expect((await typesOf(store, 'notes')).slice(-3)).toEqual(['usage.reported', 'turn.ended', 'session.closed']);
    expect((await lastEvent(store, 'message.added'))?.data).toMatchObject({
      parts: [{ text: 'so far' }],
      finish: 'cancelled',
    });
  });

  it('before the first piece has the question and no answer', async () => {
    const { turn, store, session, dependencies } = await opened(async function* () {
      await forever();
      yield* says('never');
    });
    const signals = await turn('Hi', { signal: AbortSignal.timeout(20) });
    expect(signals.map(({ type }) => type)).toEqual(['start', 'cancelled']);
    expect((await typesOf(store, 'notes')).slice(-1)).toEqual(['turn.ended']);
    expect(await typesOf(store, 'notes')).not.toContain('usage.reported');
    await stillUsable(session, dependencies);
  });

  it('after the complete answer changes nothing', async () => {
    const cancel = new AbortController();
    const { turn, store } = await opened(() => says('done'));
    await turn('Hi', { signal: cancel.signal });
    cancel.abort();
    expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'completed' });
  });
});

describe('a provider that asks for tools', () => {
  const asking = (callId: string, args: unknown = { path: '.' }): Script =>
    async function* (_request, _signal, round) {
      if (round > 0) return yield* says('Then without.');
      yield { type: 'text', text: 'Let me look.' };
      yield { type: 'tool-call', call: { callId, name: 'ls', args } };
      yield { type: 'tool-call', call: { callId, name: 'cat', args } };
      yield { type: 'finish', reason: 'tool-calls' };
    };

  it('is told that no tool runs, and the turn continues with a well-formed request', async () => {
    const { turn, store, provider } = await opened(asking('c1'));
    const signals = await turn('What is here?');
    expect(signals.map(({ type }) => type)).toEqual([
      ...['start', 'delta', 'tool_call', 'tool_call', 'tool_result', 'tool_result', 'delta', 'done'],
    ]);
    expect((await typesOf(store, 'notes')).slice(4, -3)).toEqual([
      ...['message.added', 'tool.requested', 'tool.requested', 'usage.reported'],
      ...['tool.decided', 'tool.finished', 'tool.decided', 'tool.finished'],
    ]);
    const [, answer, results] = provider.requests[1]?.messages ?? [];
    const calls = answer?.role === 'assistant' ? answer.toolCalls.map(({ callId }) => callId) : [];
    expect(new Set(calls).size).toBe(2);
    expect(results?.role === 'tool' && results.results.map(({ callId, isError }) => [callId, isError])).toEqual(
      calls.map((callId) => [callId, true]),
    );
    expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'completed', steps: 2 });
  });

  it.each(['', undefined as unknown as string])('gets an id for a call without one', async (callId) => {
    const { turn, store } = await opened(asking(callId, null));
    expect((await turn('What is here?')).at(-1)?.type).toBe('done');
    const ids = (await eventsOf(store, 'notes')).flatMap(({ type, data }) =>
      type === 'tool.finished' ? [data.callId] : [],
    );
    expect(ids).toEqual(['call-1-1-1', 'call-1-1-2']);
  });

  it('is stopped when it repeats a call', async () => {
    const { turn, store, session, dependencies } = await opened(async function* () {
      yield { type: 'tool-call', call: { callId: 'c', name: 'ls', args: {} } };
      yield { type: 'finish', reason: 'tool-calls' };
    });
    const signals = await turn('Loop');
    expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'LOOP_DETECTED', exitCode: 6 } });
    expect((await typesOf(store, 'notes')).slice(-2)).toEqual(['loop.detected', 'turn.ended']);
    expect((await lastEvent(store, 'loop.detected'))?.data).toMatchObject({
      pattern: 'repeated-tool',
      action: 'stop',
      count: 3,
    });
    await stillUsable(session, dependencies);
  });

  describe('and never stops', () => {
    /** Asks for another tool call in each of that many requests, then answers. */
    const working = (requests: number): Script =>
      async function* (_request, _signal, round) {
        if (round < requests) yield { type: 'tool-call', call: { callId: 'c', name: 'ls', args: { round } } };
        else yield { type: 'text', text: 'Done.' };
        yield { type: 'finish', reason: round < requests ? 'tool-calls' : 'stop' };
      };

    it("is stopped after the caller's limit of requests, if no user can be asked", async () => {
      const { turn, store } = await opened(working(9), { maxSteps: 4, stopAtLoop: false });
      expect((await turn('Go')).at(-1)).toMatchObject({ type: 'error', error: { code: 'LOOP_DETECTED' } });
      expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'loop', steps: 4 });
    });

    it('continues if the caller set no limit', async () => {
      const { turn, store } = await opened(working(120));
      expect((await turn('Go')).at(-1)?.type).toBe('done');
      expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'completed', steps: 121 });
      expect(await typesOf(store, 'notes')).not.toContain('loop.detected');
    });

    it('continues as long as the user agrees, asked every 50 requests', async () => {
      const asked: number[] = [];
      const askToGoOn = async (requests: number) => asked.push(requests) < 3;
      const { turn, store, session } = await opened(working(200), { askToGoOn });
      expect((await turn('Go')).at(-1)).toMatchObject({ type: 'error', error: { code: 'LOOP_DETECTED' } });
      expect(asked).toEqual([50, 50, 50]);
      const answers = (await eventsOf(store, 'notes')).filter(({ type }) => type === 'loop.detected');
      expect(answers.map(({ data }) => [data.pattern, data.action])).toEqual([
        ['turn-limit', 'ask'],
        ['turn-limit', 'ask'],
        ['turn-limit', 'stop'],
      ]);
      expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'loop', steps: 150 });
      expect(session.states.loop.turns).toBe(50);
    });

    it('is cancelled by Ctrl+C during the question', async () => {
      const stop = new AbortController();
      const askToGoOn = (_requests: number, signal: AbortSignal) =>
        new Promise<boolean>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('not answered')), { once: true });
          stop.abort();
        });
      const { session, dependencies, store } = await opened(working(9), { askToGoOn, maxSteps: 4 });
      const signals = await lastValueFrom(
        runTurn(session, { text: 'Go' }, dependencies, { signal: stop.signal }).pipe(toArray()),
      );
      expect(signals.at(-1)).toEqual({ type: 'cancelled' });
      expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'cancelled', steps: 4 });
    });
  });
});

describe('secrets in the question, the answer and the arguments of tools', () => {
  it('are not in the journal, and each is reported by kind and number', async () => {
    const secret = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`;
    const { turn, store } = await opened(
      async function* (_request, _signal, round) {
        if (round > 0) return yield* says(`It is ${secret.slice(0, 20)}`, secret.slice(20));
        yield { type: 'tool-call', call: { callId: 'c', name: 'push', args: { deep: [{ token: secret }] } } };
        yield { type: 'finish', reason: 'tool-calls' };
      },
      { redactor: createRedactor() },
    );
    await turn(`Push with ${secret}`);
    expect(JSON.stringify((await eventsOf(store, 'notes')).map(({ data }) => data))).not.toContain(secret);
    const told = (await eventsOf(store, 'notes')).filter(({ type }) => type === 'secret.redacted');
    expect(told.map(({ data }) => [data.where, data.count])).toEqual([
      ['user message', 1],
      ['answer', 1],
      ['answer', 1],
    ]);
  });
});

describe('a very long text', () => {
  it('of the user is stored whole in a file, and the turn shows its beginning', async () => {
    const { turn, store, session } = await opened(() => says('Long.'));
    const text = `Read this: ${'0123456789abcde\n'.repeat((20 * 1024 * 1024) / 16)}\u2028end`;
    await turn(text);
    const [started, message] = (await eventsOf(store, 'notes')).slice(1);
    expect(String(started?.data.input)).toMatch(
      /^Read this: 0123.*… \[\d+ bytes in all: the whole text is blobs\/[0-9a-f]{64}\]$/s,
    );
    expect(String(started?.data.input).length).toBeLessThan(2000);
    const part = filePartOf(message);
    expect(part.type).toBe('file');
    const bytes = await store.readBlob(part.blob);
    expect(bytes && new TextDecoder().decode(bytes) === text).toBe(true);
    await session.close('exit');
  });

  it('of the model is stored whole as well', async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`);
    const { turn, store } = await opened(() => says(...lines));
    await turn('Much, please');
    const part = filePartOf(await lastEvent(store, 'message.added'));
    expect(new TextDecoder().decode(await store.readBlob(part.blob))).toBe(lines.join(''));
  });
});

describe('a turn whose journal cannot be written', () => {
  it('ends with an error immediately, and claims to have saved nothing', async () => {
    const { session, dependencies, provider } = await opened(() => says('never'));
    await session.writer.close();
    const signals = await lastValueFrom(runTurn(session, { text: 'Hi' }, dependencies).pipe(toArray()));
    expect(signals).toEqual([
      { type: 'error', error: expect.objectContaining({ code: 'JOURNAL_CLOSED', exitCode: 9 }) },
    ]);
    expect(provider.requests).toHaveLength(0);
  });

  it('in its middle reports that instead of “done”', async () => {
    const { session, dependencies } = await opened(async function* () {
      yield { type: 'text', text: 'seen' };
      await session.writer.close();
      yield { type: 'finish', reason: 'stop' };
    });
    const signals = await lastValueFrom(runTurn(session, { text: 'Hi' }, dependencies).pipe(toArray()));
    expect(signals.map(({ type }) => type)).toEqual(['start', 'delta', 'error']);
  });

  it('for want of space is stored again once there is room, with the previous turn ended', async () => {
    const { session, dependencies, store } = await opened(async function* (_request, _signal, round) {
      full = round === 0;
      yield* says('answer');
    });
    let full = false;
    const append = session.writer.append.bind(session.writer);
    session.writer.append = (events, options) =>
      full ? Promise.reject(new OllmError('JOURNAL_FULL', 'The disk is full.')) : append(events, options);
    const failed = await lastValueFrom(runTurn(session, { text: 'one' }, dependencies).pipe(toArray()));
    expect(failed.at(-1)).toMatchObject({ type: 'error', error: { code: 'JOURNAL_FULL' } });
    expect((await typesOf(store, 'notes')).at(-1)).toBe('session.titled');

    full = false;
    const signals = await lastValueFrom(runTurn(session, { text: 'two' }, dependencies).pipe(toArray()));
    expect(signals.at(-1)?.type).toBe('done');
    const turns = (await eventsOf(store, 'notes')).flatMap(({ type, turn }) =>
      /^turn/.test(type) ? [`${turn} ${type}`] : [],
    );
    expect(turns).toEqual(['1 turn.started', '1 turn.ended', '2 turn.started', '2 turn.ended']);
  });
});

it('a turn without a subscriber does not run', async () => {
  const { session, dependencies, provider } = await opened(() => says('x'));
  runTurn(session, { text: 'Hi' }, dependencies);
  await setTimeout(5);
  expect(provider.requests).toHaveLength(0);
  await firstValueFrom(runTurn(session, { text: 'Hi' }, dependencies));
  await session.close('exit');
});

it('a fault of ollm itself ends the turn, and the session continues', async () => {
  let faults = 1;
  const counter = {
    count(text: string) {
      if (text === 'fine' && faults-- > 0) throw new TypeError('a fault');
      return estimatingCounter.count(text);
    },
  };
  const { turn, store, session, dependencies } = await opened(() => says('fine'), { counter });
  expect((await turn('Hi')).at(-1)).toMatchObject({ type: 'error', error: { code: 'INTERNAL' } });
  expect((await lastEvent(store, 'turn.ended'))?.data).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  await stillUsable(session, dependencies);
});
