// Which sessions a client of the server may see: those of one project, or all that the user has not hidden. The user
// says which on the command line; no argument of a call widens it.
import type { App } from '../app/app.ts';
import type { FoundConversation } from '../app/find/found.ts';
import { hiddenSessions } from '../app/list/foreign-notes.ts';
import { knownRemotes, storedRemotes } from '../app/repository/known-remotes.ts';
import { reachOfProject } from '../app/repository/project-reach.ts';
import { OllmError } from '../errors/index.ts';
import type { EventReader } from '../journal/types.ts';
import { isInside } from '../platform/files/inside.ts';

export interface ServedScope {
  /**
   * A directory, absolute: sessions in it or below it, and in other worktrees and clones of its repository. Absent: all
   * sessions.
   */
  readonly project?: string | undefined;
}

/** @throws OllmError SESSION_NOT_FOUND: it is not among those that are served */
export async function requireServed(
  app: App,
  { project }: ServedScope,
  { found, reader }: { readonly found: FoundConversation; readonly reader: EventReader },
): Promise<void> {
  if (!hiddenSessions(app).has(found.id) && (project === undefined || (await isOfProject(app, project, reader))))
    return;
  throw new OllmError('SESSION_NOT_FOUND', `${found.id} is not a session of this project.`, {
    hint: 'list_sessions and search_sessions name those that can be read here.',
    data: { id: found.id },
  });
}

async function isOfProject(app: App, project: string, reader: EventReader): Promise<boolean> {
  const { cwd: directory, git } = (await reader.first())?.data ?? {};
  if (typeof directory !== 'string') return false;
  const { roots, remote } = reachOfProject(app.fileSystem, project);
  if (roots.some((root) => isInside(root, directory))) return true;
  if (remote === undefined) return false;
  if ((git as { readonly remote?: unknown } | undefined)?.remote === remote) return true;
  return knownRemotes(app, await storedRemotes(app))(directory).includes(remote);
}
