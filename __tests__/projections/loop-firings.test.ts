import { createFiringsFold } from '../../lib/projections/loop-firings.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';

type Events = Parameters<typeof stored>[0];

const TALK = Array.from(
  { length: 40 },
  (_, index) => `Sentence ${'abcdefghij'[index % 10]}${'klmnopqrst'[index >> 2]} says something of its own`,
).join('. ');

const call = (name: string, result = 'same') => [event.asked('c', name), event.finished('c', result)];
const times = (count: number, make: (index: number) => Events): Events =>
  Array.from({ length: count }, (_, index) => make(index)).flat();

function firings(events: Events, repeatThreshold = 3) {
  const replayer = createReplayer({ tried: createFiringsFold({ maxTurns: 50, repeatThreshold }) });
  for (const one of stored([event.created(), event.said('user', 'go'), ...events])) replayer.see(one);
  return replayer.states.tried.firings.map(({ seq, pattern, count }) => [seq, pattern, count]);
}

it('the guard fires once for each loop of the past, and starts over after it', () => {
  const past = [...times(7, () => call('ls')), event.said('user', 'and now?'), ...times(3, () => call('pwd'))];
  expect(firings(past)).toEqual([
    [7, 'repeated-tool', 3],
    [13, 'repeated-tool', 3],
    [22, 'repeated-tool', 3],
  ]);
  expect(firings(past, 7)).toEqual([[15, 'repeated-tool', 7]]);
});

it.each([1, 2, 3, 4, 5])('a cycle of %i calls is found', (length) => {
  const cycle = times(3, () => times(length, (index) => call(`tool-${index}`, `${index}`)));
  expect(firings(cycle)).toEqual([[1 + 6 * length, length === 1 ? 'repeated-tool' : 'cycle', 3]]);
});

it('polling with a changing result is not a loop, polling with an equal one is', () => {
  expect(firings(times(30, (index) => call('status', `${index} %`)))).toEqual([]);
  expect(firings(times(3, () => call('status', '40 %')))).toHaveLength(1);
});

it('nearly equal answers are a repetition, different ones are not', () => {
  const nearly = (index: number) => `${TALK}. And then ${['first', 'second', 'third'][index]}.`;
  const other = (index: number) =>
    TALK.split('. ')
      .toReversed()
      .slice(index * 12, index * 12 + 12)
      .join('. ');
  const answers = (make: (index: number) => string) => times(3, (index) => [event.said('assistant', make(index))]);
  expect(firings(answers(nearly))).toEqual([[4, 'repeated-output', 3]]);
  expect(firings(answers(other))).toEqual([]);
});

it('an answer that repeats itself inside is a loop', () => {
  const chant = 'I will now read the file and fix it. '.repeat(20);
  expect(firings([event.said('assistant', `Well. ${chant}`)])).toMatchObject([
    [2, 'repeated-output', expect.any(Number)],
  ]);
  expect(firings([event.said('assistant', `\`\`\`\n${chant}\n\`\`\``)])).toEqual([]);
});
