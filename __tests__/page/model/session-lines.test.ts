import fc from 'fast-check';
import type { SentSessionRow } from '../../../lib/page/api/types.ts';
import { isLive } from '../../../lib/page/model/live-row.ts';
import { isListed, linesByProject, linesByTime } from '../../../lib/page/model/session-lines.ts';

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
  it('by time have each session once, live ones first, and a blank for each that is not loaded', () => {
    fc.assert(
      fc.property(rows, fc.nat(40), (all, loaded) => {
        const live = all.filter(isLive);
        const rest = all.filter((each) => !isLive(each));
        const lines = linesByTime(live, {
          total: rest.length,
          rowAt: (index) => (index < loaded ? rest[index] : undefined),
        });
        const shown = lines.flatMap((line) => (line.kind === 'row' ? [line.row] : []));
        expect(addresses(shown)).toEqual(addresses([...live, ...rest.slice(0, loaded)]));
        expect(lines.filter(({ kind }) => kind === 'blank')).toHaveLength(Math.max(0, rest.length - loaded));
      }),
    );
  });

  it('by project have the number of sessions of a project, also if few of them are loaded', () => {
    const all = Array.from({ length: 30 }, (_, at) => row(`s${at}`, { project: at < 28 ? '/many' : undefined }));
    const counts = [{ project: '/many', sessions: 250 }, { sessions: 2 }];
    const lines = linesByProject([], all, counts);
    expect(lines.filter(({ kind }) => kind === 'group')).toEqual([
      { kind: 'group', name: '/many', count: 250, isWhole: false },
      { kind: 'group', name: '', count: 2, isWhole: true },
    ]);
    expect(lines.filter(({ kind }) => kind === 'row')).toHaveLength(12 + 2);
  });

  it('leave out the sessions that their filter leaves out', () => {
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
