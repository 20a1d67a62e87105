import type { SessionActivity } from './snapshots.ts';

export interface SessionCompacted {
  /** Seq of the compaction. Undefined: there was nothing to make room with. */
  readonly seq: number | undefined;
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
}

export type HandOver =
  /** The writer is closed, or was not held. */
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly activity: Extract<SessionActivity, { readonly promptId: string }> };
