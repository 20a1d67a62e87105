// Opens a journal for writing: takes its lock, reads the necessary part, follows the recovery table, and appends
// `writer.opened`. One writer per journal (lock.ts). A journal exists once its first event is acknowledged.
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';
import { ensureDirectory, tightenFile } from '../files/directory.ts';
import { markFailedSync, renewAfterFailedSync } from '../files/failed-sync.ts';
import { openingError, openJournalFile } from '../files/journal-file.ts';
import { acquireLock } from '../files/lock.ts';
import type { WriterPorts } from '../files/store-context.ts';
import { contentOf, putWholeFile } from '../files/whole-file.ts';
import { LINE_FEED } from '../format.ts';
import { holderAt, lockedError } from '../reading/holder.ts';
import { planRecovery } from '../reading/recovery.ts';
import { surveyJournal } from '../reading/survey.ts';
import { existsError } from '../refusals.ts';
import type { Damage, JournalWriter, OpeningReport, OpenWriterOptions } from '../types.ts';
import { AppendFile } from './append-file.ts';
import { beginJournal, continueJournal, type NewJournalOptions, planOpening } from './opening.ts';

/** The paths of a journal and of its files. Their directories exist, except the quarantine's. */
export interface JournalPlace {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly quarantineDirectory: string;
}

/**
 * @throws OllmError SESSION_EXISTS, JOURNAL_LOCKED, JOURNAL_NOT_A_FILE, JOURNAL_READ_ONLY, JOURNAL_FULL,
 * JOURNAL_POISONED
 */
export async function createJournalWriter(
  ports: WriterPorts,
  options: JournalPlace & NewJournalOptions,
): Promise<JournalWriter> {
  return withLock(ports, options, async (lock) => {
    const whenSyncFails = () => markFailedSync(lock, ports);
    const opened = await newOrLeftFile(ports, options, whenSyncFails);
    try {
      const committer = new AppendFile(ports, options, opened.handle, whenSyncFails);
      return await beginJournal(ports, { id: options.id, committer, lock }, options, () =>
        syncName(ports.fileSystem, options.path),
      );
    } catch (error) {
      opened.discard();
      throw error;
    }
  });
}

/**
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_DAMAGED, JOURNAL_NOT_A_FILE,
 * JOURNAL_NEWER_FORMAT, JOURNAL_EDITED, JOURNAL_READ_ONLY, JOURNAL_FULL, JOURNAL_POISONED
 */
export async function openJournalWriter(
  ports: WriterPorts,
  options: JournalPlace & OpenWriterOptions,
): Promise<JournalWriter> {
  const { fileSystem, process } = ports;
  // Before the lock: a file that is not there, or not a journal, gets no lock file.
  openJournalFile(fileSystem, options, 'read', process.uid).close();
  return withLock(ports, options, async (lock) => {
    await renewAfterFailedSync(ports, options.path, lock);
    const handle = openJournalFile(fileSystem, options, 'append', process.uid);
    try {
      return await openLocked(ports, options, handle, lock);
    } catch (error) {
      handle.close();
      throw error;
    }
  });
}

async function openLocked(
  ports: WriterPorts,
  options: JournalPlace & OpenWriterOptions,
  handle: FileHandle,
  lock: FileHandle,
): Promise<JournalWriter> {
  tightenFile(ports, options.path);
  // Before the reading, so that a change meanwhile is noticed.
  const file = new AppendFile(ports, options, handle, () => markFailedSync(lock, ports));
  const plan = await planOpening(handle, options, options);
  if (plan.anchored) file.compareStamp(options.anchorStamp);
  const recovered = plan.cut && (await cutOff(ports, options, handle, file, plan.cut));
  endLastLine(file);
  const place = { id: options.id, committer: file, lock };
  const writer = await continueJournal(ports, place, handle, plan, recovered, options);
  // The process that made the file may have died before its name was on the device.
  if (writer.policy !== 'process') await syncName(ports.fileSystem, options.path);
  return writer;
}

