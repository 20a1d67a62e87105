import { isOnActiveBranch, moveTo, noBranches } from '../../lib/projections/branches.ts';

const wayAfter = (last: number, ...moves: readonly [at: number, head: number][]): number[] => {
  const branches = noBranches();
  for (const [at, head] of moves) moveTo(branches, at, head);
  return Array.from({ length: last + 1 }, (_, seq) => seq).filter((seq) => isOnActiveBranch(branches, seq));
};

describe('the path through a journal', () => {
  it('is the whole journal without a move', () => {
    expect(wayAfter(3)).toEqual([0, 1, 2, 3]);
  });

  it('leaves out undone events, and the move itself', () => {
    expect(wayAfter(6, [5, 2])).toEqual([0, 1, 2, 6]);
  });

  it('leads back to an undone branch', () => {
    expect(wayAfter(9, [4, 1], [7, 3])).toEqual([0, 1, 2, 3, 8, 9]);
  });

  it('continues after the target of a move', () => {
    expect(wayAfter(8, [4, 1], [7, 4])).toEqual([0, 1, 8]);
  });

  it('ignores a move to itself or into the future', () => {
    expect(wayAfter(3, [2, 2])).toEqual([0, 1, 2, 3]);
    expect(wayAfter(3, [2, 9])).toEqual([0, 1, 2, 3]);
  });
});
