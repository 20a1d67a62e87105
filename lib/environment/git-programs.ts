// The names in git's configuration that make it start a program, as git's documentation lists them; pure data. Calls
// that run unasked override those with a value in `off`, and run only if none of the others is set. A copied repository
// includes its configuration, so the programs named there are its author's choice.

interface GitProgramKey {
  /** The key as in git's documentation, with `<…>` for names that the user chooses. */
  readonly key: string;
  /** The value that keeps git from starting anything. Undefined: a configuration that has the name is asked about. */
  readonly off?: string;
  /** Whether `off` also holds for a call that the user approved; then git works without it. */
  readonly always?: true;
}

const asked = (keys: string): readonly GitProgramKey[] => keys.split(/\s+/).map((key) => ({ key }));

export const GIT_PROGRAM_KEYS: readonly GitProgramKey[] = [
  { key: 'core.pager', off: 'cat', always: true },
  { key: 'core.fsmonitor', off: 'false', always: true },
  { key: 'core.hooksPath', off: '/dev/null', always: true },
  { key: 'core.editor', off: 'true', always: true },
  { key: 'sequence.editor', off: 'true', always: true },
  { key: 'core.askPass', off: '', always: true },
  { key: 'core.sshCommand', off: 'false' },
  { key: 'gpg.program', off: 'false' },
  { key: 'gpg.openpgp.program', off: 'false' },
  { key: 'gpg.ssh.program', off: 'false' },
  { key: 'gpg.x509.program', off: 'false' },
  ...asked(`filter.<driver>.clean filter.<driver>.smudge filter.<driver>.process
    diff.external diff.<driver>.command diff.<driver>.textconv diff.tool diff.guitool
    difftool.<tool>.cmd difftool.<tool>.path
    merge.<driver>.driver merge.tool merge.guitool mergetool.<tool>.cmd mergetool.<tool>.path
    pager.<cmd> interactive.diffFilter add.interactive.useBuiltin alias.<name> hook.<name>.command
    gpg.<format>.program gpg.ssh.defaultKeyCommand
    core.gitProxy core.alternateRefsCommand credential.helper credential.<url>.helper
    remote.<name>.uploadpack remote.<name>.receivepack remote.<name>.vcs remote.<name>.promisor
    uploadpack.packObjectsHook receive.procReceiveRefs gc.recentObjectsHook
    submodule.<name>.update trailer.<token>.command trailer.<token>.cmd tar.<format>.command
    browser.<tool>.cmd browser.<tool>.path man.<tool>.cmd man.<tool>.path man.viewer guitool.<name>.cmd web.browser
    help.browser instaweb.browser instaweb.httpd imap.tunnel
    sendemail.smtpServer sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd sendemail.headerCmd
    sendemail.<identity>.smtpServer sendemail.<identity>.sendmailCmd sendemail.<identity>.toCmd
    include.path includeIf.<condition>.path core.attributesFile core.worktree extensions.worktreeConfig
    extensions.partialClone init.templateDir`),
];

/** What leads to a program by itself, and is of no use to what only reads. */
const READING_SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['log.showSignature', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

/** For every call of the tool for git. */
export const GIT_ALWAYS_OFF: readonly (readonly [key: string, value: string])[] = [
  ...GIT_PROGRAM_KEYS.flatMap(({ key, off, always }) => (off !== undefined && always ? [[key, off] as const] : [])),
  ['protocol.ext.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
];

/** For what only reads. */
export const GIT_READING_OFF: readonly (readonly [key: string, value: string])[] = [
  ...GIT_PROGRAM_KEYS.flatMap(({ key, off, always }) => (off !== undefined && !always ? [[key, off] as const] : [])),
  ...READING_SETTINGS,
];

/** The names that a configuration may have because calls that run unasked override them, in lower case. */
export const GIT_OVERRIDDEN: ReadonlySet<string> = new Set(
  [...GIT_ALWAYS_OFF, ...GIT_READING_OFF].map(([key]) => key.toLowerCase()),
);
