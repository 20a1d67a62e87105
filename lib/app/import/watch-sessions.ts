// `ollm watch`: continues importing what other programs write.
import { sourcesOf } from '../../hub/import-sources.ts';
import { type HubWatchOptions, watchSources } from '../../hub/watch.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { importSettings } from './import-sessions.ts';

type WatchWish = Pick<HubWatchOptions, 'signal' | 'once' | 'onProgress' | 'onSession' | 'onWalk'>;

/** Ends without an error once `signal` is aborted. @throws OllmError JOURNAL_FULL, JOURNAL_READ_ONLY */
export async function watchForeign(app: App, wish: WatchWish): Promise<void> {
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
  });
}
