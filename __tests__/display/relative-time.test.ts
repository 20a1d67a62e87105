import { relativeTime } from '../../lib/display/relative-time.ts';

it.each([
  ['2026-11-21T20:48:30.000Z', 'just now'],
  ['2026-11-21T20:09:00.000Z', '40 min ago'],
  ['2026-11-21T10:48:00.000Z', '10 h ago'],
  ['2026-11-20T20:00:00.000Z', 'yesterday'],
  ['2026-11-12T20:00:00.000Z', '9 days ago'],
  ['2026-01-02T20:00:00.000Z', '2026-01-02'],
  ['', ''],
])('%s is shown as %s', (ts, told) => {
  expect(relativeTime(ts, Date.parse('2026-11-21T20:49:00.000Z'))).toBe(told);
});
