import type { Row } from '../../bench/measure.ts';
import { documented, table } from '../../bench/table.ts';

const ROWS: readonly Row[] = [
  {
    what: 'verify',
    unit: 'MB/s',
    subject: 1234.5,
    reference: 400,
    against: 'JSON.parse',
    ratio: 3.0861,
    quartiles: [3, 3.2],
    atLeast: 3,
  },
  {
    what: 'verify',
    unit: 'MB/s',
    subject: 1234.5,
    reference: 617,
    against: 'a peer',
    ratio: 2,
    quartiles: [1.9, 2.1],
    atLeast: 10,
  },
  { what: 'the comparison with rg', skipped: 'rg is not installed' },
];

describe('a table of figures', () => {
  it('has a row for each figure, a missed goal, and skipped measurements', () => {
    expect(table(ROWS).split('\n')).toEqual([
      '|        |       ollm |  against |            | ratio (quartiles) | goal             |',
      '|--------|-----------:|---------:|------------|------------------:|------------------|',
      '| verify | 1,235 MB/s | 400 MB/s | JSON.parse |    3.09 (3 – 3.2) | ≥ 3              |',
      '|        | 1,235 MB/s | 617 MB/s | a peer     |     2 (1.9 – 2.1) | ≥ 10, **missed** |',
      '',
      'the comparison with rg: skipped, rg is not installed.',
    ]);
  });

  it('has no ratio next to a floor of 0', () => {
    const none = { ratio: Number.POSITIVE_INFINITY, quartiles: [Number.NaN, Number.POSITIVE_INFINITY] } as const;
    const row = { what: 'memory', unit: 'MB', subject: 1, reference: 0, against: 'node:http', ...none, atMost: 1 };
    expect(table([row]).split('\n').at(-1)).toBe('| memory | 1 MB |    0 MB | node:http |         – (– – –) | ≤ 1  |');
  });

  it('replaces the previous one in a page', () => {
    const page = 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n';
    const parts = { date: '2026-01-02T03:04:05Z', machine: '2 cores', tables: ['new'] };
    const once = documented(page, parts);
    expect(once).toBe('before\n<!-- bench -->\n\nTaken on 2026-01-02: 2 cores.\n\nnew\n\n<!-- /bench -->\nafter\n');
    expect(documented(once, parts)).toBe(once);
  });
});
