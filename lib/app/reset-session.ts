// `ollm reset ID` and `ollm rebuild ID`: the session starts anew under its id; its old journal goes to archive/.
import type { App } from './app.ts';

export interface ResetRequest {
  /** The conversation comes along; only the prompt changes. */
  readonly keepHistory?: boolean | undefined;
  /** Default: the prompt as it is recorded. */
  readonly promptFile?: string | undefined;
}

export async function resetSession(
  _app: App,
  _reference: string,
  _request: ResetRequest = {},
): Promise<{ id: string; archive: string }> {
  throw new TypeError('not there yet');
}

/** Starts fresh from the prompt file as it is now. */
export async function rebuildSession(_app: App, _reference: string): Promise<{ id: string; archive: string }> {
  throw new TypeError('not there yet');
}
