import fc from 'fast-check';
import { planRetention } from '../../lib/session/retention.ts';

const candidates = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: fc.constantFrom(...'abcdef'), minLength: 1, maxLength: 6 }),
    lastActivityMs: fc.nat(1000),
    protection: fc.option(fc.constant('It is open.'), { nil: undefined }),
  }),
  { selector: ({ id }) => id, maxLength: 30, size: 'max' },
);

describe('retention', () => {
  it('removes the oldest sessions down to the limit, except protected ones', () => {
    fc.assert(
      fc.property(candidates, fc.nat(30), (sessions, keep) => {
        const { remove } = planRetention(sessions, { keep, now: 1000 });
        const removable = sessions.filter(({ protection }) => protection === undefined);
        expect(remove).toHaveLength(Math.min(removable.length, Math.max(0, sessions.length - keep)));
        const kept = removable.filter(({ id }) => !remove.includes(id)).map((session) => session.lastActivityMs);
        const gone = removable.filter(({ id }) => remove.includes(id)).map((session) => session.lastActivityMs);
        expect(Math.max(-1, ...gone)).toBeLessThanOrEqual(Math.min(Number.POSITIVE_INFINITY, ...kept));
      }),
    );
  });

  it('removes sessions older than the limit, and no others', () => {
    fc.assert(
      fc.property(candidates, fc.nat(1000), (sessions, olderThanMs) => {
        const { remove } = planRetention(sessions, { olderThanMs, now: 1000 });
        const expected = sessions.filter((one) => 1000 - one.lastActivityMs > olderThanMs && !one.protection);
        expect([...remove].sort()).toEqual(expected.map(({ id }) => id).sort());
      }),
    );
  });

  it('never removes protected sessions, and says why they stay', () => {
    const old = { id: 'old', lastActivityMs: 0, protection: 'It is open.' };
    expect(planRetention([old, { id: 'new', lastActivityMs: 9 }], { keep: 0, now: 10 })).toEqual({
      remove: ['new'],
      spared: [{ id: 'old', reason: 'It is open.' }],
    });
  });

  it('keeps the last used sessions, by last activity if their files have the same hour', () => {
    const hour = 3_600_000;
    const restored = { id: 'restored', lastActivityMs: 0, usedMs: 9 * hour };
    const copied = { id: 'copied', lastActivityMs: 4 * hour, usedMs: 9 * hour + 1 };
    const plain = { id: 'plain', lastActivityMs: 5 * hour };
    const plan = (keep: number) => planRetention([copied, restored, plain], { keep, now: 10 * hour }).remove;
    expect([plan(3), plan(2), plan(1)]).toEqual([[], ['plain'], ['plain', 'restored']]);
    expect(planRetention([restored, plain], { olderThanMs: 2 * hour, now: 10 * hour }).remove).toEqual(['plain']);
  });

  it('keeps the allowed number of sessions with a message, whichever others are removed', () => {
    const withEmpty = candidates.chain((sessions) =>
      fc.tuple(...sessions.map((one) => fc.boolean().map((isEmpty) => ({ ...one, isEmpty })))),
    );
    fc.assert(
      fc.property(withEmpty, fc.nat(10), fc.nat(1000), (sessions, keep, olderThanMs) => {
        const { remove } = planRetention(sessions, { keep, olderThanMs, now: 1000 });
        const isOld = ({ lastActivityMs }: (typeof sessions)[number]) => 1000 - lastActivityMs > olderThanMs;
        const gone = sessions.filter(({ id }) => remove.includes(id));
        expect(gone.filter((one) => one.isEmpty && !isOld(one))).toEqual([]);
        const left = sessions.filter(({ id, isEmpty }) => !isEmpty && !remove.includes(id));
        const isAllThatMay = left.length <= keep || left.every(({ protection }) => protection !== undefined);
        expect(isAllThatMay).toBe(true);
        // No more goes than has to.
        if (gone.some((one) => !one.isEmpty && !isOld(one))) expect(left.length).toBeGreaterThanOrEqual(keep);
      }),
      { numRuns: 500 },
    );
  });

  it('does not count sessions that a crash left empty, and removes them when they are too old', () => {
    const empty = { id: 'empty', lastActivityMs: 1, isEmpty: true };
    const sessions = [empty, { id: 'a', lastActivityMs: 2 }, { id: 'b', lastActivityMs: 3 }];
    expect(planRetention(sessions, { keep: 2, now: 10 }).remove).toEqual([]);
    expect(planRetention(sessions, { keep: 1, now: 10 }).remove).toEqual(['a']);
    expect(planRetention(sessions, { olderThanMs: 8, now: 10 }).remove).toEqual(['empty']);
  });
});
