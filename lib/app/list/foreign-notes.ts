// The user's notes on sessions of other programs: hidden ones, and titles. The files of those programs are not changed:
// both notes are files in ollm's home, a line for each address, which can be edited.
import { join } from 'node:path';
import { isSystemError, OllmError } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import type { App } from '../app.ts';
import { linesInHome } from './lines-in-home.ts';

type NotesPlace = Pick<App, 'fileSystem' | 'ids' | 'paths'>;

const HIDDEN = 'hidden-sessions';
/** `agent:id`, a tab, the title. */
const TITLES = 'session-titles';

/** The addresses of those that are not shown. */
export function hiddenSessions(app: Pick<App, 'fileSystem' | 'paths'>): ReadonlySet<string> {
  return new Set(linesInHome(app, HIDDEN));
}

/** The user's titles for sessions of other programs, by their addresses. */
export function foreignTitles(app: Pick<App, 'fileSystem' | 'paths'>): ReadonlyMap<string, string> {
  return new Map(
    linesInHome(app, TITLES).flatMap((line) => {
      const tab = line.indexOf('\t');
      return tab < 0 ? [] : [[line.slice(0, tab), line.slice(tab + 1)] as const];
    }),
  );
}

/**
 * Hides a session, or shows it again. Returns whether that changed something.
 * @throws OllmError IO_FAILED
 */
export async function hideSession(app: NotesPlace, address: string, isHidden: boolean): Promise<boolean> {
  return change(app, HIDDEN, () => {
    const hidden = new Set(hiddenSessions(app));
    if (hidden.has(address) === isHidden) return undefined;
    if (isHidden) hidden.add(address);
    else hidden.delete(address);
    return [...hidden];
  });
}

/**
 * Calls a session something else from now on. `title`: on one line.
 * @throws OllmError IO_FAILED
 */
export async function titleForeign(app: NotesPlace, address: string, title: string): Promise<void> {
  await change(app, TITLES, () => {
    const titles = new Map(foreignTitles(app)).set(address, title);
    return [...titles].map((line) => line.join('\t'));
  });
}

/** `edited`: the new content of the file; undefined if it stays as it is. */
async function change(
  { fileSystem, ids, paths }: NotesPlace,
  name: string,
  edited: () => string[] | undefined,
): Promise<boolean> {
  const path = join(paths.home, name);
  const textOf = (lines: readonly string[] | undefined) => lines?.map((each) => `${each}\n`).join('');
  try {
    return await changeContent({ path, fileSystem, ids }, () => textOf(edited()));
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new OllmError('IO_FAILED', `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
