// Hints that something changed in directories: never below them, and never relied on. If the system has no watches
// left, only the walk of `watchSources` finds new sessions.
import type { Log } from '../platform/log.ts';
import type { Hints } from './watch.ts';

/** Each watch takes memory of the kernel. */
const MAX_DIRECTORIES = 1000;

export async function directoryHints(directories: readonly string[], onHint: () => void, log: Log): Promise<Hints> {
  const { watch } = await import('chokidar');
  const watched = new Set(directories.slice(0, MAX_DIRECTORIES));
  const watcher = watch([...watched], { depth: 0, ignoreInitial: true, followSymlinks: false });
  let hasFailed = false;
  watcher.on('all', onHint);
  // What changed until then is seen by no watch.
  watcher.on('ready', onHint);
  watcher.on('error', (error) => {
    if (hasFailed) return;
    hasFailed = true;
    const fields = { service: 'hub', operation: 'watch', error };
    log.warn({ ...fields, action: 'The walk every 30 seconds continues.' }, 'A directory cannot be watched');
  });
  return {
    watch(wanted) {
      const some = new Set(wanted.slice(0, MAX_DIRECTORIES));
      const gone = [...watched].filter((directory) => !some.has(directory));
      const added = [...some].filter((directory) => !watched.has(directory));
      if (gone.length > 0) watcher.unwatch(gone);
      if (added.length > 0) watcher.add(added);
      for (const directory of gone) watched.delete(directory);
      for (const directory of added) watched.add(directory);
    },
    close: () => watcher.close(),
  };
}