async function withLock<Result>(
  ports: WriterPorts,
  place: JournalPlace,
  work: (lock: FileHandle) => Promise<Result>,
): Promise<Result> {
  let lock: FileHandle | undefined;
  try {
    lock = await acquireLock(ports.fileSystem, place.lockPath, ports.sleep);
  } catch (error) {
    const isThere = ports.fileSystem.stat(place.path) !== undefined;
    throw openingError({ id: place.id, path: place.lockPath }, error, isThere ? 'lock' : 'create');
  }
  if (!lock) throw lockedError(place, await holderAt(ports.fileSystem, place));
  try {
    return await work(lock);
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Copies aside the bytes that the table removes, and ends the file before them. */
async function cutOff(
  ports: WriterPorts,
  { id, quarantineDirectory }: JournalPlace,
  handle: FileHandle,
  file: AppendFile,
  cut: Damage & { readonly kind: 'torn-tail' | 'zero-tail' },
): Promise<NonNullable<OpeningReport['recovered']>> {
  const { kind, offset, length } = cut;
  const name = await quarantine(ports, handle, { id, offset, directory: quarantineDirectory });
  file.truncate(offset);
  await file.sync('all');
  ports.log.warn(
    { service: 'journal', operation: 'recover', id, kind, offset, length, quarantine: name },
    'Bytes at the end of the journal were not a whole line and went to quarantine.',
  );
  return { kind, offset, length, quarantine: name };
}

/**
 * Copies everything from `offset` on. The copy is on the device when this returns, with its name. That is made of
 * journal, offset and content, so that doing it twice leaves one copy.
 */
async function quarantine(
  ports: WriterPorts,
  source: FileHandle,
  { id, offset, directory }: { readonly id: string; readonly offset: number; readonly directory: string },
): Promise<string> {
  const hash = createHash('sha256');
  for (const chunk of contentOf(source, offset)) hash.update(chunk);
  const name = `${id}.${offset}.${hash.digest('hex').slice(0, 8)}.bin`;
  await ensureDirectory(ports, directory);
  await putWholeFile(ports, directory, name, contentOf(source, offset));
  return name;
}

function endLastLine(file: AppendFile): void {
  if (file.length === 0) return;
  const last = new Uint8Array(1);
  file.read(last, file.length - 1);
  if (last[0] !== LINE_FEED) file.write(Uint8Array.of(LINE_FEED));
}

/** A file for a journal that is not there yet, or the one that a crash left. */
async function newOrLeftFile(
  ports: WriterPorts,
  place: JournalPlace,
  whenSyncFails: () => void,
): Promise<{ readonly handle: FileHandle; discard(): void }> {
  const { fileSystem } = ports;
  if (!fileSystem.stat(place.path)) {
    try {
      const handle = fileSystem.open(place.path, 'create', 0o600);
      const discard = () => {
        handle.close();
        fileSystem.unlink(place.path);
      };
      return { handle, discard };
    } catch (error) {
      throw openingError(place, error, 'create');
    }
  }
  const handle = await emptyLeftFile(ports, place, whenSyncFails);
  return { handle, discard: () => handle.close() };
}

/**
 * Takes over a file that a crash left before its first line was whole: its bytes go to quarantine. The caller holds the
 * lock.
 * @throws OllmError SESSION_EXISTS, JOURNAL_NOT_A_FILE
 */
export async function emptyLeftFile(
  ports: WriterPorts,
  place: JournalPlace,
  whenSyncFails: () => void,
): Promise<FileHandle> {
  const { fileSystem, process } = ports;
  const handle = openJournalFile(fileSystem, place, 'append', process.uid);
  try {
    tightenFile(ports, place.path);
    const { damage, last } = await surveyJournal(handle, {});
    const { cut } = planRecovery(damage);
    if (last || damage.length > (cut ? 1 : 0)) throw existsError(place);
    const file = new AppendFile(ports, place, handle, whenSyncFails);
    if (cut) await cutOff(ports, place, handle, file, cut);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Makes the file's name in its directory as safe as its content. */
async function syncName(fileSystem: FileSystem, path: string): Promise<void> {
  await fileSystem.syncDirectory(dirname(path));
}
