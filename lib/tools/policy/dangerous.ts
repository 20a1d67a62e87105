// Commands that need a question even if a rule or a grant would let them run: those that cannot be undone, or can break
// the machine. Reads the words of a parsed command in all spellings that its program takes. A net for mistakes, not a
// boundary: the boundary is the sandbox.
import { baseName, namesIn, type SimpleCommand } from './command-words.ts';

type Finder = (args: readonly string[], command: SimpleCommand) => string | undefined;

/** Why a command is dangerous, in a few words; undefined if nothing says so. */
export function dangerOf(command: SimpleCommand): string | undefined {
  const [program, ...rest] = command.words;
  if (!program) return undefined;
  const name = baseName(program.text).toLowerCase();
  const args = rest.map(({ text }) => text);
  if (name.startsWith('mkfs') || name.startsWith('mke2fs')) return 'makes a new file system over what is there';
  if (MACHINE.has(name)) return 'stops or restarts the machine';
  if (args.some((argument) => OTHERS_MEMORY.test(argument))) return 'reads the variables or the memory of a process';
  const find = Object.hasOwn(FINDERS, name) ? FINDERS[name] : undefined;
  return find?.(args, command) ?? (SEARCHING.has(name) ? undefined : statementDanger(args));
}

/** Why reading or writing such a file is dangerous: a disk or a part of it. */
export function deviceDanger(path: string): string | undefined {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md|dm-|loop|mem$|kmem$|port$)/.test(path)
    ? 'writes to a disk past its file system'
    : undefined;
}

/**
 * Why a pipe is dangerous: it runs bytes from the network as they come. `stages`: the programs that each part starts.
 */
export function pipeDanger(stages: readonly (readonly string[])[]): string | undefined {
  const source = stages.findIndex((names) => names.some((name) => FETCHERS.has(name)));
  const isRun = source >= 0 && stages.slice(source + 1).some((names) => names.some((name) => INTERPRETERS.test(name)));
  return isRun ? 'runs what it fetches from the network' : undefined;
}

/** Without a sandbox a program can read variables there that were withheld from its own. */
const OTHERS_MEMORY = /\/proc\/.*\/(?:environ|mem|auxv|map_files)(?:$|\W)/;
const MACHINE: ReadonlySet<string> = new Set(['shutdown', 'reboot', 'halt', 'poweroff', 'telinit']);
/** They look for text, whatever its meaning. */
const SEARCHING: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack']);
const FETCHERS = namesIn('curl wget fetch aria2c http https nc ncat socat');
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|a|c|tc|fi|mk)?sh|python[\d.]*|perl[\d.]*|ruby[\d.]*|node(?:js)?|php[\d.]*|lua[\d.]*|deno|bun|osascript|pwsh|powershell)$/;

