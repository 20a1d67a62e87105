// Automatic retention when a session is made: the oldest beyond the settings go to the trash, and the trash drops old
// entries. Reported in one sentence; a failure never hinders the new session.
import type { App } from '../../app.ts';
import { forgetSessions } from '../../list/forget-sessions.ts';
import { durationMs } from './duration-ms.ts';
import { configuredBounds, pruneSessions } from './prune-sessions.ts';

const DAY_MS = 86_400_000;

interface RetentionOptions {
  /** How many sessions are moved, and how many leave the trash, at most. Default: all. */
  readonly most?: number | undefined;
  /** Once it is aborted, the rest is left to the next new session. */
  readonly stop?: AbortSignal | undefined;
}

interface Retained {
  /** For the user. */
  readonly notices: readonly string[];
  /** Whether there is more to do. */
  readonly isMore: boolean;
}

export async function applyRetention(app: App, newId: string, options: RetentionOptions = {}): Promise<Retained> {
  try {
    const isMore = await emptyTrash(app, options);
    const removed = await removeOldest(app, newId, options);
    return { notices: removed.notices, isMore: isMore || removed.isMore };
  } catch (error) {
    const fields = { service: 'retention', operation: 'prune', error, action: '"ollm prune" tries it again.' };
    app.log.error(fields, 'Old sessions could not be removed');
    return NOTHING;
  }
}

const NOTHING: Retained = { notices: [], isMore: false };

async function removeOldest(app: App, newId: string, { most, stop }: RetentionOptions): Promise<Retained> {
  const { keep = 0, olderThanMs } = configuredBounds(app);
  // Nothing is read as long as nothing can be too much.
  const isAgeLimited = olderThanMs !== undefined || durationMs(app.config.hub.keep) !== undefined;
  if (!isAgeLimited && (await app.store.ids()).length <= keep) return NOTHING;
  const { removed, left } = await pruneSessions(app, { keep, olderThanMs, most, stop });
  const ids = removed.map(({ id }) => id).filter((id) => id !== newId);
  if (ids.length === 0) return NOTHING;
  const action = '"ollm restore ID" brings one back.';
  app.log.info({ service: 'retention', operation: 'prune', removed: ids, action }, 'Old sessions went to the trash');
  const what = ids.length === 1 ? 'One old session was' : `${ids.length} old sessions were`;
  const [reference, which] = ids.length === 1 ? [ids[0], 'it'] : ['ID', 'one'];
  const notice = `${what} moved to the trash (services.session.maxSessions, maxAge; hub.keep). "ollm restore ${reference}" brings ${which} back.`;
  return { notices: [notice], isMore: left > 0 };
}

/** Whether there is more to remove. */
async function emptyTrash(app: App, { most = Number.POSITIVE_INFINITY, stop }: RetentionOptions): Promise<boolean> {
  const { store, clock, config, log } = app;
  const deletedBeforeMs = clock.now() - config.retention.trashDays * DAY_MS;
  const purged: string[] = [];
  let isMore = false;
  for (const { entry, id, deletedAt } of await store.listTrash({ deletedBeforeMs })) {
    if (stop?.aborted) break;
    isMore = purged.length >= most;
    if (isMore) break;
    await store.purge(entry);
    purged.push(id);
    log.info({ service: 'retention', operation: 'empty-trash', entry, deletedAt }, 'The trash let go of a session');
  }
  if (purged.length > 0) await forgetSessions(app, purged);
  return isMore;
}
