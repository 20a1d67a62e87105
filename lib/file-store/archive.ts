// Moves a journal out of the way without losing it: archive/<id>.<stamp>[.suffix].jsonl, never over another one. The
// caller holds the session's lock, so that a free name stays free.
import { join } from 'node:path';
import { systemErrorCode } from '../errors/index.ts';
import { ensureDirectory } from '../journal/files/directory.ts';
import { removeIfThere, type StoreContext, settleMove } from '../journal/files/store-context.ts';
import { contentOf, putWholeFile } from '../journal/files/whole-file.ts';
import { archiveNameOf, freeName, isNameOf, journalName } from '../journal/paths.ts';
import type { Successor } from '../journal/types.ts';
import { removeDocuments } from './documents.ts';
import { makeBeside, writeFilled } from './make-beside.ts';

/** Moves the journal there and removes its derived files. Returns the name. */
export async function archiveJournal(context: StoreContext, id: string, suffix?: string): Promise<string> {
  const { fileSystem, paths } = context;
  const name = archiveName(context, id, suffix);
  await ensureDirectory(context, paths.archive);
  // First, and on the device: a snapshot that outlived its journal would look like evidence of lost data.
  await removeDocuments(context, id);
  fileSystem.rename(paths.journal(id), join(paths.archive, name));
  await settleMove(context, `Session ${id} is archived as ${name}`, [paths.archive, paths.directory]);
  return name;
}

/** A second name for the session's snapshot. It stays in both places until the session has a journal. */
export async function archiveDocument(context: StoreContext, id: string): Promise<string> {
  const { fileSystem, paths } = context;
  await ensureDirectory(context, paths.archive);
  const path = paths.document(id, 'snapshot');
  const document = fileSystem.stat(path);
  const isSame = (name: string): boolean => {
    const stat = fileSystem.stat(join(paths.archive, name));
    return stat !== undefined && stat.inode === document?.inode && stat.device === document?.device;
  };
  const left = fileSystem.readNames(paths.archive).find((name) => name.startsWith(`${id}.`) && isSame(name));
  const name = left ?? freeArchiveName(context, (stamp) => `${id}.${stamp}.json`);
  try {
    if (left === undefined) fileSystem.link(path, join(paths.archive, name));
  } catch (error) {
    // A concurrent process was first: it has the same file.
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  await fileSystem.syncDirectory(paths.archive);
  return name;
}

/** Copies the journal there; the copy is on the device when it returns. */
async function copyToArchive(context: StoreContext, id: string, name: string): Promise<void> {
  const { fileSystem, paths } = context;
  await ensureDirectory(context, paths.archive);
  using source = fileSystem.open(join(paths.directory, journalName(id)), 'read');
  await putWholeFile(context, paths.archive, name, contentOf(source));
}

/** A name under archive/ that is not taken. */
export function archiveName(context: StoreContext, id: string, suffix?: string): string {
  return freeArchiveName(context, archiveNameOf(id, suffix));
}

function freeArchiveName({ fileSystem, clock, paths }: StoreContext, nameOf: (stamp: string) => string): string {
  return freeName(clock.now(), nameOf, (name) => fileSystem.stat(join(paths.archive, name)) !== undefined);
}

/**
 * Puts a new file in the place of a journal: a repaired copy, or the beginning of a session that was reset. `make` gets
 * the path to write to and the name of the old journal in archive/. A crash leaves the old one or the new one, whole.
 */
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

/** Lets a session start over. Returns the name of the old journal under archive/. */
export async function replaceByNew(context: StoreContext, id: string, successor: Successor): Promise<string> {
  const { archive } = await replaceJournal(context, id, successor.suffix, async (target, name) => {
    const created = await successor.created(name);
    const { fill, seal } = successor;
    await writeFilled(context, id, target, { created, fill, seal });
    // On the device: a snapshot that outlived its journal would look like evidence of lost data.
    await removeDocuments(context, id);
  });
  const { supersedes } = successor;
  if (isNameOf(id, supersedes)) removeIfThere(context, join(context.paths.archive, supersedes));
  return archive;
}
