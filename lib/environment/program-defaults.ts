// Variables that every program of a tool gets, whatever the user has set: no user is there to scroll, to type a
// password or to write in an editor, and a program that waits for one only uses up its time. `CI` and `NO_COLOR` are
// not among them: the first changes the work of test runners and package managers, the second changes the output.
import { GIT_ALWAYS_OFF, GIT_READING_OFF } from './git-programs.ts';

export const PROGRAM_DEFAULTS: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  /** Takes the message that git proposes; where there is none, git says so and stops. */
  GIT_EDITOR: 'true',
  /** Looking at a repository takes no lock and writes nothing. */
  GIT_OPTIONAL_LOCKS: '0',
};

const GIT_SETTINGS = [...GIT_ALWAYS_OFF, ...GIT_READING_OFF];

/** A further setting for git, in addition to those of READING_DEFAULTS. */
export function furtherGitSetting(key: string, value: string): Readonly<Record<string, string>> {
  const index = GIT_SETTINGS.length;
  return { GIT_CONFIG_COUNT: `${index + 1}`, [`GIT_CONFIG_KEY_${index}`]: key, [`GIT_CONFIG_VALUE_${index}`]: value };
}

/** Further variables for a program that may only read. */
export const READING_DEFAULTS: Readonly<Record<string, string>> = {
  // Files that bash runs and that ripgrep takes options from, a program among them.
  BASH_ENV: '',
  RIPGREP_CONFIG_PATH: '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: String(GIT_SETTINGS.length),
  ...Object.fromEntries(
    GIT_SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
