// The rows of `ollm list`: from the state files where they hold, else from the journals themselves.
import type { SummaryState } from '../projections/summary.ts';
import type { App } from './app.ts';

export interface SessionRow {
  readonly id: string;
  readonly bytes: number;
  /** RFC 3339: when its file was last written. */
  readonly modified: string;
  readonly locked: boolean;
  /** Undefined if the journal cannot be read; `problem` then says why. */
  readonly summary: SummaryState | undefined;
  readonly problem: string | undefined;
}

export type SessionOrder = 'activity' | 'created' | 'size' | 'title';

/** Newest activity first, unless told otherwise. Never fails for the sake of one session. */
export function listSessions(
  _app: App,
  _options: { readonly limit?: number; readonly sort?: SessionOrder } = {},
): SessionRow[] {
  throw new TypeError('not there yet');
}
