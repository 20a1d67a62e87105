import { inspect } from 'node:util';
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { type CompactionSettings, DEFAULT_COMPACTION, MAX_FAILURES } from '../../../lib/context/compaction/due.ts';
import { SUMMARY_SECTIONS } from '../../../lib/context/compaction/sections.ts';
import { createRedactor } from '../../../lib/environment/redact.ts';
import type { JournalStore, StoredEvent } from '../../../lib/journal/types.ts';
import { silentLog, systemClock } from '../../../lib/platform/index.ts';
import { usedTokens } from '../../../lib/projections/budget-report.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import type { Compacted, ModelRequest, Provider, ProviderSignal } from '../../../lib/providers/provider.ts';
import { estimatingCounter } from '../../../lib/tokens/estimate.ts';
import { compact } from '../../../lib/turn/compaction/compact.ts';
import { runTurn, type TurnDependencies, type TurnOptions } from '../../../lib/turn/run-turn.ts';
import { eventsOf, memoryWorld, turnEvents, viewTexts } from '../../session/world.ts';
import { fails, forever, says, scriptedProvider } from '../../support/scripted-provider.ts';

const SUMMARY = SUMMARY_SECTIONS.map(({ title }) => `### ${title}\n- of the summary`).join('\n');
const NEVER = new AbortController().signal;
const WINDOW = 4000;

const isSummaryRequest = ({ system }: ModelRequest) => system.startsWith('You write notes');

interface Options {
  readonly settings?: Partial<CompactionSettings>;
  readonly summary?: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ProviderSignal>;
  readonly turns?: number;
  readonly words?: number;
  /** What else the provider can do. */
  readonly can?: Partial<Pick<Provider, 'countTokens' | 'compact'>>;
  readonly summarizer?: TurnDependencies['summarizer'];
  readonly log?: TurnDependencies['log'];
  readonly redactor?: TurnDependencies['redactor'];
}

/** A session that nearly fills its window. */
async function full({
  settings = {},
  summary = () => plain(SUMMARY),
  turns = 8,
  words = 400,
  can = {},
  ...more
}: Options = {}) {
  const world = memoryWorld();
  const session = await world.create('notes', {
    created: { provider: 'scripted', model: 'm-1', ollm: '0.0.0', contextWindow: WINDOW },
    system: { text: 'You are terse.', tokens: { count: 4, method: 'counted' } },
  });
  for (let turn = 1; turn <= turns; turn++) {
    await session.append(
      turnEvents(turn, `question ${turn} ${'word '.repeat(words / 2)}`, `answer ${turn} ${'word '.repeat(words / 2)}`),
    );
  }
  const scripted = scriptedProvider((request, signal) =>
    isSummaryRequest(request) ? summary(request, signal) : plain('fine'),
  );
  const capabilities = {
    ...scripted.capabilities,
    tokenCounting: can.countTokens !== undefined,
    compaction: can.compact !== undefined,
  };
  const provider = { ...scripted, ...can, capabilities };
  const compaction = { ...DEFAULT_COMPACTION, preserveRecentTokens: 100, ...settings };
  const dependencies: TurnDependencies = {
    provider,
    model: 'm-1',
    contextWindow: WINDOW,
    counter: estimatingCounter,
    store: world.store,
    clock: systemClock,
    log: silentLog,
    compaction,
    ...more,
  };
  return {
    ...world,
    session,
    provider,
    turn: (text: string, changes: Partial<TurnDependencies> = {}, options: TurnOptions = {}) =>
      lastValueFrom(runTurn(session, { text }, { ...dependencies, ...changes }, options).pipe(toArray())),
    byUser: (signal = NEVER) => compact(session, dependencies, { settings: compaction, by: 'user', signal }),
    events: async (type: string): Promise<StoredEvent[]> =>
      (await eventsOf(world.store, 'notes')).filter((event) => event.type === type),
    used: () => usedTokens(session.states.budget).count,
  };
}

async function* plain(text: string): AsyncGenerator<ProviderSignal> {
  yield { type: 'text', text };
  yield { type: 'finish', reason: 'stop' };
}

/** The part of the journal that the model is sent. */
async function replayed(store: Pick<JournalStore, 'openReader'>): Promise<string[]> {
  const reader = store.openReader('notes');
  const { states } = await replay(reader, { view: viewFold });
  reader.close();
  return viewTexts({ states } as never);
}

