// Whether the user has named a directory among those that he trusts as far as himself.
import { realPathOf } from '../platform/files/io.ts';
import type { App } from './app.ts';

/** By the place itself, not by a link that leads to it, and not by a directory above it. */
export function isTrusted({ config, fileSystem }: Pick<App, 'config' | 'fileSystem'>, directory: string): boolean {
  const place = realPathOf(fileSystem, directory);
  return place !== undefined && config.trustedDirectories.some((path) => realPathOf(fileSystem, path) === place);
}
