// Reads a file of ollm whose content gives rights: a file that another user could have written, or that has a second
// name, is not trusted.
import type { FileSystem } from './file-system.ts';
import { readFile } from './io.ts';
import { ownershipProblem } from './ownership.ts';

interface OwnFileRules {
  /** Ours; undefined where the system has none. */
  readonly uid: number | undefined;
  readonly maxBytes: number;
}

type OwnFile =
  | { readonly kind: 'content'; readonly content: Uint8Array }
  | { readonly kind: 'absent' }
  /** `problem`: as the end of a sentence that begins with the file. */
  | { readonly kind: 'untrusted'; readonly problem: string };

/**
 * @example
 * readOwnFile(fileSystem, path, { uid, maxBytes: 1_000_000 }); // { kind: 'untrusted', problem: 'belongs to another
 * user' }
 * @throws the error of the system, as an Error
 */
export function readOwnFile(fileSystem: FileSystem, path: string, { uid, maxBytes }: OwnFileRules): OwnFile {
  const stat = fileSystem.stat(path);
  if (stat === undefined) return { kind: 'absent' };
  const untrusted = (problem: string): OwnFile => ({ kind: 'untrusted', problem });
  if (stat.kind !== 'file') return untrusted('is not a regular file');
  if (stat.size > maxBytes) return untrusted('is larger than such a file gets');
  if (stat.links > 1) return untrusted('has a second name');
  // Configuration of the administrator counts; the user's approvals are in a file of only the user.
  if (uid !== undefined && stat.uid !== uid) return untrusted('belongs to another user');
  const problem = ownershipProblem(stat, uid);
  if (problem !== undefined) return untrusted(`${problem.words} ("chmod 600" it if you trust it)`);
  return { kind: 'content', content: readFile(fileSystem, path) };
}
