import { RecentlySeen } from '../../../lib/host/sessions/recently-seen.ts';
import { manualClock } from '../../../lib/platform/clock.ts';
import { until } from '../../support/until.ts';
import { hostWorld } from '../world.ts';

const MINUTES = 60_000;

it('the recent sessions are those of the last minutes, the newest first, and all that work', () => {
  const clock = manualClock();
  const seen = new RecentlySeen<string>({
    ...{ clock, listedMs: 15 * MINUTES },
    isAtWork: (key) => key === 'long',
  });
  for (const key of ['long', 'one', 'two']) seen.see(key, key.toUpperCase());
  clock.advance(10 * MINUTES);
  seen.see('one', 'ONE');
  const keys = () => seen.list().map(([key]) => key);
  expect(keys()).toEqual(['one', 'two', 'long']);
  clock.advance(5 * MINUTES);
  expect(keys()).toEqual(['one', 'long']);
  expect(seen.get('two')).toBe('TWO');
  clock.advance(10 * MINUTES);
  expect(keys()).toEqual(['long']);
  seen.forget('long');
  expect(keys()).toEqual([]);
});

it('the list of recent sessions has at most 200', () => {
  const seen = new RecentlySeen<number>({ clock: manualClock(), listedMs: 1, isAtWork: () => false });
  for (let index = 0; index < 300; index += 1) seen.see(`s${index}`, index);
  expect(seen.list()).toHaveLength(200);
  expect(seen.list()[0]).toEqual(['s299', 299]);
  expect(seen.get('s99')).toBeUndefined();
});

it('a host forgets a session only in its list, and its snapshot stays equal', async () => {
  await using world = await hostWorld({ limits: { listedMs: 1 } });
  const { sessions } = world.host;
  const { sessionId } = await sessions.start({ text: 'first' });
  const { events, transitions } = await sessions.wait(sessionId);
  await until(() => sessions.lately().length === 0);
  expect(events.length).toBeGreaterThan(3);
  expect(await sessions.snapshot(sessionId)).toMatchObject({ events, transitions, status: 'completed' });
});
