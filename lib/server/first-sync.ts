// A server brings the catalogue up to date by itself at its start, so that a search finds sessions of every program. It
// does so in steps, so that other work gets its turn and the figures say how far it is.
import { messageOf } from '../errors/index.ts';
import { systemSleep } from '../platform/waiting.ts';
import type { ServerContext } from './context.ts';

/** No session is begun after this time of a step. */
const STEP_MS = 5_000;
/** A step with one large session may take longer. */
const STEP_LIMIT_MS = 10 * 60_000;
/** Until another process has ended its sync. */
const BUSY_PAUSE_MS = 2_000;

type Parts = Pick<ServerContext, 'work' | 'catalog' | 'stopping' | 'app'>;

/** Ends when nothing is left, or the server is being stopped. Never fails: the log has the reason. */
export async function firstSync({ work, catalog, stopping, app }: Parts): Promise<void> {
  catalog.isSyncing = true;
  try {
    for (let before = Number.POSITIVE_INFINITY; !stopping.aborted; ) {
      const startedMs = performance.now();
      const options = { signal: stopping, timeLimitMs: STEP_LIMIT_MS };
      const { outcome } = await work.run('sync', { budgetMs: STEP_MS }, options);
      if (outcome.kind === 'busy') {
        await systemSleep(BUSY_PAUSE_MS, stopping);
        continue;
      }
      if (outcome.kind === 'refused') {
        app.log.warn({ service: 'server', operation: 'sync', reason: outcome.reason }, 'The catalogue cannot be used');
        return;
      }
      const { sessions, left } = outcome.report;
      noteSync(catalog, { startedMs, sessions, left });
      // Some sessions cannot be read.
      if (left === 0 || left >= before) return;
      before = left;
    }
  } catch (error) {
    if (stopping.aborted) return;
    const fields = { service: 'server', operation: 'sync', error, action: '"ollm sync" reads what is missing.' };
    app.log.warn(fields, `The catalogue was not brought up to date: ${messageOf(error)}`);
  } finally {
    catalog.isSyncing = false;
  }
}

/** Keeps what a sync found and left. */
export function noteSync(
  catalog: ServerContext['catalog'],
  { startedMs, sessions, left }: { readonly startedMs: number; readonly sessions: number; readonly left: number },
): void {
  const endedMs = performance.now();
  const figures = { tookMs: endedMs - startedMs, sessions, left };
  Object.assign(catalog, figures, left === 0 && { wholeAtMs: endedMs });
}
