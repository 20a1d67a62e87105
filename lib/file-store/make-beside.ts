// A journal that is made of something else (a fork, a reset, a repaired copy) is written under a name that no reader
// knows, and gets its own name once it is whole and on the device: a crash leaves all of it or nothing. The caller
// holds the session's lock.
import { join } from 'node:path';
import { isOllmError } from '../errors/index.ts';
import { isLocked } from '../journal/files/lock.ts';
import { removeIfThere, type StoreContext, settleMove } from '../journal/files/store-context.ts';
import { isSessionId, OWN_TYPES } from '../journal/format.ts';
import { journalName } from '../journal/paths.ts';
import { existsError } from '../journal/refusals.ts';
import type { Beginning } from '../journal/types.ts';
import { createJournalWriter, emptyLeftFile } from '../journal/writing/writer.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { whileLocked } from './session-lock.ts';

/**
 * Ends the name of a journal that is being made. The holder of the session's lock may remove what a crash left of it.
 */
const UNFINISHED = '.repair';
const UNFINISHED_JOURNAL = /^([^.]+)\.jsonl\..+\.repair(?:\.lock)?$/;

/** Gives `make` the path to write to; the file that it leaves there takes the place of the session's journal. */
export async function makeBeside<Result>(
  context: StoreContext,
  id: string,
  make: (target: string) => Promise<Result>,
): Promise<Result> {
  const { fileSystem, paths, ids } = context;
  removeUnfinished(context, id);
  try {
    const target = join(paths.directory, `${journalName(id)}.${ids.token()}${UNFINISHED}`);
    const result = await make(target);
    const isNew = (fileSystem.stat(paths.journal(id))?.size ?? 0) === 0;
    fileSystem.rename(target, paths.journal(id));
    if (isNew) await keepOrTakeBack(context, id, target);
    else await settleMove(context, `Session ${id} has its new journal`, [paths.directory]);
    return result;
  } catch (error) {
    try {
      removeUnfinished(context, id);
    } catch {
      // The first error is the one that the caller must know.
    }
    throw error;
  }
}

/** A new journal that was reported as a failure must not be there: a second attempt would find the name taken. */
async function keepOrTakeBack({ fileSystem, paths }: StoreContext, id: string, target: string): Promise<void> {
  try {
    await fileSystem.syncDirectory(paths.directory);
  } catch (error) {
    fileSystem.rename(paths.journal(id), target);
    throw error;
  }
}

/**
 * Makes a journal that begins with more than its first line.
 * @throws OllmError SESSION_EXISTS, JOURNAL_READ_ONLY, JOURNAL_FULL, and what `fill` throws
 */
export async function createFilled(context: StoreContext, id: string, beginning: Beginning): Promise<void> {
  const { fileSystem, paths } = context;
  const path = paths.journal(id);
  const there = fileSystem.stat(path);
  if (there && there.kind !== 'file') throw existsError({ id, path });
  if (there) {
    const place = { id, path, lockPath: paths.lock(id), quarantineDirectory: paths.quarantine };
    const handle = await emptyLeftFile(context, place, () => {});
    handle.close();
  }
  await sweepUnfinished(context);
  await makeBeside(context, id, (target) => writeFilled(context, id, target, beginning));
}

/** Writes such a journal to this path; it is closed and on the device when it returns. */
export async function writeFilled(
  context: StoreContext,
  id: string,
  path: string,
  { created, fill, seal }: Beginning,
): Promise<void> {
  const place = { id, path, lockPath: lockOf(path), quarantineDirectory: context.paths.quarantine };
  // Under any policy, the file is on the device before it gets its name.
  const writer = await createJournalWriter(context, { ...place, created, policy: 'barrier', seal });
  try {
    await fill(writer);
    await writer.append({ type: OWN_TYPES.closed, data: { reason: 'exit' } }, { durability: 'disk' });
  } finally {
    await writer.close();
  }
  removeIfThere(context, place.lockPath);
}

/** Removes what a crash left of journals that were being made for this session. `names`: those in the directory. */
export function removeUnfinished(
  context: StoreContext,
  id: string,
  names: readonly string[] = context.fileSystem.readNames(context.paths.directory),
): void {
  const { paths } = context;
  const begin = `${journalName(id)}.`;
  for (const name of names) {
    const isOurs = name.startsWith(begin) && (isUnfinished(name) || name.endsWith(lockOf(UNFINISHED)));
    if (isOurs) removeIfThere(context, join(paths.directory, name));
  }
}

/**
 * Sweeps every session, if no process makes its journal now: no later call names a fork that was killed, and a copy of
 * a session that is being purged may have another id.
 */
export async function sweepUnfinished(context: StoreContext): Promise<void> {
  const { fileSystem, paths } = context;
  const ids = fileSystem.readNames(paths.directory).flatMap((name) => UNFINISHED_JOURNAL.exec(name)?.[1] ?? []);
  for (const id of new Set(ids.filter(isSessionId))) {
    try {
      await whileLocked(context, id, async () => removeUnfinished(context, id));
    } catch (error) {
      // A concurrent process is working on it.
      if (!isOllmError(error, 'JOURNAL_LOCKED')) throw error;
    }
  }
}

export function isUnfinished(name: string): boolean {
  return name.endsWith(UNFINISHED);
}

/** Whether a process is making the journal at this path now. */
export function isBeingMade(fileSystem: FileSystem, path: string): boolean {
  return isUnfinished(path) && isLocked(fileSystem, lockOf(path));
}

function lockOf(path: string): string {
  return `${path}.lock`;
}
