// A sync that failed leaves a trap. The system marks the pages clean although they never reached the device: they can
// still be read, the next sync succeeds, and a power cut loses them. So a writer whose sync fails leaves a mark in the
// lock file, and the next opening copies the whole journal to a new file before it adds anything. The mark need not
// survive a power cut: the bytes that it warns of do not survive one either.
import { basename, dirname } from 'node:path';
import type { FileHandle } from '../../platform/files/file-system.ts';
import type { JournalPorts } from './store-context.ts';
import { contentOf, putWholeFile } from './whole-file.ts';

/** The length of a marked lock file. Nothing is written into it: a full disk has no room for a single byte. */
const MARK_BYTES = 1;

type Ports = Pick<JournalPorts, 'fileSystem' | 'ids' | 'log'>;

export function markFailedSync(lock: FileHandle, { log }: Pick<Ports, 'log'>): void {
  try {
    lock.truncate(MARK_BYTES);
  } catch (error) {
    const action = 'Restart the machine before this session is written again.';
    log.error(
      { service: 'journal', operation: 'mark', path: lock.path, error, action },
      'A failed sync could not be noted',
    );
  }
}

export function hasFailedSync(lock: Pick<FileHandle, 'stat'>): boolean {
  return lock.stat().size > 0;
}

/** If a sync of the journal failed, replaces it by a new file with every byte that can be read. */
export async function renewAfterFailedSync(ports: Ports, path: string, lock: FileHandle): Promise<void> {
  if (!hasFailedSync(lock)) return;
  const source = ports.fileSystem.open(path, 'read');
  try {
    await putWholeFile(ports, dirname(path), basename(path), contentOf(source));
  } finally {
    source.close();
  }
  lock.truncate(0);
  const fields = { service: 'journal', operation: 'renew', path };
  ports.log.warn(fields, 'A sync had failed: the journal was copied to a new file.');
}
