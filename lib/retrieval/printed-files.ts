// Which files a line for a shell prints and does nothing else with: its output is a copy of them, as they were. Pure.
import { resolve } from 'node:path';

/** The beginning of a call as it is kept: a longer one may go on with anything. */
const MAX_CALL_CHARACTERS = 150;
/** The arguments after the name of the tool. No pipe, second command, substitution or redirection. */
const PRINTS =
  /^[^ ]+ › (?:command|cmd|script): (?:(?:\/bin\/)?(?:ba|z)?sh -l?c )?["']?(?:cd (?<directory>[^\s;&|]+) && )?(?:cat|bat|nl|head|tail|less|more|sed -n)(?<rest> [^|;&<>$`]*)$/;
const QUOTES = /^["']|["']$/g;

/**
 * Absolute paths; words that are not paths, such as options, are among them. `about`: the call that an output came
 * from. `project`: the directory that the session is about.
 *
 * @example
 * printedFiles('bash › command: cat lib/a.ts', '/home/ada'); // ['/home/ada/lib/a.ts']
 */
export function printedFiles(about: string, project: string): string[] {
  if (about.length > MAX_CALL_CHARACTERS) return [];
  const { directory = '', rest = '' } = PRINTS.exec(about)?.groups ?? {};
  const words = rest.split(' ').map((word) => word.replace(QUOTES, ''));
  return words.filter((word) => word !== '').map((word) => resolve(project, directory.replace(QUOTES, ''), word));
}
