import { countedSpans, emptyTimeline, forget, move, type Span, say } from '../../lib/projections/timeline.ts';

interface Sum extends Span {
  readonly tokens: number;
}

describe('forgetting', () => {
  it('sums up what was undone apart from what counts, although nothing stands between them', () => {
    const timeline = emptyTimeline<{ seq: number; tokens: number; startsTurn: true }, Sum>();
    for (const seq of [2, 3, 5, 6, 7]) say(timeline, { seq, tokens: 22, startsTurn: true });
    move(timeline, 13, 5);
    for (const seq of [14, 15, 16]) {
      say(timeline, { seq, tokens: 22, startsTurn: true });
      forget(timeline, 20, {
        of: ({ seq: from, tokens }) => ({ from, to: from, tokens }),
        join: (older, newer) => ({ from: older.from, to: newer.to, tokens: older.tokens + newer.tokens }),
      });
    }
    expect(countedSpans(timeline)).toEqual([
      { from: 2, to: 5, tokens: 66 },
      { from: 14, to: 14, tokens: 22 },
    ]);
  });
});
