// The directories of a store: ours alone, no links, 0700. What is open to others is tightened; what belongs to another,
// or is something else, is refused in words. A directory that was made is on the device before anything is put into it.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { StoreContext } from './store-context.ts';

const OPEN_TO_OTHERS = 0o077;

type Ports = Pick<StoreContext, 'fileSystem' | 'process' | 'log'>;

/**
 * Says whether the directory is there, and sees to it that it is ours alone.
 * @throws OllmError STORE_REFUSED
 */
export function checkDirectory({ fileSystem, process, log }: Ports, path: string): boolean {
  const stat = fileSystem.stat(path);
  if (stat === undefined) return false;
  if (stat.kind === 'link') throw refused(path, 'is a symbolic link', 'Name the directory itself that it points to.');
  if (stat.kind !== 'directory') throw refused(path, 'is no directory', 'Name another place for the sessions.');
  // A system without user ids has no such permissions either.
  if (process.uid === undefined) return true;
  if (stat.uid !== process.uid) {
    throw refused(path, `belongs to another user (${stat.uid})`, `Name a directory of yours (${process.uid}).`);
  }
  if ((stat.mode & OPEN_TO_OTHERS) !== 0) {
    tighten({ fileSystem, log }, path, stat.mode & ~OPEN_TO_OTHERS & 0o777);
  }
  return true;
}

/** What lies on a disk that may not be written is read as it is. */
function tighten({ fileSystem, log }: Pick<Ports, 'fileSystem' | 'log'>, path: string, mode: number): void {
  try {
    fileSystem.changeMode(path, mode);
    log.warn({ service: 'store', operation: 'open', path }, 'Took the permissions of others off a directory');
  } catch (error) {
    if (systemErrorCode(error) !== 'EROFS') throw error;
    log.warn(
      { service: 'store', operation: 'open', path, error },
      'A directory is open to others and cannot be changed',
    );
  }
}

/** Makes the directory, and those above it, if it is not there. */
export async function ensureDirectory(ports: Ports, path: string): Promise<void> {
  if (checkDirectory(ports, path)) return;
  const missing = [path];
  for (let above = dirname(path); ports.fileSystem.stat(above) === undefined; above = dirname(above)) {
    missing.push(above);
  }
  ports.fileSystem.makeDirectory(path);
  for (const made of missing.reverse()) await ports.fileSystem.syncDirectory(dirname(made));
  checkDirectory(ports, path);
}

/** Takes the permissions of others off a file. Reading one that cannot be changed goes on. */
export function tightenFile({ fileSystem, process, log }: Ports, path: string): void {
  if (process.uid === undefined) return;
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file' || stat.uid !== process.uid || (stat.mode & OPEN_TO_OTHERS) === 0) return;
  try {
    fileSystem.changeMode(path, stat.mode & 0o700);
    log.warn({ service: 'store', operation: 'open', path }, 'Took the permissions of others off a file');
  } catch (error) {
    log.warn({ service: 'store', operation: 'open', path, error }, 'A file is open to others and cannot be changed');
  }
}

function refused(path: string, what: string, hint: string): OllmError {
  return new OllmError('STORE_REFUSED', `The sessions cannot be kept in ${path}: it ${what}.`, {
    hint,
    data: { path },
  });
}
