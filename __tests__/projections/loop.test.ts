import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { similarity, sketchOf } from '../../lib/loop-detection/similarity.ts';
import { createLoopFold, type LoopState } from '../../lib/projections/loop.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';

type Events = Parameters<typeof stored>[0];

function loopOf(events: Events, config = { maxTurns: 50, repeatThreshold: 3 }): LoopState {
  const replayer = createReplayer({ loop: createLoopFold(config) });
  for (const one of stored([event.created(), event.said('user', 'go'), ...events])) replayer.see(one);
  return replayer.states.loop;
}

const call = (name: string, args: Record<string, unknown> = {}, result = 'same') => [
  event.asked('c', name, args),
  event.finished('c', result),
];
const looking = (blob: string) => {
  const images = [{ type: 'image' as const, mediaType: 'image/png', blob }];
  return [event.asked('c', 'look', {}), event.finished('c', 'see', { result: { llmContent: 'see', images } })];
};
const times = (count: number, make: (index: number) => Events): Events =>
  Array.from({ length: count }, (_, index) => make(index)).flat();

describe('a repeated call', () => {
  it('is a loop at the threshold, not before', () => {
    expect(loopOf(times(2, () => call('ls'))).verdict).toBeUndefined();
    expect(loopOf(times(3, () => call('ls'))).verdict).toEqual({
      pattern: 'repeated-tool',
      details: 'The tool ls was called 3 times in a row with the same arguments and the same result.',
      count: 3,
      threshold: 3,
    });
  });

  it('that returns the same picture is a loop', () => {
    expect(loopOf(times(3, () => looking('0'.repeat(64)))).verdict?.pattern).toBe('repeated-tool');
  });

  it('is recognized with its arguments in any order', () => {
    const orders = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { a: 1, b: { c: 2, d: 3 } },
    ];
    expect(loopOf(times(3, (index) => call('ls', orders[index]))).verdict?.pattern).toBe('repeated-tool');
  });

  it.each<[string, (index: number) => Events]>([
    ['whose result changes', (index) => call('status', {}, `${index} %`)],
    ['with other arguments', (index) => call('read', { path: `${index}.md` })],
    ['of a different tool', (index) => call(`tool-${index}`)],
    ['that returns a different picture', (index) => looking(`${index}`.padStart(64, '0'))],
  ])('%s is not a loop', (_, make) => {
    expect(loopOf(times(20, make)).verdict).toBeUndefined();
  });

  it('is found if several calls were made together', () => {
    const pair = [event.asked('a', 'ls'), event.asked('b', 'pwd'), event.finished('a', '1'), event.finished('b', '2')];
    expect(loopOf(times(3, () => pair)).verdict).toMatchObject({ pattern: 'cycle', count: 3 });
  });
});

describe('a cycle', () => {
  it('of several calls is a loop', () => {
    expect(loopOf(times(3, () => [...call('a'), ...call('b'), ...call('c')])).verdict).toMatchObject({
      pattern: 'cycle',
      details: 'The calls a, b, c came 3 times in a row with the same arguments and the same results.',
    });
  });
});

