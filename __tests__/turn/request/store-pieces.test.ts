// A streaming answer is stored in pieces once it takes longer than the interval. Here the interval passes when a test
// says so, so that each piece has exactly the text before that, however slow the machine is.
import { createRedactor } from '../../../lib/environment/redact.ts';
import { OllmError } from '../../../lib/errors/index.ts';
import type { StoredEvent } from '../../../lib/journal/types.ts';
import type { Part } from '../../../lib/messages/index.ts';
import type { ProviderSignal } from '../../../lib/providers/provider.ts';
import type { Session } from '../../../lib/session/session.ts';
import type { TurnDependencies } from '../../../lib/turn/run-turn.ts';
import { viewTexts } from '../../session/world.ts';
import { forever, type Script, says } from '../../support/scripted-provider.ts';
import { SECRETS } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { callsTools, toolWorld } from '../tool-world.ts';

/** No other timer of a turn has this length. */
const INTERVAL_MS = 3_599_999;
/** The timers of pieces that run. Each is let pass by its function. */
const running = new Map<NodeJS.Timeout, () => void>();
let started = 0;

beforeEach(() => {
  started = 0;
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const runs = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = set(work, ms, ...args);
    if (ms !== INTERVAL_MS) return timer;
    started += 1;
    running.set(timer, () => work(...args));
    return timer;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(runs as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    running.delete(timer as NodeJS.Timeout);
    clear(timer);
  });
});
afterEach(() => {
  for (const timer of running.keys()) clearTimeout(timer);
  jest.restoreAllMocks();
});

async function intervalPasses(): Promise<void> {
  await until(() => running.size > 0);
  for (const [timer, work] of [...running]) {
    clearTimeout(timer);
    work();
  }
}

const text = (words: string): ProviderSignal => ({ type: 'text', text: words });

/** Sends each list of signals, lets the interval pass, and goes on when more was stored. */
type Streams = (
  session: () => Session,
  lists: readonly (readonly ProviderSignal[])[],
) => AsyncGenerator<ProviderSignal>;
const streams: Streams = async function* (session, lists) {
  for (const list of lists) {
    const { seq } = session().writer.head;
    yield* list;
    await intervalPasses();
    await until(() => session().writer.head.seq > seq);
  }
};

async function asked(
  script: (session: () => Session) => Script,
  more: Partial<TurnDependencies> = {},
  signal?: AbortSignal,
) {
  let session: Session | undefined;
  const world = await toolWorld({
    script: script(() => session!),
    more: { pieceIntervalMs: INTERVAL_MS, retries: { attempts: 2, baseDelayMs: 0 }, ...more },
  });
  session = world.session;
  const signals = await world.turn('Hi', { signal });
  const events = await world.events();
  return { ...world, signals, events, pieces: piecesIn(events) };
}

function piecesIn(events: readonly StoredEvent[]): StoredEvent[] {
  return events.filter(({ type }) => type === 'message.streamed');
}

function textOf(events: readonly StoredEvent[]): string {
  const parts = events.flatMap(({ data }) => data.parts as Part[]);
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

const END: readonly ProviderSignal[] = [{ type: 'finish', reason: 'stop' }];

it('a streaming answer is stored piece by piece, and whole at its end', async () => {
  const { pieces, events, session } = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [[text('One '), text('two ')], [text('three ')], [text('four and ')]]);
        yield* [text('five.'), ...END];
      },
  );
  expect(
    pieces.map(({ turn, ignorable, data }) => [turn, ignorable, data.begins, textOf([{ data } as never])]),
  ).toEqual([
    [1, true, true, 'One two '],
    [1, true, undefined, 'three '],
    [1, true, undefined, 'four and '],
  ]);
  expect(pieces[0]?.data).toMatchObject({ model: 'm-1', provider: 'scripted' });
  expect(events.findLast(({ type }) => type === 'message.added')?.data.parts).toEqual([
    { type: 'text', text: 'One two three four and five.' },
  ]);
  expect(viewTexts(session)).toEqual(['user: Hi', 'assistant: One two three four and five.']);
});

