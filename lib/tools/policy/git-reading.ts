// Which calls of git only read. A call counts as reading if its subcommand is listed here, and nothing in it makes git
// run another program, write a file, or look outside the repository. Whatever is not known is not reading.
import type { CommandWord, SimpleCommand } from './words.ts';

/** Before the subcommand: what changes nothing but how the output looks. */
const GLOBAL_OPTIONS: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
]);

/** Whatever their arguments, but for WRITING_OPTIONS. */
const READING: ReadonlySet<string> = new Set([
  'status',
  'log',
  'diff',
  'show',
  'blame',
  'annotate',
  'shortlog',
  'describe',
  'grep',
  'ls-files',
  'ls-tree',
  'cat-file',
  'rev-parse',
  'rev-list',
  'name-rev',
  'merge-base',
  'for-each-ref',
  'show-ref',
  'show-branch',
  'diff-tree',
  'diff-index',
  'diff-files',
  'range-diff',
  'whatchanged',
  'count-objects',
  'check-ignore',
  'check-attr',
  'cherry',
  'version',
]);

/** Reading only when they are called with nothing but these. */
const READING_WITH: Readonly<Record<string, readonly string[]>> = {
  branch: ['-a', '--all', '-r', '--remotes', '-v', '-vv', '--verbose', '--list', '-l', '--show-current', '--no-color'],
  tag: ['-l', '--list', '-n'],
  remote: ['-v', '--verbose', 'show'],
  stash: ['list'],
  worktree: ['list'],
  submodule: ['status'],
  reflog: ['show'],
  config: [],
};
/** Without any argument these write. */
const NEED_ARGUMENT: ReadonlySet<string> = new Set(['stash', 'worktree', 'config']);

/** They run a program, write a file, or read one from outside. git takes every beginning of a name for the name. */
const WRITING_OPTIONS: readonly string[] = [
  '--output',
  '--ext-diff',
  '--textconv',
  '--filters',
  '--open-files-in-pager',
  '--no-index',
  '--contents',
  '--ignore-revs-file',
  '--exclude-from',
  '--exclude-per-directory',
  '--exec-path',
  '--git-dir',
  '--work-tree',
  '--resolve-git-dir',
  '--stdin',
  '--batch',
  '--batch-check',
  '--batch-command',
  '--upload-pack',
  '--exec',
  '--help',
];
/** In the same place of other options: what looks like the beginning of one of those and is something else. */
const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(['--text', '--no-textconv', '--no-ext-diff', '--exclude']);

/** Whether this is git and only reads. `paths`: what it would look at, to be decided on as well. */
export function gitReading({
  words,
  altered,
  isOpen,
}: SimpleCommand): { readonly paths: readonly string[] } | undefined {
  if (altered !== undefined || isOpen) return undefined;
  if (!words.every(isPlain) || words[0]?.text !== 'git') return undefined;
  const args = words.slice(1).map(({ text }) => text);
  while (args[0] !== undefined && GLOBAL_OPTIONS.has(args[0])) args.shift();
  const subcommand = args.shift();
  if (subcommand === undefined || !isReading(subcommand, args)) return undefined;
  return { paths: args.filter((argument) => !argument.startsWith('-')) };
}

function isPlain({ isFixed, isAtHome }: CommandWord): boolean {
  return isFixed && !isAtHome;
}

function isReading(subcommand: string, args: readonly string[]): boolean {
  const allowed = Object.hasOwn(READING_WITH, subcommand) ? READING_WITH[subcommand] : undefined;
  if (allowed) return (args.length > 0 || !NEED_ARGUMENT.has(subcommand)) && args.every((one) => allowed.includes(one));
  return READING.has(subcommand) && !args.some((argument) => mayWrite(subcommand, argument));
}

function mayWrite(subcommand: string, argument: string): boolean {
  if (!argument.startsWith('--')) return subcommand === 'grep' && /^-[^-]*[Of]/.test(argument);
  const [name = ''] = argument.split('=', 1);
  if (name === '--' || HARMLESS_OPTIONS.has(name)) return false;
  return WRITING_OPTIONS.some((option) => option.startsWith(name));
}
