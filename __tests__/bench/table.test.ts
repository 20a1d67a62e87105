import type { Row } from '../../bench/measure.ts';
import { documented, table } from '../../bench/table.ts';

const ROWS: readonly Row[] = [
  {
    what: 'verify',
    unit: 'MB/s',
    ollm: 1234.5,
    reference: 400,
    against: 'JSON.parse',
    ratio: 3.0861,
    quartiles: [3, 3.2],
    goal: 3,
  },
  {
    what: 'verify',
    unit: 'MB/s',
    ollm: 1234.5,
    reference: 617,
    against: 'a peer',
    ratio: 2,
    quartiles: [1.9, 2.1],
    goal: 10,
  },
  { what: 'the comparison with rg', skipped: 'rg is not installed' },
  { what: 'the questions', text: 'A table of its own' },
];

describe('a table of figures', () => {
  it('has a row for each figure, a missed goal, and notes after them', () => {
    expect(table(ROWS).split('\n')).toEqual([
      '|        |       ollm |  against |            | ratio (quartiles) | goal             |',
      '|--------|-----------:|---------:|------------|------------------:|------------------|',
      '| verify | 1,235 MB/s | 400 MB/s | JSON.parse |    3.09 (3 – 3.2) | ≥ 3              |',
      '|        | 1,235 MB/s | 617 MB/s | a peer     |     2 (1.9 – 2.1) | ≥ 10, **missed** |',
      '',
      'the comparison with rg: skipped, rg is not installed.',
      '',
      'A table of its own',
    ]);
  });

  it('has no ratio next to a floor of 0', () => {
    const none = { ratio: Number.POSITIVE_INFINITY, quartiles: [Number.NaN, Number.POSITIVE_INFINITY] } as const;
    const row = { what: 'memory', unit: 'MB', ollm: 1, reference: 0, against: 'node:http', ...none, goal: 1 };
    expect(table([row]).split('\n').at(-1)).toBe('| memory | 1 MB |    0 MB | node:http |         – (– – –) | ≤ 1  |');
  });

  it('replaces the previous one at its place in a page, and no other', () => {
    const place = (name: string, text: string) => `<!-- bench ${name} -->\n${text}\n<!-- /bench ${name} -->\n`;
    const page = `before\n${place('read', 'old')}between\n${place('append', 'kept')}after\n`;
    const once = documented(page, 'read', 'new');
    expect(once).toBe(`before\n${place('read', '\nnew\n')}between\n${place('append', 'kept')}after\n`);
    expect(documented(once, 'read', 'new')).toBe(once);
    expect(documented(page, 'turns', 'new')).toBe(page);
  });
});
