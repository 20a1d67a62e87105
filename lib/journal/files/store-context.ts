// The context that the parts of a store share: its ports, which the caller provides, its paths, and the errors of a
// failing disk.
import { isOllmError, OllmError, systemErrorCode } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { ProcessInfo } from '../../platform/processes/process-info.ts';
import type { Sleep } from '../../platform/waiting.ts';
import { type StorePaths, storePaths } from '../paths.ts';

export interface JournalPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly process: ProcessInfo;
  readonly log: Log;
  /** Default: real time. */
  readonly sleep?: Sleep | undefined;
}

/** Further ports of a writer. */
export interface WriterPorts extends JournalPorts {
  /** Directories whose names are known to be on the device. */
  readonly settled: Set<string>;
}

export interface StoreContext extends WriterPorts {
  readonly paths: StorePaths;
}

export function storeContext(ports: JournalPorts, directory: string): StoreContext {
  return { ...ports, settled: new Set(), paths: storePaths(directory) };
}

/** Runs `action`; an error of the system becomes an OllmError whose message begins with `what`: “Cannot delete x”. */
export async function guarded<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw storageError(error, what);
  }
}

/** Syncs a move that every reader sees already. A failure says that the move is done, and that it may be undone. */
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

/** An error that is not the system's (ours, or a fault in the program) is returned as it is. */
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
      return new OllmError('JOURNAL_READ_ONLY', `${what}: writing is not permitted (${code}).`, {
        hint: 'Check who owns the directory and how it is mounted.',
        cause: error,
      });
    case 'ENOTDIR':
      return new OllmError('STORE_REFUSED', `${what}: a part of the path is not a directory.`, {
        hint: 'Name another place, with --home, OLLM_HOME or services.session.dataDir.',
        cause: error,
      });
    default:
      return new OllmError('IO_FAILED', `${what}: ${(error as Error).message}.`, { cause: error });
  }
}

/** Removes a file, if it is there. */
export function removeIfThere(context: Pick<StoreContext, 'fileSystem'>, path: string): void {
  try {
    context.fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
