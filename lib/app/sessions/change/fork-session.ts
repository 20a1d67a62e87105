// `ollm fork ID [--at SEQ]` and `/fork`: a new session that begins with what another one knew at some event. A session
// of another program is imported first.
import { forkSession as fork } from '../../../session/fork.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../find/find-session.ts';
import { importFirst } from '../import/import-first.ts';
import { nameSession } from './name-session.ts';

/** Where the new session begins to differ, and what it is called. */
export interface ForkRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

/**
 * Makes a new session of the beginning of another: a copy of its events up to `at`. Reads the parent only, so it may be
 * locked. The new session is closed; open it with `openConversation`.
 *
 * @example
 * const { id } = await forkSession(app, '@last', { at: 12 });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_EXISTS, SEQ_NOT_FOUND
 */
export async function forkSession(
  app: App,
  reference: string,
  { at, name }: ForkRequest = {},
): Promise<{ id: string; at: number; parent: string }> {
  const parent = (await importFirst(app, reference)) ?? (await resolveId(app, reference));
  const { id, title } = name === undefined ? { id: app.ids.uuid(), title: undefined } : await nameSession(app, name);
  const created = { ollm: VERSION, cwd: app.cwd };
  const made = await fork(app.store, parent, { id, at, title, created });
  return { ...made, parent };
}