describe('results that differ only in times and ids', () => {
  const uuid = (round: number) => `0b5c4f0e-8d6f-4a57-9c1d-${String(round).padStart(12, '0')}`;
  const stamped = (round: number, text: string) =>
    `Chunk ID: ${(4711 + 97 * round).toString(16)}\nWall time: 0.0${round + 10} seconds\nOutput:\n${text}`;
  const waiting = (durationMs: number) => (round: number) => [
    event.asked('c', 'wait', {}),
    event.finished('c', `Still running for ${round * 30 + 30} seconds.`, { durationMs }),
  ];

  it('are equal: an unattended idle patrol of three calls is a cycle', () => {
    const patrol = (round: number) => [
      ...call('inbox', {}, stamped(round, `0 messages as of 2026-11-23T03:${10 + round}:07Z`)),
      ...call(
        'start',
        { patrol: 'deacon' },
        `Started patrol-${(4096 + 97 * round).toString(16)}a4, trace_id=${uuid(round)}`,
      ),
      ...call('report', { summary: 'idle' }, `Closed by pid ${4000 + round} in ${round + 3} ms`),
    ];
    expect(loopOf(times(17, patrol)).verdict).toEqual({
      pattern: 'cycle',
      details:
        'The calls inbox, start, report came 6 times in a row with the same arguments and the same results, but for times and ids.',
      count: 6,
      threshold: 3,
    });
    expect(loopOf(times(5, patrol)).verdict).toBeUndefined();
  });

  it('are equal for one call that returns quickly', () => {
    const again = (round: number) => call('shell', { command: 'make' }, stamped(round, 'nothing to be done'));
    expect(loopOf(times(6, again)).verdict).toMatchObject({ pattern: 'repeated-tool', count: 6 });
    expect(loopOf(times(5, again)).verdict).toBeUndefined();
  });

  it('are no loop of one waiting call, however often, but a cycle with a wait after twelve rounds', () => {
    expect(loopOf(times(40, waiting(30_000))).verdict).toBeUndefined();
    expect(loopOf(times(6, waiting(3))).verdict).toBeDefined();
    const imported = (round: number) =>
      call('write_stdin', { chars: '' }, `Chunk ID: a${round}\nWall time: 30.00${round} seconds\nOutput:\n`);
    expect(loopOf(times(9, imported)).verdict).toBeUndefined();
    const checking = (round: number) => [
      ...waiting(30_000)(round),
      ...call('runs', {}, `started ${round} minutes ago`),
    ];
    expect(loopOf(times(11, checking)).verdict).toBeUndefined();
    expect(loopOf(times(12, checking)).verdict).toMatchObject({ pattern: 'cycle', count: 12 });
  });

  it.each<[string, (round: number) => string]>([
    ['a share', (round) => stamped(round, `${round} %`)],
    ['a count', (round) => stamped(round, `${round} of 20 tests done`)],
    ['the time that is left', (round) => stamped(round, `${20 - round} minutes left`)],
    ['a commit', (round) => stamped(round, (1e9 + 12_345_678 * round).toString(16))],
    ['a status', (round) => stamped(round, round % 2 === 0 ? 'queued' : `running step ${round}`)],
  ])('differ if %s changes too', (_, result) => {
    expect(loopOf(times(20, (round) => call('status', {}, result(round)))).verdict).toBeUndefined();
  });
});

describe('a call that waits for something outside, with an equal result each time', () => {
  const slow = (name: string, args: Record<string, unknown>, more: object = {}) => [
    event.said('assistant', 'Still queued. I look again.'),
    event.asked('c', name, args),
    event.finished('c', 'status: queued', { durationMs: 2_000, ...more }),
  ];
  const asking: [string, string, Record<string, unknown>][] = [
    ['sleeps in a command', 'bash', { command: 'sleep 2; cat state.txt' }],
    ['watches by a command', 'bash', { command: 'gh run watch 4711' }],
    ['is a tool for waiting', 'wait_for_job', { id: 4711 }],
    ['is a tool for polling', 'pollBuild', {}],
    ['has an option for waiting', 'write_stdin', { chars: '', wait_ms: 2_000 }],
    ['is sent as a text', 'shell', 'sleep 30' as never],
  ];

  it.each(asking)('is not a loop if it %s', (_, name, args) => {
    expect(loopOf(times(45, () => slow(name, args))).verdict).toBeUndefined();
  });

  it.each(asking)('is a loop at the threshold if it %s and comes back quickly', (_, name, args) => {
    expect(loopOf(times(3, () => slow(name, args, { durationMs: 10 }))).verdict).toMatchObject({ count: 3 });
  });

  it('is a loop after twice the threshold if nothing says that it waits, and at the threshold if it failed', () => {
    const build = (more: object) => () => slow('bash', { command: 'npm test' }, more);
    expect(loopOf(times(5, build({}))).verdict).toBeUndefined();
    expect(loopOf(times(6, build({}))).verdict).toMatchObject({ pattern: 'repeated-tool', count: 6 });
    expect(loopOf(times(3, build({ status: 'error' }))).verdict).toMatchObject({ pattern: 'repeated-tool', count: 3 });
  });

  it('is a cycle after four times the threshold if it comes with a checking call', () => {
    const round = () => [...slow('bash', { command: 'sleep 30' }), ...call('job', { id: 1 }, 'queued')];
    expect(loopOf(times(11, round)).verdict).toBeUndefined();
    expect(loopOf(times(12, round)).verdict).toMatchObject({ pattern: 'cycle', count: 12 });
  });

  it.each(['await.ts', 'sleepy', 'Watcher.java', 'pollen', 'go'])(
    'is not recognized as waiting by the text %s',
    (path) => {
      expect(loopOf(times(6, () => slow('look', { path }))).verdict).toMatchObject({ count: 6 });
    },
  );
});

