// Whether the user has named a directory among those that are trusted like the user's own files.
import { realPathOf } from '../platform/files/io.ts';
import type { FileSystem } from '../platform/index.ts';

/**
 * By the place itself, not by a link that leads to it, and not by a directory above it. `trusted`: the setting
 * `trustedDirectories`, perhaps not checked yet.
 */
export function isTrustedDirectory(fileSystem: Pick<FileSystem, 'realPath'>, directory: string, trusted: unknown) {
  const place = realPathOf(fileSystem, directory);
  if (place === undefined || !Array.isArray(trusted)) return false;
  return trusted.some((path) => typeof path === 'string' && realPathOf(fileSystem, path) === place);
}
