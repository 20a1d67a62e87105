import fc from 'fast-check';
import type { SessionRow } from '../../lib/app/list/session-row.ts';
import { allSessionsTable, shortPath } from '../../lib/cli/all-sessions.ts';
import { tableLines } from '../../lib/display/table.ts';

const ROW: SessionRow = {
  address: 'claude:5f3c',
  agent: 'claude',
  id: '5f3c',
  title: 'Why does it grow?',
  project: `/home/me/projects/${'deep/'.repeat(20)}garden`,
  branch: undefined,
  remote: undefined,
  parent: undefined,
  model: 'claude-haiku-4-5-20251001',
  startTime: undefined,
  lastActivity: '2026-01-02T03:04:05.000Z',
  messageCount: 7,
  bytes: 1,
  importId: undefined,
  gone: false,
  locked: false,
  problem: undefined,
};

describe('the list of all sessions on a terminal', () => {
  it.each([80, 100, 130, 200])('has room for the title at %i columns, however deep the project is', (width) => {
    const table = allSessionsTable([ROW], Date.parse('2026-01-03'), '/home/me');
    const lines = [...tableLines(table, { width, header: 'dim' })].map((line) => line.map(({ text }) => text).join(''));
    expect(lines[1]).toContain('Why does it grow?');
    expect(lines[1]).toContain('/garden');
  });
});

describe('a session that was handed over, listed on a terminal', () => {
  it('comes after its source, which names the session that continues it', () => {
    const other = { ...ROW, address: 'pi:77', agent: 'pi', id: '77', title: 'Another' };
    const copy = { ...ROW, agent: 'codex', copyOf: ROW.address, continued: true };
    const first = { ...copy, address: 'codex:1', id: '1' };
    const next = { ...copy, address: 'codex:2', id: '2', copyOf: first.address, continued: false };
    const table = allSessionsTable([first, other, next, ROW], Date.parse('2026-01-03'), '/home/me');
    expect(table.at(-1)?.cells).toEqual([
      'Why does it grow? (continued in codex)',
      'Why does it grow? (continues claude:5f3c)',
      'Why does it grow? (copy of codex:1)',
      'Another',
    ]);
  });
});

describe('a path in a list', () => {
  it.each([
    ['/home/me', '~'],
    ['/home/me/garden', '~/garden'],
    ['/home/meadow', '/home/meadow'],
    ['/srv/a/very/long/way/to/the/garden', '…/long/way/to/the/garden'],
    [`/srv/${'x'.repeat(40)}`, `…${'x'.repeat(27)}`],
    ['', ''],
  ])('%j is shown as %j', (path, shown) => {
    expect(shortPath(path, '/home/me')).toBe(shown);
  });

  it('has at most 28 characters, and ends as the path does', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        const shown = shortPath(path, '/home/me');
        expect(shown.length).toBeLessThanOrEqual(28);
        if (path.isWellFormed()) expect(path.endsWith(shown.replace(/^[~…]/, ''))).toBe(true);
      }),
    );
  });
});