describe('equal calls in one answer', () => {
  const answer = (count: number, result = (_index: number) => 'same') => [
    ...times(count, (index) => [event.asked(`c${index}`, 'ls')]),
    ...times(count, (index) => [event.finished(`c${index}`, result(index))]),
  ];

  it('are not a repetition, because the model saw no result in between', () => {
    expect(loopOf(answer(20)).verdict).toBeUndefined();
    expect(loopOf(answer(20, (index) => `as of 12:00:${10 + index}`)).verdict).toBeUndefined();
    expect(loopOf(times(2, () => answer(20))).verdict).toBeUndefined();
    expect(loopOf(times(3, () => answer(20))).verdict).toMatchObject({ pattern: 'repeated-tool', count: 3 });
  });

  it('count as one, in any place and number', () => {
    const calls = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      result: fc.constantFrom('1', '2'),
      copies: fc.nat(4),
    });
    const conversation = fc.array(fc.array(calls, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(conversation, (answers) => {
        const events = (copiesOf: (copies: number) => number) =>
          answers.flatMap((made) => {
            const all = made.flatMap(({ copies, ...one }) => Array<typeof one>(1 + copiesOf(copies)).fill(one));
            return [
              ...all.map(({ name }, index) => event.asked(`c${index}`, name)),
              ...all.map(({ result }, index) => event.finished(`c${index}`, result)),
            ];
          });
        expect(loopOf(events((copies) => copies)).verdict).toEqual(loopOf(events(() => 0)).verdict);
      }),
    );
  });
});

describe('a repeated answer', () => {
  const saying = (text: string, index: number, result: string) => [
    event.said('assistant', text),
    ...call('read', { path: `${index % 2}` }, result),
  ];

  it('is a loop while equal calls have equal results', () => {
    const verdict = loopOf(times(6, (index) => saying('Let me look  AGAIN.', index, `${index % 2}`))).verdict;
    expect(verdict).toMatchObject({ pattern: 'repeated-output', count: 3 });
  });

  it('is not a loop while the results of its calls change: polling', () => {
    const polling = times(30, (index) => saying('Not done yet. I look again.', index, `${index} %`));
    expect(loopOf(polling).verdict).toBeUndefined();
  });

  it('is not a loop while new calls are made: a batch at work', () => {
    const batch = times(30, (index) => [
      event.said('assistant', `Next file (${index}).`),
      ...call('write', { path: `${index}` }),
    ]);
    expect(loopOf(batch).verdict).toBeUndefined();
  });
});

describe('the turn limit', () => {
  it('is a loop when it is exceeded', () => {
    const steps = (count: number) => times(count, (index) => call('read', { path: `${index}` }));
    expect(loopOf(steps(5), { maxTurns: 5, repeatThreshold: 3 }).verdict).toBeUndefined();
    expect(loopOf(steps(6), { maxTurns: 5, repeatThreshold: 3 }).verdict).toMatchObject({
      pattern: 'turn-limit',
      count: 6,
    });
  });

  it('is replaced by a loop that is found later', () => {
    const many = times(6, (index) => call('read', { path: `${index}` }));
    const loop = loopOf([...many, ...times(3, () => call('ls'))], { maxTurns: 5, repeatThreshold: 3 });
    expect(loop.verdict?.pattern).toBe('repeated-tool');
  });

  it('counts requests, not the calls and messages of one answer', () => {
    const answer = [
      event.said('assistant', 'both'),
      event.asked('a'),
      event.asked('b'),
      event.finished('a'),
      event.finished('b'),
    ];
    expect(loopOf(answer).turns).toBe(1);
  });
});