const FINDERS: Readonly<Record<string, Finder>> = {
  rm: (args, { words }) => {
    if (hasOption(args, 'rR', ['--recursive'])) return 'removes a directory with all that is in it';
    return words.some(({ text, isFixed }) => !isFixed && /^[$`"]/.test(text))
      ? 'removes what cannot be known before it runs'
      : undefined;
  },
  git: gitDanger,
  dd: (args) =>
    args.some((argument) => argument.startsWith('of=') && deviceDanger(argument.slice(3))) ? DISK : undefined,
  shred: () => 'overwrites files so that nothing brings them back',
  wipefs: () => DISK,
  fdisk: () => DISK,
  sfdisk: () => DISK,
  parted: () => DISK,
  blkdiscard: () => DISK,
  chmod: (args) => {
    if (!hasOption(args, 'R', ['--recursive'])) return undefined;
    const isOpenToAll = args.some(
      (argument) => /^0?[0-7]?[0-7][0-7][2367]$/.test(argument) || /^[ugo]*[ao][ugo]*[+=][rxX]*w/.test(argument),
    );
    return isOpenToAll ? 'lets every user write a whole directory' : undefined;
  },
  chown: (args) => (hasOption(args, 'R', ['--recursive']) ? 'gives a whole directory to another owner' : undefined),
  find: (args) => (args.includes('-delete') ? 'removes every file that it finds' : undefined),
  rsync: (args) => (args.some((one) => one.startsWith('--del')) ? 'removes what is not in the source' : undefined),
  init: (args) => (args.some((one) => one === '0' || one === '6') ? 'stops or restarts the machine' : undefined),
  systemctl: (args) =>
    args.some((one) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency|isolate)$/.test(one))
      ? 'stops or restarts the machine'
      : undefined,
  kill: (args) => (args.includes('-1') && args.length > 1 && args.at(-1) === '-1' ? 'ends every process' : undefined),
  crontab: (args) => (args.includes('-r') ? 'removes all timed jobs' : undefined),
  truncate: (args) => (args.some((one) => deviceDanger(one)) ? DISK : undefined),
  terraform: (args) => (args.includes('destroy') ? 'takes down what it manages' : undefined),
  kubectl: (args) => (args.includes('delete') ? 'removes what runs in a cluster' : undefined),
  dropdb: () => DATA,
};

const DISK = 'writes to a disk past its file system';
export const DATA = 'removes data from a database';

const GIT_VALUED = namesIn(`
  -C -c --git-dir --work-tree --namespace --exec-path --config-env --attr-source --super-prefix
`);

/** The arguments of git from its subcommand on. */
export function fromSubcommand(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith('-')) at += GIT_VALUED.has(args[at] ?? '') ? 2 : 1;
  return args.slice(at);
}

/** Subcommands that print a difference. A rule that lets them read does not cover the file that they can write. */
const WRITING_OUTPUT: ReadonlySet<string> = new Set(
  'log show diff whatchanged reflog stash diff-tree diff-index diff-files range-diff format-patch'.split(' '),
);

function gitDanger(given: readonly string[]): string | undefined {
  const [subcommand, ...args] = fromSubcommand(given);
  if (WRITING_OUTPUT.has(subcommand ?? '') && hasOption(args, '', ['--output']))
    return 'writes what it prints to a file';
  switch (subcommand) {
    case 'push':
      if (hasOption(args, 'f', ['--force', '--force-with-lease', '--force-if-includes', '--mirror']))
        return 'overwrites what others pushed';
      if (hasOption(args, 'd', ['--delete', '--prune'])) return 'removes a branch for all users';
      if (args.some((argument) => /^\+./.test(argument))) return 'overwrites what others pushed';
      return args.some((argument) => /^:./.test(argument)) ? 'removes a branch for all users' : undefined;
    case 'reset':
      return hasOption(args, '', ['--hard', '--merge', '--keep'])
        ? 'throws away changes that are not committed'
        : undefined;
    case 'clean':
      return hasOption(args, 'f', ['--force']) ? 'removes files that git does not know' : undefined;
    case 'checkout':
    case 'restore':
    case 'switch':
      return hasOption(args, 'f', ['--force', '--discard-changes']) || args.some((one) => one === '--' || one === '.')
        ? 'throws away changes that are not committed'
        : undefined;
    case 'branch':
      return hasOption(args, 'D', []) ? 'removes a branch that may not be merged' : undefined;
    case 'stash':
      return args[0] === 'clear' || args[0] === 'drop' ? 'throws away changes that are not committed' : undefined;
    case 'filter-branch':
    case 'filter-repo':
      return 'rewrites the whole history';
    case 'reflog':
      return args[0] === 'expire' || args[0] === 'delete' ? 'removes what commits could be found by again' : undefined;
    case 'gc':
      return args.some((one) => one.startsWith('--prune')) ? 'removes commits that nothing points at' : undefined;
    default:
      return undefined;
  }
}

/** Letters in a bundle such as `-fdx`, and long names with every beginning that programs take for them. */
function hasOption(args: readonly string[], letters: string, names: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((argument) => {
    if (argument.startsWith('--')) {
      const [name = ''] = argument.split('=', 1);
      return name.length >= 4 && names.some((full) => full.startsWith(name));
    }
    return /^-[a-zA-Z0-9]/.test(argument) && [...letters].some((letter) => argument.includes(letter));
  });
}

/** Words of SQL with any white space or comment between them; whichever program is given them. */
const STATEMENT =
  /\b(?:drop\s+(?:table|database|schema|index|view|user|role|collection)|truncate\s+(?:table\s+)?["`[\]\w.]+|delete\s+from|alter\s+table\s+\S+\s+drop)\b/i;
const MAX_STATEMENT_LENGTH = 65_536;

function statementDanger(args: readonly string[]): string | undefined {
  return args.some((argument) => holdsStatement(argument)) ? DATA : undefined;
}

export function holdsStatement(text: string): boolean {
  const plain = text
    .slice(0, MAX_STATEMENT_LENGTH)
    .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|--[^\n]*\n/g, ' ')
    .replace(/\s+/g, ' ');
  return STATEMENT.test(plain);
}
