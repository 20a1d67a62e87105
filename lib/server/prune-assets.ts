// Files that were sent with a prompt stay for 30 days after they were last sent: what a session names it has as an
// attachment of its own. What an upload that was cut off left goes after an hour.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { systemErrorCode } from '../errors/index.ts';
import { namesIn } from '../platform/files/io.ts';

const KEPT_MS = 30 * 86_400_000;
const UNFINISHED_MS = 3_600_000;
const ASSET = /^[0-9a-f]{64}\.[a-z]{3,4}(\.[A-Za-z0-9_-]+\.tmp)?$/;

/** Never throws: what cannot be removed now is tried again at the next start. */
export function pruneAssets({
  fileSystem,
  paths,
  clock,
  log,
}: Pick<App, 'fileSystem' | 'paths' | 'clock' | 'log'>): void {
  const directory = join(paths.home, 'assets');
  try {
    for (const name of namesIn(fileSystem, directory)) {
      const [match, unfinished] = ASSET.exec(name) ?? [];
      const changedMs = match === undefined ? undefined : fileSystem.stat(join(directory, name))?.modifiedMs;
      const keptMs = unfinished === undefined ? KEPT_MS : UNFINISHED_MS;
      if (changedMs !== undefined && clock.now() - changedMs > keptMs) fileSystem.unlink(join(directory, name));
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    log.warn({ service: 'server', operation: 'prune-assets', error }, 'Old assets could not be removed');
  }
}
