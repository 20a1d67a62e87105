import fc from 'fast-check';
import type { SentSessionRow } from '../../../lib/page/api/types.ts';
import { isListed, isLive, linesOf, withNewest } from '../../../lib/page/model/session-lines.ts';

const row = (address: string, more: object = {}): SentSessionRow =>
  ({ address, agent: 'ollm', id: address, lastActivity: '2026-01-01T00:00:00Z', ...more }) as unknown as SentSessionRow;
const running = {
  activity: { kind: 'running', promptId: 'p', since: '2026-01-01T00:00:00Z', queued: 0, questions: [] },
};
const rows = fc
  .uniqueArray(
    fc.record({ id: fc.integer({ min: 0, max: 40 }), at: fc.nat(9), project: fc.nat(3), live: fc.boolean() }),
    {
      selector: ({ id }) => id,
    },
  )
  .map((all) =>
    all
      .map(({ id, at, project, live }) =>
        row(`s${id}`, {
          ...{ lastActivity: `2026-01-0${at}T00:00:00Z`, project: project === 0 ? undefined : `/p${project}` },
          ...(live ? running : {}),
        }),
      )
      .sort((a, b) => (a.lastActivity! < b.lastActivity! ? 1 : -1)),
  );
const addresses = (some: readonly SentSessionRow[]) => some.map(({ address }) => address);

describe('the lines of the list of sessions', () => {
  it('have each session once in the order of time, what is live in front', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const shown = linesOf(all, 'time').flatMap((line) => (line.kind === 'row' ? [line.row] : []));
        expect(addresses(shown)).toEqual(addresses([...all.filter(isLive), ...all.filter((each) => !isLive(each))]));
      }),
    );
  });

  it('say how many a project has, and that there are more than are shown', () => {
    const all = Array.from({ length: 30 }, (_, at) => row(`s${at}`, { project: at < 28 ? '/many' : undefined }));
    const lines = linesOf(all, 'project');
    expect(lines.filter(({ kind }) => kind === 'group')).toEqual([
      { kind: 'group', name: '/many', count: 28, isWhole: false },
      { kind: 'group', name: '', count: 2, isWhole: true },
    ]);
    expect(lines.filter(({ kind }) => kind === 'row')).toHaveLength(12 + 2);
  });
});

describe('a list that is brought up to date', () => {
  const all = () => true;

  it('has what is new, and what the newest say of each, and none twice', () => {
    fc.assert(
      fc.property(rows, rows, (old, newest) => {
        const next = newest.length > 5 ? 'more' : undefined;
        const merged = withNewest(old, { sessions: newest, ...(next === undefined ? {} : { next }) }, all);
        const names = addresses(merged);
        expect(new Set(names).size).toBe(names.length);
        for (const each of newest) {
          const isNew = (each.lastActivity ?? '') > (old[0]?.lastActivity ?? '');
          const isKnown = old.some(({ address }) => address === each.address);
          const shown = merged.find(({ address }) => address === each.address);
          expect(shown).toBe(isNew || isKnown ? each : undefined);
        }
        // Without more behind them nothing else is there.
        if (next === undefined) for (const each of merged) expect(newest).toContain(each);
      }),
    );
  });

  it('keeps what is older than the newest, and drops what is gone from among them', () => {
    const at = (address: string, day: number) => row(address, { lastActivity: `2026-01-0${day}` });
    const old = [at('gone', 8), at('kept', 5), at('older', 1)];
    const newest = { sessions: [at('new', 9), at('on a later page', 6), at('kept', 5)], next: 'more' };
    expect(addresses(withNewest(old, newest, all))).toEqual(['new', 'kept', 'older']);
  });

  it('leaves out what its filter leaves out', () => {
    const now = Date.parse('2026-01-08T00:00:00Z');
    const filter = { project: '', agent: 'claude', days: 3 };
    const claude = (more: object) => row('x', { agent: 'claude', lastActivity: '2026-01-07T00:00:00Z', ...more });
    expect(isListed(claude({}), filter, now)).toBe(true);
    expect(isListed(claude({ project: '/a' }), filter, now)).toBe(false);
    expect(isListed(claude({ agent: 'codex' }), filter, now)).toBe(false);
    expect(isListed(claude({ lastActivity: '2026-01-04T00:00:00Z' }), filter, now)).toBe(false);
    expect(isListed(claude({ lastActivity: undefined }), filter, now)).toBe(false);
  });
});
