// `ollm fork ID [--at SEQ]` and `/fork`: a new session that begins with what another one knew at some event.
import type { App } from './app.ts';

export interface ForkRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

/** The new session's id. It is closed; open it with `openSession`. Reads the parent only, so it may be locked. */
export async function forkSession(
  _app: App,
  _reference: string,
  _request: ForkRequest = {},
): Promise<{ id: string; at: number }> {
  throw new TypeError('not there yet');
}
