// Runs an action on a session's files while no other process can open it for writing. The lock file is removed last,
// and only if its journal is gone and it carries no mark (failed-sync.ts).
import { hasFailedSync } from '../journal/files/failed-sync.ts';
import { notAFile } from '../journal/files/journal-file.ts';
import { acquireLock } from '../journal/files/lock.ts';
import { removeIfThere, type StoreContext } from '../journal/files/store-context.ts';
import { holderAt, lockedError } from '../journal/reading/holder.ts';
import { notFound } from '../journal/refusals.ts';
import type { Holder } from '../journal/types.ts';
import type { FileHandle } from '../platform/files/file-system.ts';

/** @throws OllmError JOURNAL_LOCKED */
export async function whileLocked<T>(
  context: StoreContext,
  id: string,
  action: (lock: FileHandle) => Promise<T>,
): Promise<T> {
  const lock = await acquireLock(context.fileSystem, context.paths.lock(id), context.sleep);
  if (lock === undefined) {
    throw lockedError({ id, path: context.paths.journal(id) }, await holderOf(context, id));
  }
  try {
    return await action(lock);
  } finally {
    removeNeedlessLock(context, id, lock);
    lock.close();
  }
}

/** Runs `action` under the lock of a session that has a journal, which may be damaged. @throws as `requireJournal` */
export async function whileJournalLocked<T>(
  context: StoreContext,
  id: string,
  action: (lock: FileHandle) => Promise<T>,
): Promise<T> {
  // Checked before the lock, so that no lock file is made, and again after it, because the journal may have gone
  // meanwhile.
  requireJournal(context, id);
  return whileLocked(context, id, (lock) => {
    requireJournal(context, id);
    return action(lock);
  });
}

/** A lock file that stays does no harm, and is not a reason to report the action as a failure. */
function removeNeedlessLock(context: StoreContext, id: string, lock: FileHandle): void {
  const { fileSystem, paths, log } = context;
  try {
    const isNeeded = hasFailedSync(lock) || fileSystem.stat(paths.journal(id)) !== undefined;
    if (!isNeeded) removeIfThere(context, paths.lock(id));
  } catch (error) {
    log.warn(
      { service: 'store', operation: 'unlock', path: paths.lock(id), error },
      'A lock file could not be removed',
    );
  }
}

/**
 * Refuses anything that is not a file. A damaged journal passes.
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE
 */
function requireJournal({ fileSystem, paths }: StoreContext, id: string): void {
  const path = paths.journal(id);
  const kind = fileSystem.stat(path)?.kind;
  if (kind === undefined) throw notFound({ id, path });
  if (kind !== 'file') throw notAFile({ id, path });
}

/** The known facts about the holder of the lock. */
export function holderOf({ fileSystem, paths }: StoreContext, id: string): Promise<Holder> {
  return holderAt(fileSystem, { id, path: paths.journal(id) });
}
