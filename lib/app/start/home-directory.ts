// The user's own directory, where `~/` leads. Never a place that depends on the current directory: a file of the
// project there would count as the user's own.
import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { OllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';

/**
 * HOME; where it is empty or not an absolute path, the directory that the system has for the user.
 * @throws OllmError CONFIG_INVALID: the system has none either
 */
export function homeDirectoryOf({ env }: Pick<App, 'env'>): string {
  const home = env.HOME ?? homedir();
  if (isAbsolute(home)) return home;
  const known = homeOfUser();
  if (known !== undefined && isAbsolute(known)) return known;
  throw new OllmError('CONFIG_INVALID', `HOME is ${JSON.stringify(home)}, which is not an absolute path.`, {
    hint: 'Set HOME to your own directory, such as /home/me.',
  });
}

/** Undefined where the system has no entry for the user, as in some containers. */
function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}
