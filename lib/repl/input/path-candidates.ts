// The files and directories that a half-typed path may become. Looks into one directory and no deeper.
import { resolve } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';

const MOST_CANDIDATES = 200;

/** Hidden names are offered after their dot is typed. */
export function pathCandidates(fileSystem: FileSystem, cwd: string, typed: string): readonly string[] {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const beginning = typed.slice(folder.length);
  try {
    return fileSystem
      .readDirectory(resolve(cwd, folder))
      .filter(({ name }) => name.startsWith(beginning) && (beginning.startsWith('.') || !name.startsWith('.')))
      .slice(0, MOST_CANDIDATES)
      .map(({ name, kind }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`);
  } catch {
    return [];
  }
}