it('a streaming answer that ends before the interval is stored only as a message', async () => {
  const { pieces, events } = await asked(() => () => says('One ', 'two ', 'three.'));
  expect([started, pieces]).toEqual([1, []]);
  expect(events.filter(({ type }) => type === 'message.added')).toHaveLength(2);
});

it('no timer is left when an answer has ended, failed or was cancelled', async () => {
  const stop = new AbortController();
  const scripts: Script[] = [
    () => says('Done.'),
    async function* () {
      yield text('Half');
      throw new Error('gone');
    },
    async function* () {
      yield text('Half');
      stop.abort();
      await forever();
    },
  ];
  for (const script of scripts) await asked(() => script, {}, stop.signal);
  expect([started, running.size]).toEqual([3, 0]);
});

it('no timer is left while nothing arrives', async () => {
  const counts: number[] = [];
  await asked(
    (of) =>
      async function* () {
        yield { type: 'input-usage', usage: { inputTokens: 1 } };
        counts.push(running.size);
        yield* streams(of, [[text('One ')]]);
        counts.push(running.size);
        yield* END;
      },
  );
  expect([started, counts]).toEqual([1, [0, 0]]);
});

it('pieces have text and reasoning like the parts of the message, with the opaque data of the vendor', async () => {
  const { pieces, events } = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [
          [{ type: 'reasoning', text: 'I should ' }],
          [{ type: 'reasoning', text: 'think' }, { type: 'reasoning', opaque: 'signed' }, text('So: ')],
        ]);
        yield* [text('yes.'), ...END];
      },
  );
  expect(pieces.map(({ data }) => data.parts)).toEqual([
    [{ type: 'reasoning', text: 'I should ', provider: 'scripted' }],
    [
      { type: 'reasoning', text: 'think', provider: 'scripted' },
      { type: 'reasoning', opaque: 'signed', provider: 'scripted' },
      { type: 'text', text: 'So: ' },
    ],
  ]);
  expect(events.findLast(({ type }) => type === 'message.added')?.data.parts).toEqual([
    { type: 'reasoning', text: 'I should think', provider: 'scripted' },
    { type: 'reasoning', opaque: 'signed', provider: 'scripted' },
    { type: 'text', text: 'So: yes.' },
  ]);
});

it('no piece has a part of a secret, wherever the stream is cut', async () => {
  const secret = SECRETS.forge;
  const { pieces } = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [
          [text(`Use it ${secret.slice(0, 9)}`)],
          [text(`${secret.slice(9)} and `)],
          [text('so on ')],
        ]);
        yield* END;
      },
    { redactor: createRedactor() },
  );
  expect(pieces.map((piece) => textOf([piece]))).toEqual(['Use it ', '[redacted github-token 40] and ', 'so on ']);
});

it('pieces begin again with the second attempt of a request', async () => {
  const busy = new OllmError('PROVIDER_FAILED', 'Busy.', { data: { retryable: true } });
  const { pieces, session, signals } = await asked(
    (of) =>
      async function* (_request, _signal, round) {
        if (round === 0) {
          // For an answer that showed nothing, the request is made again.
          yield { type: 'reasoning', opaque: 'first' };
          throw busy;
        }
        yield* streams(of, [[text('Second ')]]);
        yield* [text('try.'), ...END];
      },
  );
  expect(signals.some(({ type }) => type === 'retry')).toBe(true);
  expect(pieces.map(({ data }) => [data.begins, data.parts])).toEqual([[true, [{ type: 'text', text: 'Second ' }]]]);
  expect(viewTexts(session)).toEqual(['user: Hi', 'assistant: Second try.']);
});

