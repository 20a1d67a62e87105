// Which rows of a session count now: rows of undone turns stay in the catalogue, and count again after the undo of an
// undo.
import { type Branches, isOnActiveBranch } from '../projections/branches.ts';

/** `branches`: the column of `sessions`, text or null. */
export function livesIn(branches: unknown): (seq: number) => boolean {
  if (typeof branches !== 'string') return () => true;
  const parsed = JSON.parse(branches) as Branches;
  return (seq) => isOnActiveBranch(parsed, seq);
}
