// A path as a person is shown it.

/** With `~` in place of the home directory, where the path is in it. */
export function homePath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