describe('the loop guard', () => {
  it('starts over with each message of the user', () => {
    const state = loopOf([...times(3, () => call('ls')), event.said('user', 'go on')]);
    expect(state).toEqual({ turns: 0, speaking: false, openCalls: [], recentCalls: [] });
  });

  it('does not start over with a note of the system', () => {
    expect(loopOf([...times(2, () => call('ls')), event.said('system', 'note'), ...call('ls')]).verdict?.count).toBe(3);
  });

  it.each([
    ['ask', undefined],
    ['nudge', undefined],
    ['stop', 'repeated-tool'],
  ] as const)('has after a detection answered by %s the verdict %s', (action, verdict) => {
    const detected = {
      type: 'loop.detected',
      data: { pattern: 'repeated-tool', details: '', count: 3, threshold: 3, action },
    } as const;
    expect(loopOf([...times(3, () => call('ls')), detected]).verdict?.pattern).toBe(verdict);
  });
});

it('the state of the guard has a constant size, however long it continues', () => {
  const size = (count: number) =>
    JSON.stringify(loopOf(times(count, (index) => call('read', { path: `${index}` })))).length;
  expect(size(2000)).toBeLessThan(size(80) + 300);
});

describe('the restart of the guard', () => {
  const reset: readonly [string, Events[number], boolean][] = [
    ['a message of the user', event.said('user', 'again'), true],
    ['a message that a program put into the role of the user', event.said('user', 'x', { synthetic: true }), false],
    ['a system message', event.said('system', 'x'), false],
    ['a system message of a program', event.said('system', 'x', { synthetic: true }), false],
    ['an answer', event.said('assistant', 'x'), false],
    ['an answer of a program', event.said('assistant', 'x', { synthetic: true }), false],
    ['a loop that the user was asked about', detected('ask'), true],
    ['a loop that was answered with a nudge', detected('nudge'), true],
    ['a loop that was stopped', detected('stop'), false],
  ];

  function detected(action: 'stop' | 'nudge' | 'ask'): Events[number] {
    const data = { pattern: 'repeated-tool', details: 'x', count: 3, threshold: 3, action } as const;
    return { type: 'loop.detected', data };
  }

  it.each(reset)('after %s is as in the table', (_, between, begins) => {
    const events = [...times(2, () => call('ls')), between, ...call('ls')];
    expect(loopOf(events).verdict === undefined).toBe(begins);
  });
});

it('calls are equal only if they ended in the same way', () => {
  const statuses = ['ok', 'error', 'denied', 'timeout', 'cancelled', 'unknown'] as const;
  const ended = (status: (typeof statuses)[number]) => [event.asked('c', 'ls'), event.finished('c', 'x', { status })];
  for (const one of statuses) {
    for (const other of statuses) {
      const { verdict } = loopOf([...ended(one), ...ended(one), ...ended(other)]);
      expect([one, other, verdict?.pattern]).toEqual([one, other, one === other ? 'repeated-tool' : undefined]);
    }
  }
});

it('two answers are equal from the share of their runs that docs/loop-detection.md names', () => {
  const page = readFileSync(new URL('../../docs/loop-detection.md', import.meta.url), 'utf8');
  const share = Number(/of which (\d+) % must be shared/.exec(page)![1]) / 100;
  const words = Array.from(
    { length: 150 },
    (_, index) => `w${(index * 7919).toString(36).replace(/\d/g, 'z')}q${'abcdefghij'[index % 10]}`,
  );
  const shares = Array.from({ length: 40 }, (_, changed) => {
    const other = words.map((word, index) => (index < changed ? `${word}other` : word)).join(' ');
    const common = similarity(sketchOf(words.join(' ')), sketchOf(other));
    const { verdict } = loopOf([event.said('assistant', words.join(' ')), event.said('assistant', other)], {
      maxTurns: 50,
      repeatThreshold: 2,
    });
    expect([changed, verdict !== undefined]).toEqual([changed, common >= share]);
    return common;
  });
  // They come near to it from both sides.
  expect(shares.some((each) => each >= share && each < share + 0.1)).toBe(true);
  expect(shares.some((each) => each < share && each > share - 0.1)).toBe(true);
});
