// Which code was measured, as far as git knows.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Revision {
  readonly commit: string;
  /** No file differs from that commit, but for pages: a table that was written a moment ago changes no figure. */
  readonly isClean: boolean;
}

/** Of the repository with its root here; undefined where there is none, or no git. */
export function revisionOf(root: string): Revision | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return { commit: git('rev-parse', 'HEAD'), isClean: git('status', '--porcelain', '--', '.', ':!docs') === '' };
  } catch {
    return undefined;
  }
}
