// What happens by itself when a session is made: the oldest beyond the settings go to the trash, and the trash lets go
// of what has lain there long enough. Reported in one sentence; a failure never gets in the way of the new session.
import type { App } from '../../app.ts';
import { forgetSessions } from '../../list/forget-sessions.ts';
import { durationMs } from './duration-ms.ts';
import { pruneSessions } from './prune-sessions.ts';

const DAY_MS = 86_400_000;

/** Returns notices for the user. Once `stop` is aborted it leaves the rest to the next new session. */
export async function applyRetention(app: App, newId: string, stop?: AbortSignal): Promise<string[]> {
  try {
    await emptyTrash(app, stop);
    return await removeOldest(app, newId, stop);
  } catch (error) {
    const fields = { service: 'retention', operation: 'prune', error, action: '"ollm prune" tries it again.' };
    app.log.error(fields, 'Old sessions could not be removed');
    return [];
  }
}

async function removeOldest(app: App, newId: string, stop: AbortSignal | undefined): Promise<string[]> {
  const { maxSessions, maxAge } = app.config.services.session;
  const olderThanMs = maxAge === undefined ? undefined : durationMs(maxAge);
  // Nothing is read as long as nothing can be too much.
  const isAgeLimited = olderThanMs !== undefined || durationMs(app.config.hub.keep) !== undefined;
  if (!isAgeLimited && (await app.store.list()).length <= maxSessions) return [];
  const { removed } = await pruneSessions(app, { keep: maxSessions, olderThanMs, stop });
  const ids = removed.map(({ id }) => id).filter((id) => id !== newId);
  if (ids.length === 0) return [];
  const action = '"ollm restore ID" brings one back.';
  app.log.info({ service: 'retention', operation: 'prune', removed: ids, action }, 'Old sessions went to the trash');
  const what = ids.length === 1 ? 'One old session was' : `${ids.length} old sessions were`;
  return [
    `${what} moved to the trash (services.session.maxSessions, maxAge; hub.keep). "ollm restore ${ids.length === 1 ? ids[0] : 'ID'}" brings ${ids.length === 1 ? 'it' : 'one'} back.`,
  ];
}

async function emptyTrash(app: App, stop: AbortSignal | undefined): Promise<void> {
  const { store, clock, config, log } = app;
  const oldest = clock.now() - config.retention.trashDays * DAY_MS;
  const purged: string[] = [];
  for (const { entry, id, deletedAt } of await store.listTrash()) {
    if (stop?.aborted) break;
    if (!(Date.parse(deletedAt) < oldest)) continue;
    await store.purge(entry);
    purged.push(id);
    log.info({ service: 'retention', operation: 'empty-trash', entry, deletedAt }, 'The trash let go of a session');
  }
  if (purged.length > 0) await forgetSessions(app, purged);
}