it('pieces are followed by the message of an answer that broke off, and of a cancelled one', async () => {
  const broken = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [[text('Half of ')]]);
        yield text('it');
        throw new Error('gone');
      },
  );
  expect(viewTexts(broken.session)).toEqual(['user: Hi', 'assistant: Half of it']);
  const stop = new AbortController();
  const cancelled = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [[text('Half of ')]]);
        yield text('it');
        stop.abort();
        await forever();
      },
    {},
    stop.signal,
  );
  expect(viewTexts(cancelled.session)).toEqual(['user: Hi', 'assistant: Half of it']);
  for (const { events, session } of [broken, cancelled]) {
    expect(events.filter(({ type, data }) => type === 'message.added' && data.role === 'assistant')).toHaveLength(1);
    expect(session.states.openEnds).toEqual({ turns: 1, calls: [] });
  }
});

it('pieces of each answer of a turn with tools are separate', async () => {
  const { pieces, session } = await asked(
    (of) =>
      async function* (_request, _signal, round) {
        yield* streams(of, [[text(`Round ${round} `)]]);
        if (round === 0) yield* callsTools({});
        else yield* END;
      },
  );
  expect(pieces.map(({ data }) => [data.begins, textOf([{ data } as never])])).toEqual([
    [true, 'Round 0 '],
    [true, 'Round 1 '],
  ]);
  expect(viewTexts(session)).toEqual(['user: Hi', 'assistant: Round 0 ', 'call', 'assistant: Round 1 ']);
});

it('a burst of text has one piece for each million characters', async () => {
  const long = 'word '.repeat(500_000);
  const { pieces } = await asked(
    (of) =>
      async function* () {
        yield* streams(of, [[text(long)]]);
        yield* END;
      },
    { stopAtLoop: false },
  );
  expect(pieces.length).toBe(3);
  expect(textOf(pieces)).toBe(long);
});

it('the answer continues if a piece cannot be stored', async () => {
  const warnings: string[] = [];
  const { signals, session, pieces } = await asked(
    (of) =>
      async function* () {
        const { append } = of();
        let isRefused = false;
        Object.assign(of(), {
          append: (events: Parameters<Session['append']>[0]) => {
            if (!JSON.stringify(events).includes('message.streamed')) return append(events);
            isRefused = true;
            return Promise.reject(new OllmError('JOURNAL_FULL', 'No room.'));
          },
        });
        yield text('One ');
        await intervalPasses();
        await until(() => isRefused);
        Object.assign(of(), { append });
        // There is room again; without the first piece, a second one would be half of the text.
        yield text('and ');
        yield* [text('two.'), ...END];
      },
    { log: { ...toLog(warnings) } as never },
  );
  expect([started, pieces]).toEqual([1, []]);
  expect(signals.at(-1)?.type).toBe('done');
  expect(warnings).toEqual(['An answer is not stored while it streams']);
  expect(viewTexts(session)).toEqual(['user: Hi', 'assistant: One and two.']);
});

it('pieces stay if the message cannot be stored, and the next turn begins with them', async () => {
  const world = await asked(
    (of) =>
      async function* (_request, _signal, round) {
        if (round > 0) return yield* says('Second.');
        yield* streams(of, [[text('What streamed ')]]);
        const { append } = of();
        Object.assign(of(), {
          append: (events: Parameters<Session['append']>[0]) => {
            if (!JSON.stringify(events).includes('message.added')) return append(events);
            Object.assign(of(), { append });
            return Promise.reject(new OllmError('JOURNAL_FULL', 'No room.'));
          },
        });
        yield* [text('first.'), ...END];
      },
  );
  expect(world.signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'JOURNAL_FULL' } });
  await world.turn('And now?');
  expect(viewTexts(world.session)).toEqual([
    'user: Hi',
    'assistant: What streamed ',
    'user: And now?',
    'assistant: Second.',
  ]);
});

function toLog(warnings: string[]) {
  const ignore = () => {};
  return {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_fields: object, message: string) => void warnings.push(message),
  };
}
