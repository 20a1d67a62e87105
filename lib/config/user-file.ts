// The user's own configuration file. It may be a link, as people keep such files elsewhere; it must be a file in the end.
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileStat, FileSystem } from '../platform/index.ts';

type Reader = Pick<FileSystem, 'stat' | 'realPath'>;

/**
 * The path, if there is something to read. `isNamed`: somebody asked for exactly this file.
 * @throws OllmError CONFIG_INVALID
 */
export function findUserFile(reader: Reader, path: string, isNamed: boolean): string | undefined {
  const stat = statBehindLinks(reader, path);
  if (stat === undefined) {
    if (!isNamed) return undefined;
    throw new OllmError('CONFIG_INVALID', `There is no file ${path}, which --config names.`, {
      hint: 'Check the path, or leave the flag out.',
      data: { path },
    });
  }
  if (stat.kind !== 'file') {
    const what = stat.kind === 'link' ? 'is a link that leads nowhere' : 'is no file';
    throw new OllmError('CONFIG_INVALID', `${path} ${what}.`, {
      hint: 'Put a file there, or move it away: every setting has a default.',
      data: { path },
    });
  }
  return path;
}

/** A link that leads nowhere is told as itself: who has one has settings, and nothing is to run without them. */
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
