// `ollm fork ID [--at SEQ]` and `/fork`: a new session that begins with what another one knew at some event. A session
// of another program is imported first.
import { checkArguments } from '../../../errors/arguments.ts';
import { isSystemError, unless } from '../../../errors/index.ts';
import { firstEvent, forkSession as fork } from '../../../session/fork.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../../find/find-session.ts';
import { importFirst } from '../../import/import-first.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { begunHere } from '../../repository/project-identity.ts';
import { nameSession } from './name-session.ts';

/** Where the new session begins to differ, and its title. */
export interface ForkSessionRequest {
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
  /** Where it works. Default: where the app does; of an import, the directory of its session, if that is there. */
  readonly cwd?: string | undefined;
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
  request: ForkSessionRequest = {},
): Promise<{ id: string; at: number; parent: string }> {
  const wanted = { 'at?': 'number', 'name?': 'text', 'cwd?': 'text' } as const;
  checkArguments('forkSession', { app: 'App', reference: 'anything', request: wanted }, [app, reference, request]);
  const { at, name, cwd } = request;
  const parent = (await importFirst(app, reference)) ?? (await resolveId(app, reference));
  const { id, title } = name === undefined ? { id: app.ids.uuid(), title: undefined } : await nameSession(app, name);
  const directory = cwd ?? (await directoryOfImport(app, parent)) ?? app.cwd;
  const created = { ollm: VERSION, ...(directory === app.cwd ? begunHere(app) : { cwd: directory }) };
  const made = await fork(app.store, parent, { id, at, title, created });
  return { ...made, parent };
}

/** Undefined for a session of ollm, and if the directory does not exist any more. */
async function directoryOfImport({ store, fileSystem }: App, id: string): Promise<string | undefined> {
  const { cwd, imported } = (await readJournal(store, id, firstEvent)).data;
  if (imported !== true || typeof cwd !== 'string') return undefined;
  return unless(isSystemError, () => fileSystem.stat(cwd))?.kind === 'directory' ? cwd : undefined;
}
