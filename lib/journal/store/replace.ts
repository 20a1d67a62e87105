// Puts a new file in the place of a journal, which goes to archive/: a repaired copy, or the beginning of a session that
// was reset. The new one is whole and on the device, and so is the copy of the old one, before the one takes the other's
// place; a crash leaves one of them there. The caller holds the session's lock.

import type { StoreContext } from '../files/store-context.ts';
import type { Successor } from '../types.ts';
import { archiveName, copyToArchive } from './archive.ts';
import type { Documents } from './documents.ts';
import { makeBeside, writeFilled } from './make-beside.ts';

/** Hands `make` the path to write to and the name that the old journal will have in archive/. */
export async function replaceJournal<Result>(
  context: StoreContext,
  id: string,
  suffix: string,
  make: (target: string, archive: string) => Promise<Result>,
): Promise<{ readonly archive: string; readonly result: Result }> {
  const archive = archiveName(context, id, suffix);
  const result = await makeBeside(context, id, async (target) => {
    const made = await make(target, archive);
    await copyToArchive(context, id, archive);
    return made;
  });
  return { archive, result };
}

/** Lets a session begin anew. Returns the name of the old journal under archive/. */
export async function replaceByNew(
  context: StoreContext,
  documents: Documents,
  id: string,
  { created, fill, seal, suffix }: Successor,
): Promise<string> {
  const { archive } = await replaceJournal(context, id, suffix, async (target, name) => {
    await writeFilled(context, id, target, { created: await created(name), fill, seal });
    // On the device: a snapshot that outlived its journal would later pass for evidence of lost data.
    await documents.removeAll(id);
  });
  return archive;
}
