// The directories of a store: the user's own, not links, 0700. A directory that is open to others is closed to them;
// one of another user, or anything else, is refused. A new directory is on the device before a file is put into it.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { isStoreName } from '../paths.ts';
import type { StoreContext } from './store-context.ts';

export const OPEN_TO_OTHERS = 0o077;

type Ports = Pick<StoreContext, 'fileSystem' | 'process' | 'log'>;
type SettlingPorts = Pick<StoreContext, 'fileSystem' | 'settled'>;

/**
 * Checks the directory of a whole store, which a setting may name by mistake. One that is open to others and holds
 * other things is shared on purpose: it is refused instead of being closed to them.
 * @throws OllmError STORE_REFUSED
 */
export function checkStoreDirectory(context: StoreContext): void {
  const { fileSystem, process } = context;
  const path = context.paths.directory;
  const stat = fileSystem.stat(path);
  if (stat?.kind === 'directory' && stat.uid === process.uid && (stat.mode & OPEN_TO_OTHERS) !== 0) {
    const other = fileSystem.readDirectory(path).find(({ name }) => !isStoreName(name));
    if (other !== undefined) {
      throw refused(
        path,
        `is open to other users and holds other things, such as ${JSON.stringify(other.name)}`,
        'Name a directory for the sessions alone, with services.session.dataDir or --home.',
      );
    }
  }
  checkDirectory(context, path);
}

/**
 * Whether the directory is there. Others lose their permissions to it.
 * @throws OllmError STORE_REFUSED
 */
export function checkDirectory({ fileSystem, process, log }: Ports, path: string): boolean {
  const stat = fileSystem.stat(path);
  if (stat === undefined) return false;
  if (stat.kind === 'link') throw refused(path, 'is a symbolic link', 'Name the directory itself that it points to.');
  if (stat.kind !== 'directory') throw refused(path, 'is not a directory', 'Name another place for the sessions.');
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

/** A directory on a disk that cannot be written is read as it is. */
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
export async function ensureDirectory(ports: Ports & SettlingPorts, path: string): Promise<void> {
  if (checkDirectory(ports, path)) return settle(ports, path);
  await make(ports, path);
  checkDirectory(ports, path);
}

/** Directories are made in order: a directory with content has its own name on the device. */
async function make(ports: SettlingPorts, path: string): Promise<void> {
  const { fileSystem } = ports;
  const above = dirname(path);
  if (fileSystem.stat(above) === undefined) await make(ports, above);
  else await settle(ports, above);
  fileSystem.makeDirectory(path);
  await fileSystem.syncDirectory(above);
}

/** The process that made the directory may have died before its name was on the device. Synced once by each store. */
async function settle({ fileSystem, settled }: SettlingPorts, path: string): Promise<void> {
  if (settled.has(path)) return;
  try {
    await fileSystem.syncDirectory(dirname(path));
  } catch (error) {
    // If the directory above may not be opened, this program did not make this one.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error) ?? '')) throw error;
  }
  settled.add(path);
}

/** Takes the permissions of others off a file. A file that cannot be changed is read all the same. */
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
