// The trash: trash/<id>.<stamp>/<id>.jsonl. The one rename of its journal moves a session, for every reader and after
// every crash. Derived files are removed before that, the lock file last. Purging begins with a rename too, to a name
// that no reader knows: from then on the session is gone, and its files in archive/, quarantine/ and blobs/ are
// removed.
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../errors/index.ts';
import { checkDirectory, ensureDirectory } from '../journal/files/directory.ts';
import { markFailedSync } from '../journal/files/failed-sync.ts';
import { removeIfThere, type StoreContext, settleMove } from '../journal/files/store-context.ts';
import { sweepTemporaries } from '../journal/files/whole-file.ts';
import { freeName, goesWithJournal, journalName, parseTrashEntry } from '../journal/paths.ts';
import { isThereAgain, notInTrash } from '../journal/refusals.ts';
import type { TrashEntry } from '../journal/types.ts';
import type { FileHandle } from '../platform/files/file-system.ts';
import { relicsOf, removeUnnamedBlobs } from './belongings.ts';
import { removeDocuments } from './documents.ts';
import { removeUnfinished, sweepUnfinished } from './make-beside.ts';
import type { NamesById } from './names-by-id.ts';
import { whileLocked } from './session-lock.ts';

/** Marks a folder whose purge has begun. No entry begins with it. */
const CLAIMED = '.purge-';

/** The names of the sessions' files, and of the entries in the trash. */
interface StoreNames {
  readonly sessions: NamesById;
  readonly trash: NamesById;
}

/** The caller holds the session's lock; `names` were refreshed before that. */
export async function trashSession(
  context: StoreContext,
  id: string,
  lock: FileHandle,
  names: StoreNames,
): Promise<TrashEntry> {
  const { fileSystem, paths } = context;
  await removeEmptyEntries(context, names.trash.of(id));
  const entry = newEntry(context, id, names.trash.of(id));
  const folder = join(paths.trash, entry);
  await ensureDirectory(context, folder);
  await syncIfPossible(context, paths.journal(id), lock);
  // First, and on the device: a snapshot that outlived its journal would look like evidence of lost data.
  await removeDocuments(context, id);
  removeUnfinished(context, id, names.sessions.of(id));
  fileSystem.rename(paths.journal(id), join(folder, journalName(id)));
  moveCompanions(context, names.sessions.of(id), { id, from: paths.directory, to: folder });
  await settleMove(context, `Session ${id} is in the trash`, [folder, paths.directory]);
  return requireEntry(context, entry);
}

/**
 * No later step syncs the content. A device that fails does not keep the user from deleting; the mark is for those who
 * open the journal later, as it stays here after a crash, or comes back from the trash.
 */
async function syncIfPossible(context: StoreContext, path: string, lock: FileHandle): Promise<void> {
  const { fileSystem, log } = context;
  try {
    using handle = fileSystem.open(path, 'read');
    await handle.dataSync();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    markFailedSync(lock, context);
    const action = 'Its last events may be missing if it is restored after a power failure.';
    log.warn({ service: 'store', operation: 'trash', path, error, action }, 'A journal could not be synced');
  }
}

