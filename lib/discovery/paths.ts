// Paths as discovery writes them: relative, with `/` on every system, '' for where they begin.

/** @example joined('lib', 'a.ts') // 'lib/a.ts' */
export function joined(directory: string, path: string): string {
  return directory === '' || path === '' ? directory + path : `${directory}/${path}`;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
