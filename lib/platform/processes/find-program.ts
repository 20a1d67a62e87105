// Where a program is: by its name in the absolute entries of PATH, or by a path that was said. Never where one happens
// to stand, and not in a directory that is not trusted.
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import { relativeInside } from '../files/inside.ts';
import { StartFailure, startFailureReason } from './start-failure.ts';

/** Where programs are when an environment has no PATH. */
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The absolute path of a program. A bare name is looked up only in the absolute entries of PATH, never in the current
 * directory, and in none of `untrusted`: a program that a project brought along must be called by its path.
 *
 * @throws StartFailure
 * @example
 * findProgram('git', { path: env.PATH, cwd: root, untrusted: [root] }); // '/usr/bin/git'
 */
export function findProgram(
  name: string,
  options: { readonly path: string | undefined; readonly cwd: string; readonly untrusted?: readonly string[] },
): string {
  if (name === '') throw new StartFailure('The name of the program to start is empty.');
  if (name.includes('\0')) throw new StartFailure('The name of the program holds a NUL character.');
  if (name.includes('/')) {
    const file = resolve(options.cwd, name);
    const problem = whyNotRunnable(file);
    if (problem) throw new StartFailure(`${file} cannot be started: ${problem}.`);
    return file;
  }
  const path = options.path || DEFAULT_PATH;
  const untrusted = (options.untrusted ?? []).map(realPathOf);
  const folders = absoluteEntries(path).filter(
    (folder) => !untrusted.some((each) => relativeInside(each, realPathOf(folder)) !== undefined),
  );
  let nearMiss: string | undefined;
  for (const folder of folders) {
    const file = join(folder, name);
    const problem = whyNotRunnable(file);
    if (!problem) return file;
    // A shell continues after a directory that it may not look into, too.
    if (problem !== MISSING && problem !== CLOSED) nearMiss ??= `${file} cannot be started: ${problem}.`;
  }
  throw new StartFailure(nearMiss ?? `There is no program ${name} in the directories of PATH (${path}).`);
}

/** The entries of PATH that do not depend on the current directory. */
export function absoluteEntries(path: string): string[] {
  return path.split(delimiter).filter((entry) => isAbsolute(entry));
}

/** As it is written, where it leads nowhere. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

const MISSING = 'it is not there';
const CLOSED = 'a directory on the way may not be looked into (see its permissions)';

function whyNotRunnable(file: string): string | undefined {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) return 'it is a directory';
    if (!stat.isFile()) return 'it is not a regular file';
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return MISSING;
    return code === 'EACCES' ? CLOSED : startFailureReason(error);
  }
  try {
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return systemErrorCode(error) === 'EACCES'
      ? 'it may not be executed (see its permissions)'
      : startFailureReason(error);
  }
}
