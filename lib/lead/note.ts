// Which sessions have a turn in a server, as empty files in `$OLLM_HOME/run/turns`: what a server that was killed left
// open is closed by the next one at its start, and not only when a user comes back to it; and it continues with the
// prompts that waited. Derived and disposable: a session that is not named here is closed when it is next opened.
import { dirname, join } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { isSessionId } from '../journal/format.ts';
import { quietly, type RunPlace, runDirectory } from './run-directory.ts';

/** The note of one session. */
export class TurnNote {
  readonly #place: RunPlace;
  readonly #id: string;
  #storing: Promise<void> | undefined;
  #isStored = false;

  constructor(place: RunPlace, id: string) {
    this.#place = place;
    this.#id = id;
  }

  get isStored(): boolean {
    return this.#isStored;
  }

  /** @throws OllmError IO_FAILED */
  async store(): Promise<void> {
    this.#storing ??= noteTurn(this.#place, this.#id);
    const storing = this.#storing;
    try {
      await storing;
      // Unless it was removed meanwhile.
      if (this.#storing === storing) this.#isStored = true;
    } catch (error) {
      if (this.#storing === storing) this.#storing = undefined;
      throw error;
    }
  }

  remove(): void {
    this.#storing = undefined;
    this.#isStored = false;
    forgetTurn(this.#place, this.#id);
  }
}

/**
 * Resolves once the note is on the disk: a prompt that is stored afterwards is found again after a power loss too.
 * @throws OllmError IO_FAILED
 */
async function noteTurn(place: RunPlace, id: string): Promise<void> {
  const { fileSystem, paths } = place;
  const directory = directoryOf(place);
  try {
    const wasThere = fileSystem.stat(directory) !== undefined;
    fileSystem.makeDirectory(directory);
    fileSystem.open(join(directory, id), 'lock', 0o600).close();
    await fileSystem.syncDirectory(directory);
    if (wasThere) return;
    await fileSystem.syncDirectory(dirname(directory));
    await fileSystem.syncDirectory(paths.home);
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw new OllmError('IO_FAILED', `${directory} cannot be written: ${(cause as Error).message}`, {
      hint: 'No prompt is taken that a restart of the server would not find.',
      data: { path: directory },
      cause,
    });
  }
}

export function forgetTurn(place: RunPlace, id: string): void {
  quietly(place, 'host', () => place.fileSystem.unlink(join(directoryOf(place), id)));
}

/** Sessions in which a turn ran, in this server or in another one. */
export function notedTurns(place: RunPlace): readonly string[] {
  return quietly(place, 'host', () => place.fileSystem.readNames(directoryOf(place)).filter(isSessionId)) ?? [];
}

function directoryOf(place: RunPlace): string {
  return runDirectory(place, 'turns');
}
