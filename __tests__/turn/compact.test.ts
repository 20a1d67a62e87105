import { lastValueFrom, toArray } from 'rxjs';
import { type CompactionSettings, DEFAULT_COMPACTION, MAX_FAILURES } from '../../lib/context/compaction/due.ts';
import { SUMMARY_SECTIONS } from '../../lib/context/compaction/sections.ts';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { silentLog, systemClock } from '../../lib/platform/index.ts';
import { usedTokens } from '../../lib/projections/budget.ts';
import type { ModelRequest, ProviderSignal } from '../../lib/providers/provider.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import { compact } from '../../lib/turn/compact.ts';
import { runTurn, type TurnDependencies } from '../../lib/turn/run-turn.ts';
import { eventsOf, memoryWorld, turnEvents, viewTexts } from '../session/world.ts';
import { fails, forever, says, scriptedProvider } from './scripted-provider.ts';

const SUMMARY = SUMMARY_SECTIONS.map(({ title }) => `### ${title}\n- of the summary`).join('\n');
const NEVER = new AbortController().signal;
const WINDOW = 4000;

const isSummaryRequest = ({ system }: ModelRequest) => system.startsWith('You write notes');

interface Options {
  readonly settings?: Partial<CompactionSettings>;
  readonly summary?: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ProviderSignal>;
  readonly turns?: number;
  readonly words?: number;
}

/** A session that nearly fills its window. */
async function full({ settings = {}, summary = () => plain(SUMMARY), turns = 8, words = 400 }: Options = {}) {
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
  const provider = scriptedProvider((request, signal) =>
    isSummaryRequest(request) ? summary(request, signal) : plain('fine'),
  );
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
  };
  return {
    ...world,
    session,
    provider,
    turn: (text: string) => lastValueFrom(runTurn(session, { text }, dependencies).pipe(toArray())),
    byUser: (signal = NEVER) => compact(session, dependencies, { settings: compaction, by: 'user', signal }),
    events: (type: string): StoredEvent[] => eventsOf(world.store, 'notes').filter((event) => event.type === type),
    used: () => usedTokens(session.states.budget).count,
  };
}

async function* plain(text: string): AsyncGenerator<ProviderSignal> {
  yield { type: 'text', text };
  yield { type: 'finish', reason: 'stop' };
}

const texts = (request: ModelRequest | undefined) => JSON.stringify([request?.system, request?.messages]);

