import fc from 'fast-check';
import { wallSeconds, withoutVolatile } from '../../lib/loop-detection/volatile.ts';

describe('a result without times and ids', () => {
  it.each([
    [
      'chunk ids and wall times',
      'Chunk ID: 4f2a9c\nWall time: 0.0520 seconds\nok',
      'Chunk ID: 88aa\nWall time: 1.2 seconds\nok',
    ],
    ['timestamps', 'at 2026-11-23T03:06:45.123Z', 'at 2026-11-24 00:00:00 +0100'],
    ['times of day', 'Mon 03:06:45', 'Mon 13:59:01.25'],
    ['seconds since 1970', 'now=1763867205', 'now=1763867209.25'],
    ['durations', 'ok (12 ms), took 0.3s, real 0m0.012s, 1h 5m', 'ok (9 ms), took 11s, real 2m1.5s, 2h 15m 3s'],
    ['time that has passed', 'started 5 minutes ago', 'started 12 minutes ago'],
    ['process numbers', 'pid 4711, PID: 1', 'pid 9, PID: 4294967'],
    ['UUIDs', '123e4567-e89b-12d3-a456-426614174000.', '00000000-0000-4000-8000-000000000000.'],
    ['labelled ids', '{"request_id": "a-1"}', '{"request_id": "zz"}'],
    ['random names', 'job-4f2a9c call_x7a2', 'job-00ab1f call_q9z8'],
  ])('is equal for any %s', (_, one, other) => {
    expect(withoutVolatile(one)).toBe(withoutVolatile(other));
    expect(one).not.toBe(other);
  });

  it.each([
    '40 %',
    '3 of 12 done',
    'exit 1',
    'v1.2.3',
    'a1b2c3d',
    'file-2',
    'Process exited with code 1',
    '5 minutes left',
    'in 3 s remaining',
    '2026-11-23',
    '12345 bytes',
    '10.0.0.1:8080',
    'line 4:17',
  ])('keeps %s', (text) => {
    expect(withoutVolatile(text)).toContain(text);
  });

  it('is unchanged if it has none of them', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z ,.\n]{0,200}$/), (text) => {
        expect(withoutVolatile(text)).toBe(text);
      }),
    );
  });

  it('is unchanged if it is long, and costs little for any text', () => {
    const long = '2026-11-23T03:06:45Z '.repeat(1000);
    expect(withoutVolatile(long)).toBe(long);
    for (const piece of ['a', 'a-', '1', '1:', 'process ', 'ab-ab_', '1h', '"id":']) {
      expect(withoutVolatile(piece.repeat(16_000 / piece.length))).toBeDefined();
    }
  });
});

it('the seconds that a call waited are read if the result names them first', () => {
  expect(wallSeconds('Chunk ID: a\nWall time: 30.001 seconds\nOutput:\n')).toBe(30);
  expect(wallSeconds('Wall time: 0.05 seconds')).toBe(0);
  expect(wallSeconds(`${'x'.repeat(500)} Wall time: 30 seconds`)).toBe(0);
});
