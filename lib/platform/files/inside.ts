// Whether one path lies in another, and what lies above it, by how they are spelt: links are not followed, and nothing
// needs to be there. A caller that must not be led out by a link follows both first.
import { dirname, isAbsolute, relative, sep } from 'node:path';

/**
 * The way from `directory` to `path`, with `/` between its parts: empty for the directory itself, undefined where the
 * path lies outside.
 *
 * @example
 * relativeInside('/a', '/a/b/../c.ts'); // 'c.ts'
 * relativeInside('/a', '/ab'); // undefined
 */
export function relativeInside(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return way.split(sep).join('/');
}

/** A directory and those above it, the nearest first. */
export function* upwards(directory: string): Generator<string, void, void> {
  for (let folder = directory; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

/** Whether `path` is `directory` or in it, of paths that are absolute and resolved: forty times as quick. */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