describe('a turn in a window that is nearly full', () => {
  it('summarizes the older messages first, says so, and asks with the summary in their place', async () => {
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
    expect(events('compaction.completed')).toMatchObject([{ turn: 9, data: { strategy: 'hybrid', by: 'auto' } }]);
    expect(session.states.compaction).toMatchObject({ failures: 0, last: { strategy: 'hybrid' } });
  });

  it('records what the summary used, which does not count as what the window holds', async () => {
    const { turn, events, used } = await full({ summary: () => says(SUMMARY) });
    await turn('And now?');
    expect(events('usage.reported').map(({ data }) => data.purpose)).toEqual(['summary', undefined]);
    expect(used()).toBeGreaterThan(20);
  });

  it('takes nothing from the journal, and undoing brings every message back', async () => {
    const { turn, session, store, events, open } = await full();
    await session.save({ snapshot: 'now' });
    const before = viewTexts(session);
    await turn('And now?');
    expect(viewTexts(session).length).toBeLessThan(before.length);
    const [checkpoint] = events('compaction.completed');
    await session.append({ type: 'compaction.undone', data: { seq: checkpoint?.seq ?? 0 } });
    expect(viewTexts(session)).toEqual([...before, 'user: And now?', 'assistant: fine']);
    await session.close('exit');
    const again = await open();
    expect(viewTexts(again)).toEqual([...before, 'user: And now?', 'assistant: fine']);
    expect(eventsOf(store, 'notes').filter(({ type }) => type === 'message.added')).toHaveLength(1 + 16 + 2);
  });

  it('does not compact again until the conversation has grown', async () => {
    const { turn, events, session } = await full();
    await turn('one');
    const [checkpoint] = events('compaction.completed');
    await session.append({ type: 'compaction.undone', data: { seq: checkpoint?.seq ?? 0 } });
    await turn('two');
    expect(events('compaction.completed')).toHaveLength(1);
    await turn('word '.repeat(450));
    expect(events('compaction.completed')).toHaveLength(2);
  });

  it('does nothing where it is switched off', async () => {
    const { turn, events } = await full({ settings: { enabled: false } });
    await turn('And now?');
    expect(events('compaction.completed')).toEqual([]);
  });

  it('truncates where the model cannot be asked, and the turn goes on', async () => {
    const { turn, events, provider } = await full({ summary: () => fails(new Error('connection refused')) });
    const signals = await turn('And now?');
    expect(signals.at(-1)?.type).toBe('done');
    expect(events('compaction.failed')).toMatchObject([
      { data: { strategy: 'hybrid', error: { code: 'PROVIDER_FAILED' }, fallback: 'truncate' } },
    ]);
    expect(events('compaction.completed')).toMatchObject([{ data: { strategy: 'truncate' } }]);
    expect(events('compaction.completed')[0]?.data).not.toHaveProperty('summary');
    expect(texts(provider.requests.at(-1))).not.toContain('question 1 ');
  });

  it('truncates by itself after three failures in a row, without asking the model again', async () => {
    const { turn, events, provider } = await full({ summary: () => plain('') });
    for (let round = 0; round < MAX_FAILURES + 2; round++) {
      for (let more = 0; more < 4; more++) await turn(`again ${'word '.repeat(400)}`);
    }
    expect(events('compaction.failed')).toHaveLength(MAX_FAILURES);
    expect(provider.requests.filter(isSummaryRequest)).toHaveLength(MAX_FAILURES);
    expect(events('compaction.completed').length).toBeGreaterThan(MAX_FAILURES);
    expect(events('compaction.completed').every(({ data }) => data.strategy === 'truncate')).toBe(true);
  });

  it('counts a summary that is no smaller as a failure', async () => {
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
    expect(events('compaction.failed')).toMatchObject([{ data: { error: { code: 'COMPACTION_FAILED' } } }]);
  });

  it('cuts a message that is too large for what should stay, and says what is missing', async () => {
    const { session, byUser, events } = await full({ turns: 1, words: 20, settings: { strategy: 'truncate' } });
    await session.append(turnEvents(2, `BEGIN ${'word '.repeat(3600)} END`, 'ok'));
    await session.append(turnEvents(3, 'small', 'small'));
    expect(await byUser()).toMatchObject({ kind: 'compacted', strategy: 'truncate' });
    expect(viewTexts(session).slice(1)).toEqual(['assistant: ok', 'user: small', 'assistant: small']);
    expect(events('compaction.completed')[0]?.data.summary).toMatch(/BEGIN[\s\S]+characters left out[\s\S]+END/);
  });
});

describe('a compaction by command', () => {
  it('says when there is nothing to do', async () => {
    const { byUser, events } = await full({ turns: 1, settings: { preserveRecentTokens: 4096 } });
    expect(await byUser()).toEqual({ kind: 'nothing-to-do' });
    expect(events('compaction.completed')).toEqual([]);
  });

  it('goes on from the summary before it', async () => {
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
    const before = eventsOf(store, 'notes').length;
    await expect(byUser(stop.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(eventsOf(store, 'notes')).toHaveLength(before);
  });

  it('summarizes what memory has let go of, from the journal', async () => {
    const world = await full({ turns: 1 });
    for (let turn = 2; turn <= 700; turn++) {
      await world.session.append(turnEvents(turn, `question ${turn} ${'word '.repeat(500)}`, 'ok'));
    }
    await world.session.save({ snapshot: 'now' });
    expect(world.session.states.view.timeline.forgotten.length).toBeGreaterThan(0);
    const result = await world.byUser();
    expect(result).toMatchObject({ kind: 'compacted' });
    expect(texts(world.provider.requests[0])).toContain('question 1 ');
  }, 30_000);

  it('extracts the summary where there is no model', async () => {
    const { byUser, provider, events } = await full({ settings: { summaries: 'extraction' } });
    await byUser();
    expect(provider.requests).toEqual([]);
    expect(events('compaction.completed')[0]?.data.summary).toContain('### Open work');
  });
});
