// Variables that every program of a tool gets, whatever the user has set: no user is there to scroll, to type a
// password or to write in an editor, and a program that waits for one only uses up its time. `CI` and `NO_COLOR` are
// not among them: the first makes test runners and package managers do other things, the second changes what is
// printed.

export const PROGRAM_DEFAULTS: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  /** Takes the message that git proposes; where there is none, git says so and stops. */
  GIT_EDITOR: 'true',
  /** Looking at a repository takes no lock and writes nothing. */
  GIT_OPTIONAL_LOCKS: '0',
};

/** Over what a repository configures: names of programs that git would start while it reads. */
const GIT_STARTS_NOTHING: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.askPass', ''],
  ['protocol.ext.allow', 'never'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

/** What a program gets besides that may do no more than read. */
export const READING_DEFAULTS: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(GIT_STARTS_NOTHING.length),
  ...Object.fromEntries(
    GIT_STARTS_NOTHING.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
