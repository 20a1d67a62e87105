// Sessions enough for an index of the list to be made, the list as it is without one, and what happens to sessions, their
// files and the index between two lists, by our own hand or behind our back.
import type { App } from '../../../lib/app/app.ts';
import { deleteSession, restoreSession } from '../../../lib/app/sessions/delete-session.ts';
import { systemError } from '../../../lib/platform/files/io.ts';
import type { MemoryFileSystem } from '../../../lib/platform/index.ts';
import { createSession } from '../../../lib/session/create.ts';
import { openSession } from '../../../lib/session/open.ts';
import { OPTIONS, said } from '../../session/world.ts';
import { SESSIONS } from '../world.ts';

export const INDEX = `${SESSIONS}/.list-index`;
/** As many as make an index worth while. */
export const SETTLED = 20;
export const MINUTE_MS = 60_000;

export async function makeSession(app: App, id: string, text = 'Hello', title?: string) {
  const created = { provider: 'offline', model: 'm-1', ollm: '0.0.0', ...(title === undefined ? {} : { title }) };
  const session = await createSession(app.store, { id, created }, OPTIONS);
  await session.append(said('user', text));
  return session;
}

/** The same app where no index can be opened. */
export function withoutIndex(app: App): App {
  const { fileSystem } = app;
  return {
    ...app,
    fileSystem: {
      ...fileSystem,
      open(path, mode, permissions) {
        if (path.startsWith(INDEX)) throw systemError('ENOENT', 'open', path);
        return fileSystem.open(path, mode, permissions);
      },
    },
  };
}

export type Incident =
  | 'talk'
  | 'leave open'
  | 'trash'
  | 'restore'
  | 'purge'
  | 'repair'
  | 'append bytes'
  | 'cut'
  | 'lose state'
  | 'take its place'
  | 'crash'
  | 'lose index';

/** Lets it happen to the session, or fails where that cannot be. `count`: how many there were, so that no two are alike. */
export async function happen(
  { app, fileSystem }: { readonly app: App; readonly fileSystem: MemoryFileSystem },
  kind: Incident,
  id: string,
  count: number,
): Promise<void> {
  const journal = `${SESSIONS}/${id}.jsonl`;
  // Goes along wherever a journal is changed behind our back: one of the same length would be believed by any list.
  const loseState = (of: string) => {
    const path = `${SESSIONS}/${of}.state.json`;
    if (fileSystem.stat(path)) fileSystem.unlink(path);
  };
  switch (kind) {
    case 'talk':
    case 'leave open': {
      const session = await openSession(app.store, id, OPTIONS);
      await session.append(said('user', 'x'.repeat(count)));
      if (kind === 'talk') await session.close('exit');
      break;
    }
    case 'trash':
    case 'purge':
      await deleteSession(app, id, { purge: kind === 'purge' });
      break;
    case 'restore':
      await restoreSession(app, id);
      break;
    case 'repair':
      await app.store.repair(id);
      break;
    case 'append bytes':
    case 'cut': {
      const handle = fileSystem.open(journal, 'append');
      if (kind === 'cut') handle.truncate(Math.floor(handle.stat().size / 2));
      else handle.write(Buffer.from('{"seq":'));
      handle.close();
      loseState(id);
      break;
    }
    case 'lose state':
      loseState(id);
      break;
    case 'take its place':
      fileSystem.rename(journal, `${SESSIONS}/s-0.jsonl`);
      loseState('s-0');
      break;
    case 'crash':
      fileSystem.crash();
      break;
    case 'lose index':
      fileSystem.unlink(INDEX);
      break;
  }
}
