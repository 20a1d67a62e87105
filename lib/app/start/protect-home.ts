// Only the user may change `$OLLM_HOME`: another user that can write there can replace the user's own files.
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { App } from '../app.ts';

const FOR_THE_USER_ALONE = 0o700;

/**
 * Takes the permission to write away from other users, and answers with a sentence about it. Nothing where there is
 * nothing to do.
 * @throws OllmError CONFIG_INVALID: it belongs to another user, or its mode cannot be changed
 */
export function protectHome(
  { fileSystem, process }: Pick<App, 'fileSystem' | 'process'>,
  home: string,
  { changeNothing }: { readonly changeNothing: boolean },
): string[] {
  const place = realPathOf(fileSystem, home) ?? home;
  const stat = fileSystem.stat(place);
  if (stat === undefined) return [];
  const problem = ownershipProblem(stat, process.uid);
  if (problem === undefined) return [];
  if (problem.kind === 'foreign') throw refused(home, problem.words);
  if (changeNothing) return [];
  try {
    fileSystem.changeMode(place, FOR_THE_USER_ALONE);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    // On a read-only disk no other user can write there either.
    if (systemErrorCode(error) === 'EROFS') return [];
    throw refused(home, problem.words, error);
  }
  return [`${home} could be written by other users; now only you can open it. Check what lies there.`];
}

function refused(home: string, words: string, cause?: unknown): OllmError {
  return new OllmError('CONFIG_INVALID', `${home} ${words}, so nothing in it is used.`, {
    hint: 'Name a directory of your own, with --home or OLLM_HOME.',
    data: { path: home },
    cause,
  });
}
