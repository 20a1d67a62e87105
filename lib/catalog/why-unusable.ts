// Why a file that is derived, such as the catalogue, cannot be used: the words for each error of SQLite and of the
// system. Only a damaged file may be removed; a full disk or a read-only file system damages nothing.
import { systemErrorCode } from '../errors/index.ts';

/** The file, or a table of it, is not what this version made. */
export class DamagedCatalog extends Error {}

const IS_DAMAGED = 'is damaged';
const IS_FULL = 'cannot be written: the disk is full (ENOSPC)';
const IS_READ_ONLY = 'is in a place that is read-only for you';

/** SQLite's primary result codes ERROR (a table is missing), CORRUPT and NOTADB. */
const DAMAGE_CODES = new Set([1, 11, 26]);
/** PERM, READONLY, AUTH. */
const READ_ONLY_CODES = new Set([3, 8, 23]);
/** IOERR and CANTOPEN: SQLite does not say which error of the system it met. FULL is its own word for ENOSPC. */
const FULL_CODE = 13;
const VAGUE_CODES = new Set([10, 14]);
/** The smallest files that SQLite keeps next to a database take 32 KiB. */
const SMALLEST_BYTES = 65_536;

/** `error` of SQLite or of the system; `freeBytes`: on the disk of the file, where known. */
export function reasonOf(error: unknown, { freeBytes }: { readonly freeBytes?: number | undefined } = {}): string {
  if (isDamage(error)) return IS_DAMAGED;
  const code = primaryCode(error);
  const system = systemErrorCode(error) ?? '';
  const isVague = code !== undefined && VAGUE_CODES.has(code);
  if (
    code === FULL_CODE ||
    ['ENOSPC', 'EDQUOT'].includes(system) ||
    (isVague && freeBytes !== undefined && freeBytes < SMALLEST_BYTES)
  )
    return IS_FULL;
  if (isPermission(error) || (code !== undefined && READ_ONLY_CODES.has(code))) return IS_READ_ONLY;
  return `cannot be used: ${(error as Error).message}`;
}

/** What a user can do: to remove the file only where it is damaged. `remade`: how it comes back then. */
export function adviceOn(reason: string, { path, remade }: { readonly path: string; readonly remade: string }): string {
  if (reason === IS_DAMAGED) return `It is ${path}, and may be removed: ${remade}.`;
  if (reason === IS_FULL) return `It is ${path}. Free some space on that disk, and try again.`;
  return `It is ${path}. "ollm doctor" shows the state of its directory.`;
}

/** No version stores a number that is out of range: the row is damaged. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedCatalog || codeOf(error) === 'ERR_OUT_OF_RANGE') return true;
  return DAMAGE_CODES.has(primaryCode(error) ?? 0);
}

export function isRefusal(error: unknown): boolean {
  return isDamage(error) || codeOf(error) === 'ERR_SQLITE_ERROR' || systemErrorCode(error) !== undefined;
}

export function isPermission(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error) ?? '');
}

/** The low byte of an extended code. */
function primaryCode(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return codeOf(error) === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}
