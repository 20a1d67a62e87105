// The files and directories that a path which is being typed may become. Looks into one directory and no deeper.
import { basename, dirname, join, resolve } from 'node:path';
import type { FileSystem } from '../../platform/file-system.ts';

const MOST_CANDIDATES = 200;

export function pathCandidates(fileSystem: FileSystem, cwd: string, typed: string): readonly string[] {
  const endsInSlash = typed === '' || typed.endsWith('/');
  const folder = endsInSlash ? typed : dirname(typed) === '.' && !typed.startsWith('./') ? '' : dirname(typed);
  const beginning = endsInSlash ? '' : basename(typed);
  try {
    return fileSystem
      .readDirectory(resolve(cwd, folder))
      .filter(({ name }) => name.startsWith(beginning) && (beginning.startsWith('.') || !name.startsWith('.')))
      .slice(0, MOST_CANDIDATES)
      .map(({ name, kind }) => `${folder === '' ? name : join(folder, name)}${kind === 'directory' ? '/' : ''}`);
  } catch {
    return [];
  }
}
