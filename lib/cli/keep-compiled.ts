// Keeps Node's compiled code for the next run. Node's own place for it is the temporary directory of all users, under a
// name that any user can take first, and compiled code is run unchecked, so it is kept in a directory that only this
// user can write. Parts of Node are obtained at run time, not imported: an answer to `--version` would load them too.
const OPEN_TO_OTHERS = 0o077;

/** Does nothing where there can be no such directory: the program then starts a little later. */
export function keepCompiled(): void {
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  const uid = process.getuid?.();
  // A named place was chosen by the user; where users have no numbers, each has a temporary directory of their own.
  if (process.env.NODE_COMPILE_CACHE || uid === undefined) enableCompileCache();
  else {
    const directory = `${process.getBuiltinModule('node:os').tmpdir()}/ollm-compiled-${uid}`;
    if (isOurs(directory, uid)) enableCompileCache(directory);
  }
}

/** Makes it if nothing is there. */
function isOurs(directory: string, uid: number): boolean {
  const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs');
  try {
    if (!lstatSync(directory, { throwIfNoEntry: false })) mkdirSync(directory, { mode: 0o700 });
    const stat = lstatSync(directory);
    return stat.isDirectory() && stat.uid === uid && (stat.mode & OPEN_TO_OTHERS) === 0;
  } catch {
    return false;
  }
}
