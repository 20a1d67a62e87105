// Files that are removed permanently with a journal: blobs that no other journal names, the journals in archive/ that
// it replaced, and torn ends in quarantine/. Relics are found by the content of journals, never by the form of a name:
// a second session of the same id, in the trash, has relics of its own. If a file cannot be read, a journal is damaged
// or being made, or a writer may be about to name a blob, the blobs stay.
import { basename, dirname, join } from 'node:path';
import { isLocked } from '../journal/files/lock.ts';
import { removeIfThere, type StoreContext } from '../journal/files/store-context.ts';
import { idOfJournal, isNameOf, JOURNAL_EXTENSION, parseTrashEntry } from '../journal/paths.ts';
import { eachEvent } from '../journal/reading/outcomes.ts';
import { openJournalReader } from '../journal/reading/reader.ts';
import { notedIn } from '../journal/reading/survey.ts';
import { blobsIn, blobsNamedIn } from './blobs.ts';
import { isBeingMade, isUnfinished } from './make-beside.ts';
import { holderOf } from './session-lock.ts';

/**
 * Removes the blobs that only this journal, or a file that goes with it, names. No other process can reach the journal.
 */
export async function removeUnnamedBlobs(
  context: StoreContext,
  journalPath: string,
  goingToo: readonly string[],
): Promise<void> {
  const { fileSystem, paths, log } = context;
  if (fileSystem.stat(journalPath) === undefined || fileSystem.stat(paths.blobs) === undefined) return;
  try {
    const blobs = blobsIn(fileSystem, paths.blobs);
    const candidates = new Set(
      [journalPath, ...goingToo].flatMap((path) => [...blobsNamedIn(fileSystem, path, blobs)]),
    );
    if (candidates.size === 0) return;
    const before = journalsHere(context);
    for await (const path of filesThatMayName(context, goingToo)) {
      for (const name of blobsNamedIn(fileSystem, path, candidates)) candidates.delete(name);
    }
    requireNoOther(context, before);
    const unneededSinceMs = await lastMomentBefore(context, dirname(journalPath));
    for (const name of candidates) {
      const path = join(paths.blobs, name);
      // Storing a blob again renews it: a newer one is about to be named.
      const isUnneeded = (fileSystem.stat(path)?.modifiedMs ?? Number.POSITIVE_INFINITY) <= unneededSinceMs;
      if (isUnneeded) removeIfThere(context, path);
    }
    await fileSystem.syncDirectory(paths.blobs);
  } catch (error) {
    const fields = { service: 'store', operation: 'purge', path: journalPath, error };
    log.warn(fields, 'Attachments stay: it cannot be decided whether another session needs them');
  }
}

/** All journals except those that are being purged, with their torn ends and archives. Throws if one is damaged. */
async function* filesThatMayName(context: StoreContext, except: readonly string[]): AsyncGenerator<string> {
  const { fileSystem, paths } = context;
  const folders = [paths.directory, paths.archive, paths.quarantine].filter((folder) => fileSystem.stat(folder));
  for (const { name } of fileSystem.readDirectory(paths.trash)) {
    if (parseTrashEntry(name) !== undefined) folders.push(join(paths.trash, name));
  }
  for (const folder of folders) {
    for (const { name } of fileSystem.readDirectory(folder)) {
      const path = join(folder, name);
      if (except.includes(path)) continue;
      if (isBeingMade(fileSystem, path)) throw new Error(`${path} is being made`);
      if (name.endsWith(JOURNAL_EXTENSION)) await requireSound(context, path);
      else if (!name.endsWith('.bin') && !name.endsWith('.suspect')) continue;
      yield path;
    }
  }
}

/** Journals, and files that will become one. */
function journalsHere({ fileSystem, paths }: StoreContext): Set<string> {
  const names = fileSystem.readNames(paths.directory);
  return new Set(names.filter((name) => name.endsWith(JOURNAL_EXTENSION) || isUnfinished(name)));
}

/** A copy that was finished while the others were read was not read itself. */
function requireNoOther(context: StoreContext, before: ReadonlySet<string>): void {
  const now = journalsHere(context);
  const hasCome = [...now].some((name) => !before.has(name));
  const isFinished = [...before].some((name) => isUnfinished(name) && !now.has(name));
  if (hasCome || isFinished) throw new Error('Another journal came while these were read');
}

/** A damaged journal may have named any blob. */
async function requireSound({ fileSystem, log }: StoreContext, path: string): Promise<void> {
  const stem = path.slice(0, -JOURNAL_EXTENSION.length);
  using reader = openJournalReader(fileSystem, { id: basename(stem), path, lockPath: `${stem}.lock`, log });
  const { damaged } = await reader.verify();
  if (damaged > 0) throw new Error(`${path} is damaged`);
}

/** A blob that was stored before this moment is not about to be named. NaN if unsure: no time compares as earlier. */
async function lastMomentBefore(context: StoreContext, folder: string): Promise<number> {
  const { fileSystem, paths } = context;
  let momentMs = fileSystem.stat(folder)?.modifiedMs ?? Number.NaN;
  for (const { name } of fileSystem.readDirectory(paths.directory)) {
    const id = idOfJournal(name);
    if (id === undefined || !isLocked(fileSystem, paths.lock(id))) continue;
    momentMs = Math.min(momentMs, Date.parse((await holderOf(context, id)).since ?? '') - 1);
  }
  return momentMs;
}

/** Relics that are there, each after the one that names it: remove them from the end. */
export async function relicsOf(context: StoreContext, id: string, journalPath: string): Promise<string[]> {
  const { fileSystem } = context;
  const found: string[] = [];
  const waiting = [journalPath];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    for (const relic of await namedIn(context, id, path)) {
      if (found.includes(relic) || fileSystem.stat(relic)?.kind !== 'file') continue;
      found.push(relic);
      if (relic.endsWith(JOURNAL_EXTENSION)) waiting.push(relic);
    }
  }
  return found;
}

async function namedIn({ fileSystem, paths, log }: StoreContext, id: string, path: string): Promise<string[]> {
  using reader = openJournalReader(fileSystem, { id, path, lockPath: `${path}.lock`, log });
  const named: string[] = [];
  for await (const event of eachEvent(reader.outcomes())) {
    const { archive, quarantine } = notedIn(event);
    if (isNameOf(id, archive)) named.push(join(paths.archive, archive));
    if (isNameOf(id, quarantine)) named.push(join(paths.quarantine, quarantine));
  }
  return named;
}
