import type { Count, Figure } from '../../bench/measure.ts';
import { countText, exceeded, number, table } from '../../bench/table.ts';

describe('a number', () => {
  it.each([
    [0, '0.00'],
    [0.000284, '0.000284'],
    [0.00642, '0.00642'],
    [0.1, '0.100'],
    [0.9996, '1.00'],
    [1.2345, '1.23'],
    [25.04, '25.0'],
    [99.96, '100'],
    [137.38, '137'],
    [116_433.2, '116,433'],
  ])('%p is written with three significant digits, or with all of its whole part: %s', (value, text) => {
    expect(number(value)).toBe(text);
  });
});

describe('a count', () => {
  it.each([
    [0, '0'],
    [2, '2'],
    [12_345, '12,345'],
    [0.1172, '0.117'],
    [0.0002, '0.000200'],
  ])('%p is written as %s', (value, text) => {
    expect(countText(value)).toBe(text);
  });
});

describe('a table', () => {
  const figure: Figure = {
    kind: 'figure',
    what: 'tokens of a turn',
    unit: 'µs',
    subject: 48.5,
    against: 'all of it',
    reference: 170_722,
    ratio: 0.000284,
    quartiles: [0.00028, 0.0003],
    pairs: 5,
    goal: { atMost: 0.1 },
    met: true,
  };
  const count: Count = { kind: 'count', what: 'a replay', unit: 'parses', count: 0.117, atMost: 0.1 };

  it('says a small ratio, and not that it is nothing', () => {
    expect(table('tokens', [figure])).toContain('0.000284  (0.000280 – 0.000300)  ≤ 0.1  met');
  });

  it('says which count is exceeded', () => {
    expect(table('counts', [count])).toMatch(/a replay +0\.117 +parses +≤ 0\.1 +exceeded/);
    expect(exceeded([figure, count, { ...count, atMost: 0.117 }])).toEqual(['a replay: 0.117 parses, limit 0.1']);
  });
});
