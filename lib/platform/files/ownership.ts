// Whether the content of a file or directory is the user's own word: only this user, or the system's administrator,
// may be able to change it. Asked of everything that is read as configuration or as a key. Pure.
import type { FileStat } from './file-system.ts';

const WRITABLE_BY_OTHERS = 0o022;
/** In a directory with this bit, such as /tmp, only the owner of a file may replace it. */
const STICKY = 0o1000;
const ROOT = 0;

export type OwnershipProblem =
  | { readonly kind: 'foreign'; readonly words: string }
  | { readonly kind: 'writable'; readonly words: string };

/**
 * Undefined if no other user can change it, or if the system has no user ids: it has no such permissions either.
 *
 * @example
 * ownershipProblem(fileSystem.stat('/home/me/.ollm/config.yaml')!, 1000); // { kind: 'writable', words: 'can be …' }
 */
export function ownershipProblem(
  { kind, uid: owner, mode }: Pick<FileStat, 'kind' | 'uid' | 'mode'>,
  uid: number | undefined,
): OwnershipProblem | undefined {
  if (uid === undefined) return undefined;
  if (owner !== uid && owner !== ROOT) return { kind: 'foreign', words: `belongs to another user (${owner})` };
  // The mode of a link says nothing: the system ignores it.
  if (kind === 'link' || (mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  if (kind === 'directory' && (mode & STICKY) !== 0) return undefined;
  return { kind: 'writable', words: 'can be written by other users' };
}
