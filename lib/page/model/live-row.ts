import type { SentSessionRow } from '../api/types.ts';

/** Whether a turn runs in the session, or waits. */
export function isLive({ activity }: Pick<SentSessionRow, 'activity'>): boolean {
  return activity?.kind === 'running' || activity?.kind === 'waiting';
}
