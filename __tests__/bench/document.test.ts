// The tables of a page: each says when it was taken, and none is lost to a case that did not run.
import { documented, halfTables, type Taken } from '../../bench/document.ts';
import type { Figure } from '../../bench/measure.ts';

const PAGE = `Before.

<!-- machine -->
an old machine
<!-- /machine -->

<!-- bench append append-disk -->
an old table
<!-- /bench -->

Between.

<!-- bench read -->
another old table
<!-- /bench -->

After.
`;

const FIGURE: Figure = {
  kind: 'figure',
  what: 'one at a time',
  unit: 'events/s',
  subject: 12_345,
  against: 'a floor',
  reference: 10_000,
  ratio: 1.2345,
  quartiles: [1.1, 1.3],
  pairs: 9,
  goal: { atLeast: 0.9 },
  met: true,
};

const TAKEN: Taken = {
  started: '2026-11-22T10:11:12.131Z',
  revision: { commit: 'abc1234567890', isClean: true },
  machine: {
    cpu: 'Intel Processor',
    cores: 2,
    memoryGiB: 24,
    system: 'linux 6 x64',
    node: 'v24.0.0',
    fileSystem: 'ext4',
    dataSyncMs: 0.1111,
    load: 0.3,
  },
  results: { read: [FIGURE] },
};

describe('a documented page', () => {
  it('has the table of a case between its marks, below when and of what it was taken', () => {
    const [, table] = documented(PAGE, TAKEN).split(/<!-- bench read -->|<!-- \/bench -->\n\nAfter/);
    expect(table).toBe(`

Taken on 2026-11-22 at commit abc1234, load 0.3, a write and its fdatasync on ext4 0.111 ms.

| | ollm | against | | ratio (quartiles) | goal |
|---|---:|---:|---|---:|---|
| one at a time | 12,345 events/s | 10,000 events/s | a floor | 1.23 (1.10 – 1.30) | ≥ 0.9 |

`);
  });

  it('says that the code was not that of the commit, and of no commit where none is known', () => {
    const changed = { commit: 'abc1234567890', isClean: false };
    expect(documented(PAGE, { ...TAKEN, revision: changed })).toContain('at commit abc1234 with changes, load');
    expect(documented(PAGE, { ...TAKEN, revision: undefined })).toContain('Taken on 2026-11-22, load');
  });

  it('says once for all what it was measured on', () => {
    const page = documented(PAGE, TAKEN);
    expect(page).toContain(
      '<!-- machine -->\n\n2 cores of an Intel Processor, 24 GiB, linux 6 x64, Node v24.0.0.\n\n<!--',
    );
    expect(page).not.toContain('an old machine');
  });

  it('keeps what stands around the tables, and a table of which a case did not run', () => {
    const page = documented(PAGE, { ...TAKEN, results: { append: [FIGURE] } });
    expect(page).toContain('<!-- bench append append-disk -->\nan old table\n<!-- /bench -->');
    expect(page).toContain('another old table');
    expect(page).toMatch(/^Before\.[\s\S]*Between\.[\s\S]*After\.\n$/);
  });

  it('has the rows of all cases of a table in one', () => {
    const page = documented(PAGE, { ...TAKEN, results: { append: [FIGURE], 'append-disk': [FIGURE] } });
    expect(page).not.toContain('an old table');
    expect(page.match(/12,345 events\/s/g)).toHaveLength(2);
  });

  it('does not say again what stands in the row above', () => {
    const page = documented(PAGE, { ...TAKEN, results: { read: [FIGURE, { ...FIGURE, against: 'a peer' }] } });
    expect(page).toContain('|  | 12,345 events/s | 10,000 events/s | a peer |');
  });

  it('says what was missed, and why something could not be measured', () => {
    const missed = { ...FIGURE, met: false };
    const skipped = { kind: 'skipped', what: 'a peer', reason: 'it is not installed' } as const;
    const page = documented(PAGE, { ...TAKEN, results: { read: [missed, skipped] } });
    expect(page).toContain('| ≥ 0.9, **missed** |');
    expect(page).toContain('\na peer: skipped, it is not installed.\n');
  });

  it('says beside the quartiles of a few pairs how many they are of', () => {
    const page = documented(PAGE, { ...TAKEN, results: { read: [{ ...FIGURE, pairs: 3 }] } });
    expect(page).toContain('| 1.23 (1.10 – 1.30, 3 pairs) |');
  });
});

describe('a half table', () => {
  it('is one of which some cases are asked for and others are not', () => {
    expect(halfTables(PAGE, ['append', 'read'])).toEqual([['append', 'append-disk']]);
    expect(halfTables(PAGE, ['append', 'append-disk'])).toEqual([]);
    expect(halfTables(PAGE, ['memory'])).toEqual([]);
  });
});
