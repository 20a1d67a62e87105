// `ollm prune`, and what retention does by itself when a session is made. Never touches a session that is open, cannot
// be read or comes from a newer version.
import type { App } from './app.ts';

export interface PruneRequest {
  /** How many sessions stay, newest activity first. Default: none is too many. */
  readonly keep?: number | undefined;
  readonly olderThanMs?: number | undefined;
  readonly dryRun?: boolean | undefined;
  /** Gone for good instead of to the trash. */
  readonly purge?: boolean | undefined;
}

export interface PruneReport {
  readonly removed: readonly {
    readonly id: string;
    readonly title: string | undefined;
    readonly lastActivity: string;
  }[];
  /** Those that would have gone, and why they stay. */
  readonly spared: readonly { readonly id: string; readonly reason: string }[];
  readonly dryRun: boolean;
}

export async function pruneSessions(_app: App, _request: PruneRequest): Promise<PruneReport> {
  throw new TypeError('not there yet');
}
