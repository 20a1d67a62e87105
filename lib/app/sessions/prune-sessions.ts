// `ollm prune`, and what retention does by itself when a session is made. Never touches a session that is open, cannot
// be read or comes from a newer version.
import { setImmediate as breathe } from 'node:timers/promises';
import { isOllmError } from '../../errors/index.ts';
import { planRetention } from '../../session/retention.ts';
import { type Surveyed, survey } from '../../session/survey.ts';
import type { App } from '../app.ts';
import { forgetSessions } from './list/forget-sessions.ts';

export interface PruneRequest {
  /** How many sessions stay, newest activity first. Default: none is too many. */
  readonly keep?: number | undefined;
  readonly olderThanMs?: number | undefined;
  readonly dryRun?: boolean | undefined;
  /** Gone for good instead of to the trash. */
  readonly purge?: boolean | undefined;
  /** Once it is aborted, the sessions that are still there stay. */
  readonly stop?: AbortSignal | undefined;
}

/** A survey takes about 0.1 ms: somebody may be typing meanwhile. */
const SURVEYED_AT_ONCE = 32;

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

/**
 * Moves what is too much or too old to the trash; with `purge` it is gone for good. A session that is in use or cannot be read is
 * spared, with the reason.
 *
 * @example
 * const { removed } = await pruneSessions(app, { keep: 100, olderThanMs: 30 * 86_400_000, dryRun: true });
 */
export async function pruneSessions(app: App, request: PruneRequest): Promise<PruneReport> {
  const { keep, olderThanMs, dryRun = false, purge = false, stop } = request;
  const sessions: Surveyed[] = [];
  for (const info of app.store.list()) {
    if (stop?.aborted) return { removed: [], spared: [], dryRun };
    sessions.push(survey(app.store, info));
    if (sessions.length % SURVEYED_AT_ONCE === 0) await breathe();
  }
  const plan = planRetention(sessions, { keep, olderThanMs, now: app.clock.now() });
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const removed: PruneReport['removed'][number][] = [];
  const spared = [...plan.spared];
  for (const id of plan.remove) {
    if (stop?.aborted) break;
    const refusal = dryRun ? undefined : await remove(app, id, purge);
    if (refusal !== undefined) spared.push({ id, reason: refusal });
    else {
      const { title, lastActivityMs = 0 } = byId.get(id) ?? {};
      removed.push({ id, title, lastActivity: new Date(lastActivityMs).toISOString() });
    }
  }
  if (purge && !dryRun)
    await forgetSessions(
      app,
      removed.map(({ id }) => id),
    );
  return { removed, spared, dryRun };
}

/** Why it did not go; undefined if it did. */
async function remove({ store }: App, id: string, purge: boolean): Promise<string | undefined> {
  try {
    const { entry } = await store.trash(id);
    if (purge) await store.purge(entry);
    return undefined;
  } catch (error) {
    if (isOllmError(error)) return error.message;
    throw error;
  }
}
