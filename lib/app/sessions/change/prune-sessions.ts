// `ollm prune`, and what retention does by itself when a session is made.
import { OWN_ROWS } from '../../../catalog/catalog.ts';
import { checkArguments } from '../../../errors/arguments.ts';
import type { SummaryRow } from '../../../projections/summary.ts';
import { type PruneOptions, type PruneReport, pruneStore } from '../../../session/prune.ts';
import type { App } from '../../app.ts';
import { placeOf } from '../../journals/place.ts';
import { forgetSessions } from '../../list/forget-sessions.ts';
import { durationMs } from './duration-ms.ts';

export type { PruneReport };

/** The bounds of the settings: what retention goes by. */
export function configuredBounds(app: App): Pick<PruneRequest, 'keep' | 'olderThanMs'> {
  const { maxSessions, maxAge } = app.config.services.session;
  return { keep: maxSessions, olderThanMs: maxAge === undefined ? undefined : durationMs(maxAge) };
}

/** `keep`: how many sessions stay, newest activity first. Default: none is too many. */
export type PruneRequest = Pick<PruneOptions, 'keep' | 'olderThanMs' | 'dryRun' | 'purge' | 'most' | 'stop'>;

/**
 * Moves sessions that are too many or too old to the trash; with `purge` they are removed permanently. A session that
 * is in use or cannot be read is spared, with the reason. Imports are not counted, and go only by `hub.keep`, only to
 * the trash.
 *
 * @example
 * const { removed } = await pruneSessions(app, { keep: 100, olderThanMs: 30 * 86_400_000, dryRun: true });
 */
export async function pruneSessions(app: App, request: PruneRequest): Promise<PruneReport> {
  checkArguments('pruneSessions', { app: 'App', request: 'object' }, [app, request]);
  const { store, catalog, clock, config } = app;
  const report = await pruneStore(store, {
    ...request,
    importsOlderThanMs: durationMs(config.hub.keep),
    now: clock.now(),
    known: async (infos) => (await catalog.find<SummaryRow>({ ...OWN_ROWS, directory: placeOf(app) }, infos)).rows,
  });
  const ids = report.removed.map(({ id }) => id);
  if (request.purge && !report.dryRun) await forgetSessions(app, ids);
  return report;
}
