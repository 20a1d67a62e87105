// `ollm verify` of many sessions: told in their order, verified on as many cores as there are if there is enough to do. What
// is told of a session is the same on one core and on many.
import { setImmediate as turn } from 'node:timers/promises';
import { OllmError } from '../../../errors/index.ts';
import { machineCores } from '../../../platform/processes/worker-thread.ts';
import type { App } from '../../app.ts';
import { type CrewOptions, startVerifyCrew, type VerifyTask } from './verify-crew.ts';
import { brokenOff, examineSession, type VerifiedSession, type VerifyOptions } from './verify-session.ts';

export interface VerifySessionsOptions extends VerifyOptions {
  /** Ends it with INTERRUPTED, and its threads with it. */
  readonly signal?: AbortSignal | undefined;
  /** Cores at most. Default: all that the machine has for us. */
  readonly cores?: number | undefined;
  /** What further threads have to take off the main one, each, to be started. Default: what was measured. */
  readonly worthBytes?: number | undefined;
  readonly entry?: CrewOptions['entry'];
}

/**
 * What the main thread verifies while another one starts and comes up to speed: 0.07 to 0.19 s of processor time, at 1.8 MB in a
 * millisecond. Where that much was taken off it, it needed 0.24 s of its own instead of 0.34.
 */
const WORTH_BYTES = 300_000_000;
const WORTH_BYTES_DEEP = 32_000_000;

/**
 * Each session with what was found in it, in the order of `ids`, which are of journals that are there.
 *
 * @example
 * for await (const { report, findings } of verifySessions(app, ['notes', 'walk'], { maxFindings: 100 })) …
 * @throws OllmError INTERRUPTED
 */
export async function* verifySessions(
  app: App,
  ids: readonly string[],
  { signal, cores = machineCores(), worthBytes, entry, ...options }: VerifySessionsOptions,
): AsyncGenerator<VerifiedSession, void, void> {
  const { storeElsewhere } = app;
  const tasks = storeElsewhere && ids.length > 1 ? tasksOf(app, ids) : [];
  const threads = threadsBesides(tasks, cores, worthBytes ?? (options.deep ? WORTH_BYTES_DEEP : WORTH_BYTES));
  const crew =
    storeElsewhere && threads > 0 && startVerifyCrew(app, storeElsewhere, { threads, tasks, options, entry });
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});
  const stop = () => stopped.reject(new OllmError('INTERRUPTED', 'Stopped.'));
  signal?.addEventListener('abort', stop);
  try {
    for (const [index, id] of ids.entries()) {
      let session: VerifiedSession | undefined;
      if (crew && !crew.take(index)) {
        while (!crew.isTold(index)) {
          const other = crew.takeAnother();
          if (other === undefined) break;
          crew.keep(other, await examineHere(app, ids[other]!, options));
          await Promise.race([stopped.promise, turn()]);
        }
        session = await Promise.race([stopped.promise, crew.sessionAt(index)]);
      }
      yield session ?? (await examineHere(app, id, options));
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    if (crew) await crew.stop();
  }
}

function tasksOf({ store }: App, ids: readonly string[]): readonly VerifyTask[] {
  const sizes = new Map(store.list().map(({ id, bytes }) => [id, bytes]));
  return ids.map((id) => ({ id, bytes: sizes.get(id) ?? 0 }));
}

/** How many threads beside the main one earn their start. The largest journal stays in one piece: nothing ends before it does. */
export function threadsBesides(tasks: readonly Pick<VerifyTask, 'bytes'>[], cores: number, worthBytes: number): number {
  const total = tasks.reduce((sum, { bytes }) => sum + bytes, 0);
  const largest = tasks.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const most = Math.max(1, Math.min(cores, tasks.length));
  const takenOff = total - Math.max(largest, total / most);
  return Math.min(most - 1, Math.floor(takenOff / worthBytes));
}

async function examineHere(app: App, id: string, options: VerifyOptions): Promise<VerifiedSession> {
  try {
    return await examineSession(app, id, options);
  } catch (error) {
    app.log.error({ service: 'verify', operation: 'check', id, error }, 'The check of a session broke off');
    return brokenOff(id, error instanceof Error ? error.message : String(error));
  }
}
