// What the parts of a store share: its ports, its paths, and what a failing disk is called towards those above.
import { isOllmError, OllmError, systemErrorCode } from '../../errors/index.ts';
import type { StorePaths } from '../paths.ts';
import type { JournalPorts } from '../ports.ts';

export interface StoreContext extends JournalPorts {
  readonly paths: StorePaths;
}

/** Runs `action`; what the disk answers comes out as an OllmError that begins with `what`: “Cannot delete x”. */
export async function guarded<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw storageError(error, what);
  }
}

/** Makes a move safe that every reader sees already: a failure says that it is done, and what is not known of it. */
export async function settleMove(
  { fileSystem }: Pick<StoreContext, 'fileSystem'>,
  done: string,
  directories: readonly string[],
): Promise<void> {
  await guarded(`${done}, but a power failure may undo that`, async () => {
    for (const directory of directories) await fileSystem.syncDirectory(directory);
  });
}

export function guardedSync<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw storageError(error, what);
  }
}

/** Anything that is no answer of the disk (one of ours already, or a fault in the program) comes back as it is. */
function storageError(error: unknown, what: string): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isOllmError(error)) return error;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new OllmError(
        'JOURNAL_FULL',
        `${what}: the disk, the quota or the file-size limit is used up (${code}).`,
        {
          hint: 'Free some space and try again.',
          cause: error,
        },
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new OllmError('JOURNAL_READ_ONLY', `${what}: there is no permission to write (${code}).`, {
        hint: 'Check who owns the directory and how it is mounted.',
        cause: error,
      });
    case 'ENOTDIR':
      return new OllmError('STORE_REFUSED', `${what}: a part of that path is no directory.`, {
        hint: 'Name another place, with --home, OLLM_HOME or services.session.dataDir.',
        cause: error,
      });
    default:
      return new OllmError('IO_FAILED', `${what}: ${(error as Error).message}.`, { cause: error });
  }
}

/** Removes a file; that it is gone already is as good. */
export function removeIfThere(context: Pick<StoreContext, 'fileSystem'>, path: string): void {
  try {
    context.fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
