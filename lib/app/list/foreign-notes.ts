// The user's notes on sessions of other programs: hidden ones, and titles. The files of those programs are not changed:
// both notes are files in ollm's home, a line for each address, which can be edited.
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { ContentChange } from '../../platform/files/file-change.ts';
import { readFile } from '../../platform/files/io.ts';
import type { App } from '../app.ts';

type NotesPlace = Pick<App, 'fileSystem' | 'ids' | 'paths'>;

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const HIDDEN = 'hidden-sessions';
/** `agent:id`, a tab, the title. */
const TITLES = 'session-titles';

/** The addresses of those that are not shown. */
export function hiddenSessions(app: Pick<App, 'fileSystem' | 'paths'>): ReadonlySet<string> {
  return new Set(linesIn(app, HIDDEN));
}

/** The user's titles for sessions of other programs, by their addresses. */
export function foreignTitles(app: Pick<App, 'fileSystem' | 'paths'>): ReadonlyMap<string, string> {
  return new Map(
    linesIn(app, TITLES).flatMap((line) => {
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

function linesIn({ fileSystem, paths }: Pick<App, 'fileSystem' | 'paths'>, name: string): string[] {
  try {
    const bytes = readFile(fileSystem, join(paths.home, name), { maxBytes: MAX_FILE_BYTES });
    return new TextDecoder()
      .decode(bytes)
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

/** `edited`: the new content of the file; undefined if it stays as it is. */
async function change(
  { fileSystem, ids, paths }: NotesPlace,
  name: string,
  edited: () => string[] | undefined,
): Promise<boolean> {
  const path = join(paths.home, name);
  let change: ContentChange | undefined;
  try {
    change = await ContentChange.beginWhenFree({ path, fileSystem, ids });
    const lines = edited();
    if (lines === undefined) return false;
    change.write(lines.map((each) => `${each}\n`).join(''));
    change.commit();
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw new OllmError('IO_FAILED', `${path} cannot be written: ${(cause as Error).message}`, { cause });
  } finally {
    change?.end();
  }
}
