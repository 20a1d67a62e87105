// `ollm -c`: the session of this project in which something happened last.
import { OllmError } from '../../../errors/index.ts';
import { isInside } from '../../../platform/files/inside.ts';
import { isImport } from '../../../session/is-import.ts';
import type { App } from '../../app.ts';
import { type ListOptions, listSessions } from '../../list/list-sessions.ts';

/** So many are looked at before all are. */
const NEWEST = 100;

/**
 * Its id. Imports are left out: turns are not written into them.
 *
 * @example
 * const id = await lastOfProject(app);
 * @throws OllmError SESSION_NOT_FOUND
 */
export async function lastOfProject(app: App): Promise<string> {
  const found = (await ofProject(app, { limit: NEWEST })) ?? (await ofProject(app, {}));
  if (found !== undefined) return found;
  const moved = await lastOfGoneDirectory(app);
  const renamed =
    moved &&
    `The directory of session ${moved.id} is gone, ${moved.cwd}: if it was renamed to this one, "ollm --resume ${moved.id}" continues it. `;
  throw new OllmError('SESSION_NOT_FOUND', `There is no session of ${app.paths.project} yet.`, {
    hint: `${renamed ?? ''}Start one with "ollm"; "ollm --resume @last" continues the last session of any project.`,
  });
}

/** A session says where it began. */
async function lastOfGoneDirectory(app: App): Promise<{ readonly id: string; readonly cwd: string } | undefined> {
  for (const { id, summary } of await listSessions(app, { limit: NEWEST })) {
    const cwd = summary?.cwd;
    if (cwd !== undefined && app.fileSystem.stat(cwd) === undefined && !(await isImport(app.store, id)))
      return { id, cwd };
  }
  return undefined;
}

async function ofProject(app: App, options: ListOptions): Promise<string | undefined> {
  for (const { id, summary } of await listSessions(app, options)) {
    if (summary?.cwd === undefined || !isInside(app.paths.project, summary.cwd)) continue;
    if (!(await isImport(app.store, id))) return id;
  }
  return undefined;
}
