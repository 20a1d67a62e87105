import type { SessionActivity } from './snapshots.ts';

export interface HostForkRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

export interface SessionCompacted {
  /** Seq of the compaction. Undefined: there was nothing to make room with. */
  readonly seq: number | undefined;
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
}

export interface HandOverOptions {
  readonly wait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type HandOver =
  /** The writer is closed, or was not held. */
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly activity: Extract<SessionActivity, { readonly promptId: string }> };