const texts = (request: ModelRequest | undefined) => JSON.stringify([request?.system, request?.messages]);

describe('a turn in a nearly full window', () => {
  it('reports that messages are being summarized exactly if a model is asked for a summary', async () => {
    const sizes = fc.record({ turns: fc.integer({ min: 0, max: 6 }), words: fc.integer({ min: 2, max: 4_000 }) });
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const { turn, provider } = await full(size);
        const told = (await turn('And now?')).some(
          (signal) => signal.type === 'notice' && /being summ/.test(signal.text),
        );
        seen.add(told);
        expect(told).toBe(provider.requests.some(isSummaryRequest));
      }),
    );
    expect([...seen].sort()).toEqual([false, true]);
  });

  it('summarizes the older messages first, reports it, and asks with the summary in their place', async () => {
    const { turn, provider, events, used, session } = await full();
    const before = used();
    const signals = await turn('And now?');
    const notices = signals.flatMap((signal) => (signal.type === 'notice' ? [signal.text] : []));
    expect(notices).toEqual([
      expect.stringMatching(/^The window is \d+% full: older messages are being summarized\.$/),
      expect.stringMatching(/^\d+ older messages were summarized: \d+ tokens became \d+\..*compact --undo/),
    ]);
    const [summaryRequest, request] = provider.requests;
    expect(texts(summaryRequest)).toContain('question 1');
    expect(texts(request)).toContain('of the summary');
    expect(texts(request)).not.toContain('question 1 ');
    expect(texts(request)).toContain('And now?');
    expect(request?.system.startsWith('You are terse.')).toBe(true);
    expect(used()).toBeLessThan(before);
    expect(await events('compaction.completed')).toMatchObject([{ turn: 9, data: { strategy: 'hybrid', by: 'auto' } }]);
    expect(session.states.compaction).toMatchObject({ failures: 0, last: { strategy: 'hybrid' } });
  });

  it('records the usage of the summary, which does not count as contents of the window', async () => {
    const { turn, events, used } = await full({ summary: () => says(SUMMARY) });
    await turn('And now?');
    expect((await events('usage.reported')).map(({ data }) => data.purpose)).toEqual(['summary', undefined]);
    expect(used()).toBeGreaterThan(20);
  });

  it('removes nothing from the journal, and an undo brings every message back', async () => {
    const { turn, session, store, events, open } = await full();
    await session.save({ snapshot: 'now' });
    const before = viewTexts(session);
    await turn('And now?');
    expect(viewTexts(session).length).toBeLessThan(before.length);
    const [checkpoint] = await events('compaction.completed');
    await session.append({ type: 'compaction.undone', data: { seq: checkpoint?.seq ?? 0 } });
    expect(viewTexts(session)).toEqual([...before, 'user: And now?', 'assistant: fine']);
    await session.close('exit');
    const again = await open();
    expect(viewTexts(again)).toEqual([...before, 'user: And now?', 'assistant: fine']);
    expect((await eventsOf(store, 'notes')).filter(({ type }) => type === 'message.added')).toHaveLength(1 + 16 + 2);
  });

  it('does not compact again until the conversation has grown', async () => {
    const { turn, events, session } = await full();
    await turn('one');
    const [checkpoint] = await events('compaction.completed');
    await session.append({ type: 'compaction.undone', data: { seq: checkpoint?.seq ?? 0 } });
    await turn('two');
    expect(await events('compaction.completed')).toHaveLength(1);
    await turn('word '.repeat(450));
    expect(await events('compaction.completed')).toHaveLength(2);
  });

  it('does not compact if compaction is switched off', async () => {
    const { turn, events } = await full({ settings: { enabled: false } });
    await turn('And now?');
    expect(await events('compaction.completed')).toEqual([]);
  });

  it('truncates if the model cannot be asked, and continues', async () => {
    const { turn, events, provider } = await full({ summary: () => fails(new Error('connection refused')) });
    const signals = await turn('And now?');
    expect(signals.at(-1)?.type).toBe('done');
    expect(await events('compaction.failed')).toMatchObject([
      { data: { strategy: 'hybrid', error: { code: 'PROVIDER_FAILED' }, fallback: 'truncate' } },
    ]);
    expect(await events('compaction.completed')).toMatchObject([{ data: { strategy: 'truncate' } }]);
    expect((await events('compaction.completed'))[0]?.data).not.toHaveProperty('summary');
    expect(texts(provider.requests.at(-1))).not.toContain('question 1 ');
  });

  it('truncates automatically after three failures in a row, without asking the model again', async () => {
    const { turn, events, provider } = await full({ summary: () => plain('') });
    for (let round = 0; round < MAX_FAILURES + 2; round++) {
      for (let more = 0; more < 4; more++) await turn(`again ${'word '.repeat(400)}`);
    }
    expect(await events('compaction.failed')).toHaveLength(MAX_FAILURES);
    expect(provider.requests.filter(isSummaryRequest)).toHaveLength(MAX_FAILURES);
    expect((await events('compaction.completed')).length).toBeGreaterThan(MAX_FAILURES);
    expect((await events('compaction.completed')).every(({ data }) => data.strategy === 'truncate')).toBe(true);
  });

  it('counts a summary that is not smaller as a failure', async () => {
    const { byUser, events } = await full({
      turns: 3,
      words: 20,
      settings: { preserveRecentTokens: 10 },
      summary: () => plain(`${SUMMARY}\n- and much more ${'word '.repeat(400)}`),
    });
    expect(await byUser()).toMatchObject({
      kind: 'compacted',
      strategy: 'truncate',
      failure: { code: 'COMPACTION_FAILED' },
    });
    expect(await events('compaction.failed')).toMatchObject([{ data: { error: { code: 'COMPACTION_FAILED' } } }]);
  });

  it('cuts a message that is too large for the recent part, and marks the gap', async () => {
    const { session, byUser, events } = await full({ turns: 1, words: 20, settings: { strategy: 'truncate' } });
    await session.append(turnEvents(2, `BEGIN ${'word '.repeat(3600)} END`, 'ok'));
    await session.append(turnEvents(3, 'small', 'small'));
    expect(await byUser()).toMatchObject({ kind: 'compacted', strategy: 'truncate' });
    expect(viewTexts(session).slice(1)).toEqual(['assistant: ok', 'user: small', 'assistant: small']);
    expect((await events('compaction.completed'))[0]?.data.summary).toMatch(
      /BEGIN[\s\S]+characters left out[\s\S]+END/,
    );
  });
});

