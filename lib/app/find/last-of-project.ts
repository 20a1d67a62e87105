// `ollm -c`: the session of this project in which something happened last. A session belongs to the project whose
// directory it began in, also after that was renamed or moved on its disk, where the file system can prove it.
import { isOllmError, OllmError, unless } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { firstEvent } from '../../session/fork.ts';
import { isImport } from '../../session/is-import.ts';
import type { App } from '../app.ts';
import { readJournal } from '../journals/read-journal.ts';
import { type ListOptions, listSessions, type SessionRow } from '../list/list-sessions.ts';
import { isRenamed, type ProjectIdentity } from '../repository/project-identity.ts';

/** The number of newest sessions that are tried before all are. */
const NEWEST = 100;

/**
 * The id of that session. Imports are left out: turns are not written into them.
 *
 * @example
 * const id = await lastOfProject(app);
 * @throws OllmError SESSION_NOT_FOUND
 */
export async function lastOfProject(app: App): Promise<string> {
  const found = (await ofProject(app, { limit: NEWEST })) ?? (await ofProject(app, {})) ?? (await ofRenamed(app));
  if (found !== undefined) return found;
  const moved = await lastOfGoneDirectory(app);
  const renamed =
    moved &&
    `The directory of session ${moved.id} is gone, ${moved.project}: if it was renamed to this one, "ollm --resume ${moved.id}" continues it. `;
  throw new OllmError('SESSION_NOT_FOUND', `There is no session of ${app.paths.project} yet.`, {
    hint: `${renamed ?? ''}Start one with "ollm"; "ollm --resume @last" continues the last session of any project.`,
  });
}

/** The last one of the newest sessions that began in this directory while it had a different path. */
async function ofRenamed(app: App): Promise<string | undefined> {
  const isOfRenamed = async ({ id, project }: SessionRow) => {
    const began = project === undefined ? undefined : await beginningOf(app, id);
    return began !== undefined && isRenamed(app, began);
  };
  return (await newestOwn(app, { limit: NEWEST }, isOfRenamed))?.id;
}

async function beginningOf(app: App, id: string): Promise<ProjectIdentity | undefined> {
  const first = await unless(isOllmError, () => readJournal(app.store, id, firstEvent));
  return first?.data.project as ProjectIdentity | undefined;
}

/** A session says where it began. */
function lastOfGoneDirectory(app: App): Promise<SessionRow | undefined> {
  return newestOwn(
    app,
    { limit: NEWEST },
    ({ project }) => project !== undefined && app.fileSystem.stat(project) === undefined,
  );
}

async function ofProject(app: App, options: ListOptions): Promise<string | undefined> {
  const isHere = ({ project }: SessionRow) => project !== undefined && isInside(app.paths.project, project);
  return (await newestOwn(app, options, isHere))?.id;
}

async function newestOwn(
  app: App,
  options: ListOptions,
  isWanted: (row: SessionRow) => boolean | Promise<boolean>,
): Promise<SessionRow | undefined> {
  for (const row of await listSessions(app, options)) {
    if ((await isWanted(row)) && !(await isImport(app.store, row.id))) return row;
  }
  return undefined;
}
