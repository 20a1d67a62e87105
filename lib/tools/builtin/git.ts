// Runs git with a list of arguments and without a shell. Programs that the repository's configuration could make git
// start (a pager, hooks, a file system monitor, programs for differences and signatures) are switched off.
import { resolve } from 'node:path';
import { excerpt } from '../../display/excerpt.ts';
import { GIT_ALWAYS_OFF, GIT_READING_OFF } from '../../environment/git-programs.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { FileAccess } from '../action.ts';
import { fromSubcommand, isReadingGit, wordsOfGit } from '../git-reading.ts';
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure, type ToolPlace } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';
import { requireDirectory } from './list-files.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { runShown } from './program-output.ts';

const MAX_ARGUMENTS = 500;
const MAX_ARGUMENT_BYTES = 100 * 1024;

const settings = (pairs: readonly (readonly [key: string, value: string])[]) =>
  pairs.flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** For every call. They can only take something away. */
const HARDENING = ['--no-pager', '--no-optional-locks', ...settings(GIT_ALWAYS_OFF)];

/** For those that look and sign nothing: no program checks signatures, no submodule is asked. */
const LOOKING_ALONE = settings(GIT_READING_OFF);

const LOOKING: ReadonlySet<string> = new Set(
  `status log show diff blame annotate grep shortlog describe rev-list rev-parse ls-files ls-tree cat-file whatchanged
  diff-tree diff-index diff-files range-diff for-each-ref show-branch name-rev merge-base show-ref cherry`.split(/\s+/),
);

/** Options that keep a subcommand from starting what attributes and configuration name for a kind of file. */
const NO_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['log', 'show', 'diff', 'whatchanged', 'diff-tree', 'diff-index', 'diff-files', 'range-diff'].map((subcommand) => [
      subcommand,
      ['--no-ext-diff', '--no-textconv'],
    ]),
  ),
  blame: ['--no-textconv'],
  annotate: ['--no-textconv'],
  grep: ['--no-textconv'],
};

export function gitTool({
  fileSystem,
  timeoutMs,
  maxOutputBytes,
}: Pick<BuiltinToolPorts, 'fileSystem' | 'timeoutMs' | 'maxOutputBytes'>): Tool {
  return builtinTool({
    name: 'git',
    description:
      'Runs git with a list of arguments and gives what it prints. Without terminal, pager, editor and hooks: give messages with -m. Commands that only read, such as status, log, diff, show and blame, run without the user being asked.',
    properties: {
      args: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_ARGUMENTS,
        description: 'What follows “git”, one argument each; no shell reads them.',
        examples: [['status', '--short']],
      },
      cwd: { type: 'string', minLength: 1, description: 'The directory to run in. Default: the working directory.' },
    },
    required: ['args'],
    examples: [{ args: ['log', '--oneline', '-n', '5'] }],
    async plan({ args: given, cwd: directoryGiven = '.' }, place) {
      const words = [...given];
      checkArguments(words);
      const directory = resolvePath(fileSystem, directoryGiven, place);
      requireDirectory(directory.stat?.kind, directory.shown);
      const isReadOnly = isReadingGit(words);
      const command = ['git', ...words] as const;
      return {
        action: {
          tool: 'git',
          summary: `Run ${oneLine(command)}`,
          isReadOnly,
          accesses: [
            { kind: 'read', path: directory.path },
            ...accessesOutside(fileSystem, words, directory.path, place),
          ],
          command: { kind: 'program', argv: command, cwd: directory.path },
        },
        run: async (means) =>
          runShown({ argv: ['git', ...hardened(words)], cwd: directory.path, timeoutMs, maxOutputBytes }, means),
      };
    },
  });
}

/** The arguments as they really go to git. */
export function hardened(args: readonly string[]): readonly string[] {
  const at = args.length - fromSubcommand(args).length;
  const subcommand = args[at] ?? '';
  const looking = LOOKING.has(subcommand) ? LOOKING_ALONE : [];
  const noPrograms = Object.hasOwn(NO_PROGRAMS, subcommand) ? NO_PROGRAMS[subcommand]! : [];
  return [...HARDENING, ...looking, ...args.slice(0, at + 1), ...noPrograms, ...args.slice(at + 1)];
}

function checkArguments(args: readonly string[]): void {
  if (args[0] === 'git')
    throw new ToolFailure('Leave out "git" itself: args begin with the subcommand, such as "status".');
  if (args.some((argument) => argument.includes('\0') || !argument.isWellFormed()))
    throw new ToolFailure('An argument holds a NUL character or is not valid Unicode text.');
  if (args.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0) > MAX_ARGUMENT_BYTES)
    throw new ToolFailure('The arguments are too long.');
}

/**
 * With one of its two paths outside the repository, `git diff` compares any two files of the machine: the policy must
 * see them.
 */
function accessesOutside(
  fileSystem: BuiltinToolPorts['fileSystem'],
  args: readonly string[],
  cwd: string,
  place: ToolPlace,
): FileAccess[] {
  return wordsOfGit(args).flatMap((word): FileAccess[] => {
    const path = tryResolve(fileSystem, word, { ...place, cwd })?.path ?? resolve(cwd, word);
    return isInside(place.root, path) ? [] : [{ kind: 'read', path }];
  });
}

/** Most words are not paths; nothing is said of those. */
function tryResolve(fileSystem: BuiltinToolPorts['fileSystem'], word: string, place: ToolPlace) {
  try {
    return resolvePath(fileSystem, word, place);
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

function oneLine(command: readonly string[]): string {
  return excerpt(command.map((word) => (/^[\w./:=@^~,+-]+$/.test(word) ? word : JSON.stringify(word))).join(' '));
}
