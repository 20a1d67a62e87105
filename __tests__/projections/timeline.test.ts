import {
  compact,
  countedEntries,
  countedSpans,
  emptyTimeline,
  forget,
  move,
  say,
  type TimelineSpan,
  undoCompaction,
} from '../../lib/projections/timeline.ts';

interface Sum extends TimelineSpan {
  readonly tokens: number;
}

const sum = {
  of: ({ seq, tokens }: { readonly seq: number; readonly tokens: number }) => ({ from: seq, to: seq, tokens }),
  join: (older: Sum, newer: Sum) => ({ from: older.from, to: newer.to, tokens: older.tokens + newer.tokens }),
};

describe('a trimmed timeline', () => {
  it('sums up undone items separately from valid ones, even if they are adjacent', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    for (const seq of [2, 3, 5, 6, 7]) say(timeline, { seq, tokens: 22, startsTurn: true });
    move(timeline, 13, 5);
    for (const seq of [14, 15, 16]) {
      say(timeline, { seq, tokens: 22, startsTurn: true });
      forget(timeline, 20, sum);
    }
    expect(countedSpans(timeline)).toEqual([
      { from: 2, to: 5, tokens: 66, startsTurn: true },
      { from: 14, to: 14, tokens: 22, startsTurn: true },
    ]);
  });

  it('sums up compacted items separately from valid ones, even if they are adjacent', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    const add = (seq: number) => {
      say(timeline, { seq, tokens: 22, startsTurn: true });
      forget(timeline, 20, sum);
    };
    for (const seq of [1, 2, 3]) add(seq);
    expect(countedSpans(timeline)).toEqual([{ from: 1, to: 1, tokens: 22, startsTurn: true }]);
    compact(timeline, { seq: 4, keptFrom: 2, tokens: 10 });
    for (const seq of [5, 6]) add(seq);
    expect(timeline.incomplete).toBe(false);
    expect(countedSpans(timeline)).toEqual([{ from: 2, to: 3, tokens: 44, startsTurn: true }]);
  });

  it('keeps the compaction that covers most, however many came after it', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    for (const seq of [1, 2]) say(timeline, { seq, tokens: 1, startsTurn: true });
    compact(timeline, { seq: 3, keptFrom: 2, summary: 'all', tokens: 10 });
    for (const seq of [4, 5, 6]) compact(timeline, { seq, keptFrom: 1, summary: 'less', tokens: 10 });
    forget(timeline, 20, sum);
    compact(timeline, { seq: 7, keptFrom: 1, tokens: 0 });
    expect(countedEntries(timeline).map(({ seq }) => seq)).toEqual([2]);
  });

  it('is marked incomplete when an undone compaction uncovers items that a trimmed one may have covered', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    for (const seq of [1, 2, 3]) say(timeline, { seq, tokens: 1, startsTurn: true });
    compact(timeline, { seq: 4, keptFrom: 2, summary: 'some', tokens: 30 });
    for (const seq of [5, 6]) compact(timeline, { seq, keptFrom: 1, summary: 'less', tokens: 1 });
    compact(timeline, { seq: 7, keptFrom: 3, summary: 'all', tokens: 1 });
    forget(timeline, 20, sum);
    expect(timeline.incomplete).toBe(false);
    undoCompaction(timeline, 8, 7);
    expect(timeline.incomplete).toBe(true);
  });
});
