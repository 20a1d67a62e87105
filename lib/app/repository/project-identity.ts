// What a new session stores of its project's directory, so that `ollm -c` finds the session after a rename: the inode
// and the time at which the directory was made, which no copy and no later directory has. Where the file system does
// not say when a directory was made, nothing is stored, and nothing is concluded.
import type { EventData } from '../../events/index.ts';
import type { App } from '../app.ts';

export type ProjectIdentity = NonNullable<EventData<'session.created'>['project']>;

type ProjectPlace = Pick<App, 'fileSystem' | 'paths'>;

/** Members of `session.created` for a session that begins here. */
export function begunHere(app: ProjectPlace & Pick<App, 'cwd'>): {
  readonly cwd: string;
  readonly project?: ProjectIdentity;
} {
  const project = identityOf(app, app.paths.project);
  return { cwd: app.cwd, ...(project === undefined ? {} : { project }) };
}

/** Whether the directory that was at `began.path` is the project now, under this path or as a link to it. */
export function isRenamed(app: ProjectPlace, began: ProjectIdentity): boolean {
  const now = identityOf(app, app.paths.project);
  const there = identityOf(app, began.path);
  return now !== undefined && isSame(now, began) && (there === undefined || !isSame(there, began));
}

function identityOf({ fileSystem }: Pick<App, 'fileSystem'>, path: string): ProjectIdentity | undefined {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'directory' || stat.bornNs === undefined) return undefined;
  return { path, inode: String(stat.inode), born: String(stat.bornNs) };
}

function isSame(one: ProjectIdentity, other: ProjectIdentity): boolean {
  return one.inode === other.inode && one.born === other.born;
}
