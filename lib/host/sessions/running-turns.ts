// Which sessions have a turn in a server, as empty files in `$OLLM_HOME/run/turns`: what a server that was killed left
// open is closed by the next one at its start, and not only when a user comes back to it. Derived and disposable: a
// session that is not named here is closed when it is next opened.
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';

type Place = Pick<App, 'paths' | 'fileSystem' | 'log'>;

export function noteTurn(place: Place, id: string): void {
  quietly(place, () => {
    place.fileSystem.makeDirectory(directoryOf(place));
    place.fileSystem.open(join(directoryOf(place), id), 'lock', 0o600).close();
  });
}

export function forgetTurn(place: Place, id: string): void {
  quietly(place, () => place.fileSystem.unlink(join(directoryOf(place), id)));
}

/** Sessions in which a turn ran, in this server or in another one. */
export function notedTurns(place: Place): readonly string[] {
  return quietly(place, () => place.fileSystem.readNames(directoryOf(place)).filter(isSessionId)) ?? [];
}

function directoryOf({ paths }: Place): string {
  return join(paths.home, 'run', 'turns');
}

function quietly<Result>({ log }: Place, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') log.warn({ service: 'host', operation: 'note', error }, 'A turn could not be noted');
    return undefined;
  }
}
