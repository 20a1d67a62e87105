import { compact, countedSpans, emptyTimeline, forget, move, type Span, say } from '../../lib/projections/timeline.ts';

interface Sum extends Span {
  readonly tokens: number;
}

const sum = {
  of: ({ seq, tokens }: { readonly seq: number; readonly tokens: number }) => ({ from: seq, to: seq, tokens }),
  join: (older: Sum, newer: Sum) => ({ from: older.from, to: newer.to, tokens: older.tokens + newer.tokens }),
};

describe('forgetting', () => {
  it('sums up what was undone apart from what counts, although nothing stands between them', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    for (const seq of [2, 3, 5, 6, 7]) say(timeline, { seq, tokens: 22, startsTurn: true });
    move(timeline, 13, 5);
    for (const seq of [14, 15, 16]) {
      say(timeline, { seq, tokens: 22, startsTurn: true });
      forget(timeline, 20, sum);
    }
    expect(countedSpans(timeline)).toEqual([
      { from: 2, to: 5, tokens: 66 },
      { from: 14, to: 14, tokens: 22 },
    ]);
  });

  it('sums up what a compaction covered apart from what counts, although nothing stands between them', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    const add = (seq: number) => {
      say(timeline, { seq, tokens: 22, startsTurn: true });
      forget(timeline, 20, sum);
    };
    for (const seq of [1, 2, 3]) add(seq);
    expect(countedSpans(timeline)).toEqual([{ from: 1, to: 1, tokens: 22 }]);
    compact(timeline, { seq: 4, keptFrom: 2, tokens: 10 });
    for (const seq of [5, 6]) add(seq);
    expect(timeline.incomplete).toBe(false);
    expect(countedSpans(timeline)).toEqual([{ from: 2, to: 3, tokens: 44 }]);
  });
});
