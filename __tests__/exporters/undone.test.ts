import { undoneRanges, undoneTest } from '../../lib/exporters/undone.ts';

describe('what an undo leaves behind', () => {
  it('is nothing without one', () => {
    expect(undoneRanges([], 9)).toEqual([]);
  });

  it('lies between the new head and the move', () => {
    expect(undoneRanges([{ at: 8, head: 3 }], 10)).toEqual([{ from: 4, to: 7 }]);
  });

  it('comes back when a later move returns to it', () => {
    const moves = [
      { at: 8, head: 3 },
      { at: 12, head: 7 },
    ];
    expect(undoneRanges(moves, 14)).toEqual([{ from: 8, to: 11 }]);
  });

  it('ignores a head that is not in the past', () => {
    expect(undoneRanges([{ at: 4, head: 9 }], 10)).toEqual([]);
  });

  it('is asked event by event', () => {
    const isUndone = undoneTest([
      { from: 2, to: 3 },
      { from: 6, to: 6 },
    ]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(isUndone)).toEqual([false, false, true, true, false, false, true, false]);
  });
});
