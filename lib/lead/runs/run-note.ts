// Which runs have programs at work, as empty files in `$OLLM_HOME/run/agents`. The processes of a run whose ollm was
// killed are ended by the next run or server, and not only when its session is opened again. Derived and disposable.
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { endTree } from '../../runs/end-tree.ts';

type Place = Pick<App, 'paths' | 'fileSystem' | 'log'>;

/** The journal of a run, and the mark of its processes. */
interface NotedRun {
  readonly id: string;
  readonly mark: string;
}

export function noteRun(place: Place, run: NotedRun): void {
  quietly(place, () => {
    place.fileSystem.makeDirectory(directoryOf(place));
    place.fileSystem.open(pathOf(place, run), 'lock', 0o600).close();
  });
}

export function forgetRun(place: Place, run: NotedRun): void {
  quietly(place, () => place.fileSystem.unlink(pathOf(place, run)));
}

/** Ends the processes of runs that no process leads any more. */
export async function endLeftRuns(app: Place & Pick<App, 'store'>): Promise<void> {
  const names = quietly(app, () => app.fileSystem.readNames(directoryOf(app))) ?? [];
  for (const name of names) {
    const [, id, mark] = /^([a-z0-9][a-z0-9-]{0,63})\.([0-9a-f-]{36})$/.exec(name) ?? [];
    if (id === undefined || mark === undefined) continue;
    // Only the process that leads a run holds its journal.
    if ((await app.store.has(id)) && (await app.store.holder(id)) !== undefined) continue;
    await endTree(mark);
    forgetRun(app, { id, mark });
  }
}

function directoryOf({ paths }: Place): string {
  return join(paths.home, 'run', 'agents');
}

function pathOf(place: Place, { id, mark }: NotedRun): string {
  return join(directoryOf(place), `${id}.${mark}`);
}

function quietly<Result>({ log }: Place, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') log.warn({ service: 'runs', operation: 'note', error }, 'A run could not be noted');
    return undefined;
  }
}
