// The user's own configuration file. It may be a link, as people keep such files elsewhere; it must lead to a file.
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { type OwnershipProblem, ownershipProblem } from '../platform/files/ownership.ts';
import type { FileStat, FileSystem } from '../platform/index.ts';

type Reader = Pick<FileSystem, 'stat' | 'realPath'>;

interface UserFileOptions {
  /** The user asked for exactly this file. */
  readonly isNamed: boolean;
  /** The user's id; undefined where the system has none. */
  readonly uid: number | undefined;
}

/**
 * The path, if the file exists.
 * @throws OllmError CONFIG_INVALID: it is missing though named, is not a file, or can be changed by another user
 */
export function findUserFile(reader: Reader, path: string, { isNamed, uid }: UserFileOptions): string | undefined {
  const stat = statBehindLinks(reader, path);
  if (stat === undefined) {
    if (!isNamed) return undefined;
    throw new OllmError('CONFIG_INVALID', `There is no file ${path}, which --config names.`, {
      hint: 'Check the path, or leave the flag out.',
      data: { path },
    });
  }
  if (stat.kind !== 'file') {
    const what = stat.kind === 'link' ? 'is a link that leads nowhere' : 'is not a file';
    throw new OllmError('CONFIG_INVALID', `${path} ${what}.`, {
      hint: 'Put a file there, or move it away: every setting has a default.',
      data: { path },
    });
  }
  for (const each of [reader.stat(path), stat]) {
    const problem = each && ownershipProblem(each, uid);
    if (problem !== undefined) throw notYours(path, problem);
  }
  return path;
}

/** The hooks and servers in it would run with the user's rights. */
function notYours(path: string, { kind, words }: OwnershipProblem): OllmError {
  return new OllmError('CONFIG_INVALID', `${path} ${words}, so it is not used: it may not say what you want.`, {
    hint: `Read it; if it is as it should be, ${kind === 'foreign' ? 'make it yours' : 'make it writable for you alone'}: ${kind === 'foreign' ? 'chown' : 'chmod go-w'} ${kind === 'foreign' ? '"$(id -u)" ' : ''}${path}`,
    data: { path },
  });
}

/** A link that leads nowhere is returned as itself: a user who has one has settings, and nothing runs without them. */
function statBehindLinks(reader: Reader, path: string): FileStat | undefined {
  try {
    return reader.stat(reader.realPath(path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return reader.stat(path);
    if (code === 'ENOTDIR') return undefined;
    throw new OllmError('CONFIG_INVALID', `${path} cannot be read: ${(error as Error).message}`, {
      hint: 'Check its permissions, or name another file with --config.',
      data: { path },
      cause: error,
    });
  }
}
