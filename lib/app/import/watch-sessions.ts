// `ollm watch`: continues importing what other programs write, and keeps the catalogue up to date with it.
import { sourcesOf } from '../../hub/import-sources.ts';
import { type HubWatchOptions, watchSources } from '../../hub/watch.ts';
import { systemSleep } from '../../platform/waiting.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { importSettings } from './import-sessions.ts';
import type { SyncElsewhere } from './sync-elsewhere.ts';

interface WatchWish extends Pick<HubWatchOptions, 'signal' | 'once' | 'onProgress' | 'onSession' | 'onWalk'> {
  /** The words that start ollm, with the flags of this run. Undefined: the catalogue is left to the next search. */
  readonly program?: readonly [string, ...string[]] | undefined;
  /** Called after each sync of the catalogue. */
  readonly onSync?: ((outcome: SyncElsewhere) => void) | undefined;
}

const MOST_TRIES = 4;
const BUSY_PAUSE_MS = 500;

/** Ends without an error once `signal` is aborted. @throws OllmError JOURNAL_FULL, JOURNAL_READ_ONLY */
export async function watchForeign(app: App, { program, onSync, ...wish }: WatchWish): Promise<void> {
  const { fileSystem, clock, log } = app;
  const ports = foreignPorts(app);
  await watchSources({
    ...(await importSettings(app)),
    ...wish,
    fileSystem,
    find: () => sourcesOf(undefined, ports),
    now: () => clock.now(),
    hints: async (directories, onHint) => {
      const { directoryHints } = await import('../../hub/watch-hints.ts');
      return directoryHints(directories, onHint, log);
    },
    index:
      program &&
      (async () => {
        const { syncElsewhere } = await import('./sync-elsewhere.ts');
        const sync = () => syncElsewhere(app, { program, signal: wish.signal });
        let outcome = await sync();
        // Mostly a search, which is short. Without `once`, the next walk comes.
        for (let tries = 1; wish.once && outcome.kind === 'busy' && tries < MOST_TRIES; tries += 1) {
          await systemSleep(BUSY_PAUSE_MS, wish.signal);
          outcome = await sync();
        }
        onSync?.(outcome);
        return outcome.kind === 'done';
      }),
  });
}