describe('a compaction by command', () => {
  it('says if nothing can be compacted', async () => {
    const { byUser, events } = await full({ turns: 1, settings: { preserveRecentTokens: 4096 } });
    expect(await byUser()).toEqual({ kind: 'nothing-to-do' });
    expect(await events('compaction.completed')).toEqual([]);
  });

  it('continues from the previous summary', async () => {
    const { byUser, turn, provider, session } = await full();
    await byUser();
    for (const text of ['one', 'two', 'three']) await turn(`${text} ${'word '.repeat(300)}`);
    await byUser();
    expect(texts(provider.requests.findLast(isSummaryRequest))).toContain('of the summary');
    expect(session.states.compaction.last?.by).toBe('user');
  });

  it('stores nothing when it is stopped', async () => {
    const stop = new AbortController();
    const { byUser, store } = await full({
      async *summary() {
        stop.abort();
        yield* says('too late');
        await forever();
      },
    });
    const before = (await eventsOf(store, 'notes')).length;
    await expect(byUser(stop.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await eventsOf(store, 'notes')).toHaveLength(before);
  });

  describe('of a conversation longer than the kept states', () => {
    /** The oldest turns are only in the journal. */
    async function long(options: Options = {}) {
      const world = await full({ turns: 1, ...options });
      for (let turn = 2; turn <= 700; turn++) {
        await world.session.append(turnEvents(turn, `question ${turn} ${'word '.repeat(500)}`, 'ok'));
      }
      await world.session.save({ snapshot: 'now' });
      expect(world.session.states.view.timeline.forgotten.length).toBeGreaterThan(0);
      const { openReader } = world.store;
      let reads = 0;
      world.store.openReader = (id) => {
        reads += 1;
        return openReader(id);
      };
      return { ...world, reads: () => reads };
    }

    it('summarizes the trimmed messages, from the journal', async () => {
      const { byUser, provider } = await long();
      expect(await byUser()).toMatchObject({ kind: 'compacted' });
      expect(texts(provider.requests[0])).toContain('question 1 ');
    });

    it('removes the trimmed messages without reading them for truncation, and restores them on undo', async () => {
      const { byUser, session, reads, store, events } = await long({ settings: { strategy: 'truncate' } });
      const result = await byUser();
      expect(reads()).toBe(0);
      const [stored] = await events('compaction.completed');
      const question = (await events('message.added')).find(({ data }) => data.role === 'user');
      expect(stored?.data.covers).toMatchObject({ from: question?.seq });
      expect(result).toMatchObject({ kind: 'compacted', strategy: 'truncate' });
      const messages = result.kind === 'compacted' ? result.messages : 0;
      expect(messages).toBeGreaterThan(1300);
      expect(viewTexts(session)).toEqual(await replayed(store));
      await session.append({ type: 'compaction.undone', data: { seq: stored!.seq } });
      const [system, ...back] = viewTexts(session);
      expect((await replayed(store))[0]).toBe(system);
      expect((await replayed(store)).slice(-back.length)).toEqual(back);
      expect(back.length).toBeGreaterThan(100);
    });
  });

  it('extracts the summary if there is no model', async () => {
    const { byUser, provider, events } = await full({ settings: { summaries: 'extraction' } });
    await byUser();
    expect(provider.requests).toEqual([]);
    expect((await events('compaction.completed'))[0]?.data.summary).toContain('### Open work');
  });
});

describe('a compaction by the provider itself', () => {
  /** Makes nothing of anything, in 20 tokens. */
  function compacting() {
    const compacted: ModelRequest[] = [];
    const compact = async (request: ModelRequest): Promise<Compacted> => {
      compacted.push(request);
      return { opaque: `sealed-${compacted.length}`, usage: { inputTokens: 3000, outputTokens: 20 } };
    };
    return { compact, compacted };
  }
  const opaqueOf = (request: ModelRequest | undefined) =>
    request?.messages.flatMap((message) =>
      !('parts' in message) ? [] : message.parts.flatMap((part) => (part.type === 'reasoning' ? [part.opaque] : [])),
    );

  it('replaces a summary, and is sent only to the same model', async () => {
    const { compact, compacted } = compacting();
    const { turn, provider, events, session, used } = await full({ can: { compact } });
    const before = used();
    await turn('And now?');
    expect(texts(compacted[0])).toContain('question 1 ');
    expect(provider.requests.filter(isSummaryRequest)).toEqual([]);
    const [request] = provider.requests;
    expect(opaqueOf(request)).toEqual(['sealed-1']);
    expect(texts(request)).not.toContain('question 1 ');
    expect(used()).toBeLessThan(before);
    expect(await events('compaction.completed')).toMatchObject([
      {
        data: {
          strategy: 'provider',
          opaque: { provider: 'scripted', model: 'm-1', content: 'sealed-1', tokens: 20 },
          summary: expect.stringContaining('### Open work'),
        },
      },
    ]);
    expect((await events('usage.reported'))[0]?.data).toMatchObject({
      purpose: 'summary',
      inputTokens: 3000,
      source: 'provider',
    });

    await session.append({
      type: 'model.changed',
      data: { provider: 'scripted', model: 'm-2', contextWindow: WINDOW },
    });
    await turn('Who are you?', { model: 'm-2' });
    expect(opaqueOf(provider.requests.at(-1))).toEqual([]);
    expect(provider.requests.at(-1)?.system).toContain('### Open work');
  });

  it('continues from the previous one', async () => {
    const { compact, compacted } = compacting();
    const { turn, byUser } = await full({ can: { compact } });
    await byUser();
    for (const text of ['one', 'two', 'three']) await turn(`${text} ${'word '.repeat(300)}`);
    await byUser();
    expect(opaqueOf(compacted.at(-1))).toContain(`sealed-${compacted.length - 1}`);
  });

  it.each<[string, () => Promise<Compacted>]>([
    ['fails', async () => Promise.reject(new Error('no such endpoint'))],
    ['makes it no smaller', async () => ({ opaque: 'x', usage: { inputTokens: 1, outputTokens: 9000 } })],
  ])('is replaced by a summary if it %s', async (_, compact) => {
    const { byUser, events, provider } = await full({ can: { compact } });
    expect(await byUser()).toMatchObject({ kind: 'compacted', strategy: 'hybrid' });
    expect(provider.requests.filter(isSummaryRequest)).toHaveLength(1);
    expect((await events('compaction.completed'))[0]?.data).not.toHaveProperty('opaque');
  });

  it('stores nothing when it is stopped, even if the provider does not listen', async () => {
    const stop = new AbortController();
    const { byUser, store } = await full({
      can: {
        compact: () => {
          stop.abort();
          return forever();
        },
      },
    });
    const before = (await eventsOf(store, 'notes')).length;
    await expect(byUser(stop.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await eventsOf(store, 'notes')).toHaveLength(before);
  });
});

describe('summaries by a separate model', () => {
  it('are requested from that model, which their usage names', async () => {
    const other = { ...scriptedProvider(() => says(SUMMARY)), name: 'other' };
    const { turn, provider, events } = await full({ summarizer: async () => ({ provider: other, model: 'small' }) });
    await turn('And now?');
    expect(other.requests.every(isSummaryRequest)).toBe(true);
    expect(other.requests[0]?.model).toBe('small');
    expect(provider.requests.filter(isSummaryRequest)).toEqual([]);
    expect((await events('usage.reported'))[0]?.data).toMatchObject({
      provider: 'other',
      model: 'small',
      purpose: 'summary',
    });
  });

  it('are not awaited once the turn is cancelled', async () => {
    const stop = new AbortController();
    const hangs = () => {
      setImmediate(() => stop.abort());
      return new Promise<never>(() => {});
    };
    const { turn } = await full({ summarizer: hangs });
    expect((await turn('And now?', {}, { signal: stop.signal })).at(-1)).toEqual({ type: 'cancelled' });
  });

  it('are replaced by truncation if the model is not available', async () => {
    const { turn, events } = await full({ summarizer: () => Promise.reject(new Error('no answer')) });
    expect((await turn('And now?')).at(-1)?.type).toBe('done');
    expect(await events('compaction.failed')).toMatchObject([{ data: { fallback: 'truncate' } }]);
    expect(await events('compaction.completed')).toMatchObject([{ data: { strategy: 'truncate' } }]);
  });
});

describe("the provider's own count", () => {
  it("decides if ollm's own count is in doubt: a conversation that fits is not compacted", async () => {
    const counted: ModelRequest[] = [];
    const countTokens = async (request: ModelRequest) => {
      counted.push(request);
      return 2000;
    };
    const { turn, events } = await full({ can: { countTokens } });
    await turn('And now?');
    expect(counted).toHaveLength(1);
    expect(texts(counted[0])).toContain('question 1 ');
    expect(await events('compaction.completed')).toEqual([]);
  });

  it('is not requested if it could not change the decision', async () => {
    let asked = 0;
    const countTokens = async () => {
      asked += 1;
      return 1;
    };
    const { turn } = await full({ turns: 2, can: { countTokens } });
    await turn('And now?');
    expect(asked).toBe(0);
  });

  it.each<[string, () => Promise<number>]>([
    ['fails', () => Promise.reject(new Error('not today'))],
    ['is not a number of tokens', async () => Number.NaN],
  ])('is not needed if it %s', async (_, countTokens) => {
    const { turn, events } = await full({ can: { countTokens } });
    expect((await turn('And now?')).at(-1)?.type).toBe('done');
    expect(await events('compaction.completed')).toHaveLength(1);
  });
});

test('Feature: services-sessions, Property 28: the error of a provider is logged and stored without its secrets', async () => {
  const secretText = fc.stringMatching(/^[A-Za-z0-9]{24}$/);
  await fc.assert(
    fc.asyncProperty(secretText, fc.constantFrom('compact', 'countTokens', 'summary'), async (secret, where) => {
      const logged: unknown[] = [];
      const note = (...line: unknown[]) => void logged.push(...line);
      const failing = () => Promise.reject(new Error(`401 for key ${secret}`));
      const { turn, store } = await full({
        turns: 8,
        log: { error: note, warn: note, info: note, debug: note },
        redactor: createRedactor({ secretValues: [secret] }),
        ...(where === 'summary'
          ? { summary: () => fails(new Error(`401 for key ${secret}`)) }
          : { can: { [where]: failing } }),
      });
      await turn('And now?');
      expect(logged.length).toBeGreaterThan(0);
      expect(inspect(logged, { depth: 10 })).not.toContain(secret);
      expect(JSON.stringify((await eventsOf(store, 'notes')).map(({ data }) => data))).not.toContain(secret);
    }),
    { numRuns: 100 },
  );
});
