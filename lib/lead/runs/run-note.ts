// The runs that have programs at work, as empty files in `$OLLM_HOME/run/agents`, each locked by the process that leads
// its run. The file is there before the program is. The processes of a run whose ollm was killed are ended by the next
// run or server, and not only when its session is opened again. Derived and disposable.
import { join } from 'node:path';
import { endTree } from '../../runs/end-tree.ts';
import { quietly, type RunPlace, runDirectory } from '../run-directory.ts';

/** The note of a run that this process leads. */
export interface RunNote {
  /** Called when its processes have ended. */
  remove(): void;
}

/** `mark`: the mark of the processes of the run. */
export function noteRun(place: RunPlace, mark: string): RunNote {
  const { fileSystem } = place;
  const handle = quietly(place, 'runs', () => {
    fileSystem.makeDirectory(directoryOf(place));
    const opened = fileSystem.open(pathOf(place, mark), 'lock', 0o600);
    opened.tryLock('exclusive');
    return opened;
  });
  return {
    remove() {
      quietly(place, 'runs', () => fileSystem.unlink(pathOf(place, mark)));
      handle?.close();
    },
  };
}

/** Ends the processes of runs that no process leads any more. */
export async function endLeftRuns(place: RunPlace): Promise<void> {
  const { fileSystem } = place;
  for (const mark of quietly(place, 'runs', () => fileSystem.readNames(directoryOf(place))) ?? []) {
    if (!MARK.test(mark)) continue;
    const handle = quietly(place, 'runs', () => fileSystem.open(pathOf(place, mark), 'read'));
    if (handle === undefined) continue;
    try {
      // Only the process that leads a run holds its note.
      if (!quietly(place, 'runs', () => handle.tryLock('shared'))) continue;
      await endTree(mark);
      quietly(place, 'runs', () => fileSystem.unlink(pathOf(place, mark)));
    } finally {
      handle.close();
    }
  }
}

const MARK = /^[0-9a-f-]{36}$/;

function directoryOf(place: RunPlace): string {
  return runDirectory(place, 'agents');
}

function pathOf(place: RunPlace, mark: string): string {
  return join(directoryOf(place), mark);
}
