// Puts a new file in the place of a journal, which goes to archive/: a repaired copy, or the beginning of a session that
// was reset. The new one is whole and on the device, and so is the copy of the old one, before the one takes the other's
// place; a crash leaves one of them there. The caller holds the session's lock.
import { join } from 'node:path';
import { isOllmError, systemErrorCode } from '../errors/index.ts';
import { archiveName, copyToArchive } from './archive.ts';
import type { Documents } from './documents.ts';
import { journalName } from './paths.ts';
import { removeIfThere, type StoreContext } from './store-context.ts';
import type { Successor } from './types.ts';
import { createJournalWriter } from './writer.ts';

/** Marks what is being made to take a journal's place. Whoever holds the lock may remove what a crash left of it. */
const SUCCESSOR = '.repair';

/** Hands `make` the path to write to and the name that the old journal will have in archive/. */
export async function replaceJournal<Result>(
  context: StoreContext,
  id: string,
  suffix: string,
  make: (target: string, archive: string) => Promise<Result>,
): Promise<{ readonly archive: string; readonly result: Result }> {
  const { fileSystem, paths, ids } = context;
  const name = journalName(id);
  removeSuccessors(context, name);
  const archive = archiveName(context, id, suffix);
  try {
    const target = join(paths.directory, `${name}.${ids.token()}${SUCCESSOR}`);
    const result = await make(target, archive);
    await copyToArchive(context, id, archive);
    fileSystem.rename(target, paths.journal(id));
    await fileSystem.syncDirectory(paths.directory);
    return { archive, result };
  } catch (error) {
    if (systemErrorCode(error) !== undefined || isOllmError(error)) removeSuccessors(context, name);
    throw error;
  }
}

/** Lets a session begin anew. Returns the name of the old journal under archive/. */
export async function replaceByNew(
  context: StoreContext,
  documents: Documents,
  id: string,
  { created, fill, seal, suffix }: Successor,
): Promise<string> {
  const { archive } = await replaceJournal(context, id, suffix, async (path, name) => {
    const place = { id, path, lockPath: `${path}.lock`, quarantineDirectory: context.paths.quarantine };
    // Whatever the policy is: a file that takes another's place is on the device before.
    const writer = await createJournalWriter(context, { ...place, created: created(name), policy: 'barrier', seal });
    try {
      await fill(writer);
      await writer.sync();
    } finally {
      await writer.close();
    }
    removeIfThere(context, place.lockPath);
    // On the device: a snapshot that outlived its journal would later pass for evidence of lost data.
    await documents.removeAll(id);
  });
  return archive;
}

/** What a crash left of those that were to take the place of the journal of this name. */
export function removeSuccessors(context: StoreContext, name: string): void {
  const { fileSystem, paths } = context;
  for (const other of fileSystem.readNames(paths.directory)) {
    const isSuccessor = other.startsWith(`${name}.`) && /\.repair(\.lock)?$/.test(other);
    if (isSuccessor) removeIfThere(context, join(paths.directory, other));
  }
}