/** The newest first. */
export function listTrash(
  context: StoreContext,
  { deletedBeforeMs = Number.POSITIVE_INFINITY }: { readonly deletedBeforeMs?: number | undefined } = {},
): TrashEntry[] {
  const { fileSystem, paths } = context;
  if (!checkDirectory(context, paths.trash)) return [];
  return fileSystem
    .readNames(paths.trash)
    .filter((name) => Date.parse(parseTrashEntry(name)?.deletedAt ?? '') < deletedBeforeMs)
    .flatMap((name) => entryOf(context, name) ?? [])
    .sort((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
}

/** @throws OllmError SESSION_EXISTS, TRASH_NOT_FOUND */
export async function restoreSession(context: StoreContext, id: string): Promise<void> {
  requireFree(context, id);
  requireTrashed(context, id);
  await whileLocked(context, id, async () => {
    requireFree(context, id);
    const { entry } = requireTrashed(context, id);
    const { fileSystem, paths } = context;
    const folder = join(paths.trash, entry);
    moveCompanions(context, fileSystem.readNames(folder), { id, from: folder, to: paths.directory });
    markAsUsed(context, join(folder, journalName(id)));
    fileSystem.rename(join(folder, journalName(id)), paths.journal(id));
    await settleMove(context, `Session ${id} is back`, [paths.directory, folder]);
    try {
      await removeEmptyEntries(context, [entry]);
    } catch (error) {
      // The session is back: an empty folder is not a reason to report a failure, and the next deletion removes it.
      context.log.warn(
        { service: 'store', operation: 'restore', path: folder, error },
        'An empty folder stays in trash/',
      );
    }
  });
}

/**
 * A restored session counts as used now, or retention would remove it again: setting its length to its present length
 * updates its time.
 */
function markAsUsed({ fileSystem, log }: StoreContext, path: string): void {
  try {
    using handle = fileSystem.open(path, 'append');
    handle.truncate(handle.stat().size);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    const action = 'Retention may take the session away again.';
    log.warn({ service: 'store', operation: 'restore', path, error, action }, 'A restored journal keeps its old time');
  }
}

/** @throws OllmError TRASH_NOT_FOUND */
export async function purgeEntry(context: StoreContext, entry: string): Promise<void> {
  const { id } = requireEntry(context, entry);
  const { fileSystem, paths } = context;
  const claimed = `${CLAIMED}${id}.${context.ids.token()}`;
  // The move into the trash may not be on the device, where its sync failed: a power failure would bring the journal
  // back.
  await fileSystem.syncDirectory(paths.directory);
  try {
    fileSystem.rename(join(paths.trash, entry), join(paths.trash, claimed));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw notInTrash(entry);
    throw error;
  }
  await fileSystem.syncDirectory(paths.trash);
  // Finishes purges that a crash interrupted, too.
  for (const { name } of fileSystem.readDirectory(paths.trash)) {
    if (name.startsWith(CLAIMED)) await finishPurge(context, name);
  }
}

/**
 * The journal is removed last: it names the other files and blobs of the session. Another purge may be working on the
 * same folder, so that files may be gone already.
 */
async function finishPurge(context: StoreContext, claimed: string): Promise<void> {
  const { fileSystem, paths } = context;
  const folder = join(paths.trash, claimed);
  const id = claimed.slice(CLAIMED.length).split('.')[0] ?? '';
  const journal = join(folder, journalName(id));
  const isThere = () => fileSystem.stat(journal) !== undefined;
  try {
    if (isThere()) await removeKept(context, id, journal);
  } catch (error) {
    if (isThere()) throw error;
  }
  try {
    for (const { name } of fileSystem.readDirectory(folder)) {
      const path = join(folder, name);
      if (path !== journal) removeIfThere(context, path);
    }
    removeIfThere(context, journal);
    fileSystem.removeDirectory(folder);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  await fileSystem.syncDirectory(paths.trash);
}

/** Removes the files in archive/, quarantine/ and blobs/ that belong only to this session. */
async function removeKept(context: StoreContext, id: string, journal: string): Promise<void> {
  const { fileSystem, paths } = context;
  // Files that a crash left half written may be of any session, also of this one.
  for (const folder of [paths.directory, paths.archive, paths.quarantine, paths.blobs]) {
    if (fileSystem.stat(folder)) sweepTemporaries(context, folder);
  }
  await sweepUnfinished(context);
  const relics = await relicsOf(context, id, journal);
  await removeUnnamedBlobs(context, journal, relics);
  for (const relic of relics.reverse()) removeIfThere(context, relic);
  for (const directory of new Set(relics.map(dirname))) await fileSystem.syncDirectory(directory);
}

/** Seals, and documents that were set aside as evidence, move with their journal. */
function moveCompanions(
  { fileSystem }: StoreContext,
  names: readonly string[],
  { id, from, to }: { readonly id: string; readonly from: string; readonly to: string },
): void {
  for (const name of names.filter((each) => goesWithJournal(each, id))) {
    if (fileSystem.stat(join(from, name))?.kind === 'file') fileSystem.rename(join(from, name), join(to, name));
  }
}

/** Later than every other entry of this id, also after the clock stepped back: the newest was deleted last. */
function newEntry(context: StoreContext, id: string, names: readonly string[]): string {
  const times = names.flatMap((name) => Date.parse(entryOf(context, name)?.deletedAt ?? ''));
  const afterNewestMs = Math.max(0, ...times.filter((time) => !Number.isNaN(time)).map((time) => time + 1000));
  return freeName(
    Math.max(context.clock.now(), afterNewestMs),
    (stamp) => `${id}.${stamp}`,
    (name) => context.fileSystem.stat(join(context.paths.trash, name)) !== undefined,
  );
}

/** Removes folders that a crash left without a journal. The lock is held: no process is about to put one in. */
async function removeEmptyEntries(context: StoreContext, names: readonly string[]): Promise<void> {
  const { fileSystem, paths } = context;
  if (!checkDirectory(context, paths.trash)) return;
  const empty = names
    .filter((name) => parseTrashEntry(name) !== undefined)
    .map((name) => join(paths.trash, name))
    .filter((folder) => fileSystem.stat(folder)?.kind === 'directory' && fileSystem.readNames(folder).length === 0);
  for (const folder of empty) fileSystem.removeDirectory(folder);
  if (empty.length > 0) await fileSystem.syncDirectory(paths.trash);
}

function entryOf({ fileSystem, paths }: StoreContext, entry: string): TrashEntry | undefined {
  const parsed = parseTrashEntry(entry);
  if (parsed === undefined) return undefined;
  const folder = join(paths.trash, entry);
  if (fileSystem.stat(folder)?.kind !== 'directory') return undefined;
  const journal = fileSystem.stat(join(folder, journalName(parsed.id)));
  if (journal?.kind !== 'file') return undefined;
  return { ...parsed, entry, bytes: journal.size };
}

function requireEntry(context: StoreContext, entry: string): TrashEntry {
  const found = entryOf(context, entry);
  if (found === undefined) throw notInTrash(entry);
  return found;
}

function requireTrashed(context: StoreContext, id: string): TrashEntry {
  const { fileSystem, paths } = context;
  const names = checkDirectory(context, paths.trash) ? fileSystem.readNames(paths.trash) : [];
  const [found] = names
    .filter((name) => name.startsWith(`${id}.`))
    .flatMap((name) => entryOf(context, name) ?? [])
    .sort((a, b) => b.deletedAt.localeCompare(a.deletedAt));
  if (found === undefined) throw notInTrash(id);
  return found;
}

function requireFree({ fileSystem, paths }: StoreContext, id: string): void {
  if (fileSystem.stat(paths.journal(id)) === undefined) return;
  throw isThereAgain(id);
}
