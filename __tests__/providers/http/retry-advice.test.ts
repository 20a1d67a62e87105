import fc from 'fast-check';
import { retryAdvice } from '../../../lib/providers/http/retry-advice.ts';

const advice = (headers: Record<string, string>, status = 429) => retryAdvice(status, new Headers(headers));
const date = 'Sun, 22 Nov 2026 10:00:00 GMT';

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['parts of a second', { 'retry-after': '0.25' }, 250],
  ['milliseconds, which are more exact', { 'retry-after-ms': '120', 'retry-after': '1' }, 120],
  ['a date, by the clock of the server', { 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT', date }, 30_000],
  ['a date that has passed', { 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT', date }, 0],
  ['nothing', {}, undefined],
  ['a date without a clock to hold it against', { 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT' }, undefined],
  ['no number and no date', { 'retry-after': 'soon', date }, undefined],
  ['less than nothing', { 'retry-after': '-5' }, undefined],
  ['a year', { 'retry-after': '31536000' }, 3_600_000],
])('Retry-After with %s', (_what, headers, retryAfterMs) => {
  expect(advice(headers)).toEqual({ retryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) });
});

test.each([400, 401, 403, 404, 409, 413, 422, 501, 505])('a request with status %d is not repeated', (status) => {
  expect(advice({ 'retry-after': '1' }, status)).toBeUndefined();
});

test('no header gives a delay that is not a number, or longer than an hour', () => {
  const text = fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String), fc.constant(date));
  fc.assert(
    fc.property(text, text, (after, ms) => {
      const clean = (value: string) => value.replace(/[^\x20-\x7e]/g, '');
      const found = advice({ 'retry-after': clean(after), 'retry-after-ms': clean(ms), date })?.retryAfterMs ?? 0;
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(3_600_000);
    }),
    { numRuns: 500 },
  );
});
