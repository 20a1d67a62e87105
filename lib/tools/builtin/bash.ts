// Runs a command line in a shell that reads no start-up files. The policy parses the line to find its effects; this
// tool passes it to the shell unchanged.
import { excerpt } from '../../display/excerpt.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { resolvePath } from '../paths.ts';
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';
import { requireDirectory } from './list-files.ts';
import type { BuiltinToolPorts } from './ports.ts';
import { runShown } from './program-output.ts';

/** Linux takes no longer argument: 128 KiB. */
const MAX_COMMAND_BYTES = 100 * 1024;
const MAX_TIMEOUT_SECONDS = 86_400;

const SHELLS: readonly (readonly [program: string, ...options: string[]])[] = [
  ...[
    '/bin/bash',
    '/usr/bin/bash',
    '/usr/local/bin/bash',
    '/opt/homebrew/bin/bash',
    '/run/current-system/sw/bin/bash',
  ].map((program) => [program, '--noprofile', '--norc'] as const),
  ['/bin/sh'],
];

export function bashTool({
  fileSystem,
  timeoutMs,
  maxOutputBytes,
}: Pick<BuiltinToolPorts, 'fileSystem' | 'timeoutMs' | 'maxOutputBytes'>): Tool {
  return builtinTool({
    name: 'bash',
    description:
      'Runs a command line in a new bash without terminal and without input, and gives what it prints and its exit code if that is not 0. Nothing is kept from call to call: no directory, no variables. Prefer the other tools for reading, searching and changing files.',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command line.' },
      cwd: { type: 'string', minLength: 1, description: 'The directory to run in. Default: the working directory.' },
      timeout_seconds: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_TIMEOUT_SECONDS,
        description: `How long it may take; at most ${timeoutMs / 1000}, which is the default.`,
      },
    },
    required: ['command'],
    examples: [{ command: 'npm test' }],
    async plan({ command, cwd: given = '.', timeout_seconds: seconds }, place) {
      checkCommand(command);
      const directory = resolvePath(fileSystem, given, place);
      requireDirectory(directory.stat?.kind, directory.shown);
      const cwd = directory.path;
      return {
        action: {
          tool: 'bash',
          summary: `Run ${oneLine(command)}`,
          isReadOnly: false,
          accesses: [],
          command: { kind: 'shell', line: command, cwd },
          preview: { kind: 'text', text: command },
        },
        run: async (means) =>
          runShown(
            {
              argv: [...shell(fileSystem), '-c', '--', command],
              cwd,
              timeoutMs: Math.min(timeoutMs, (seconds ?? Number.POSITIVE_INFINITY) * 1000),
              maxOutputBytes,
            },
            means,
          ),
      };
    },
  });
}

function checkCommand(command: string): void {
  if (command.trim() === '') throw new ToolFailure('The command is empty.');
  if (command.includes('\0')) throw new ToolFailure('The command holds a NUL character, which no shell takes.');
  if (!command.isWellFormed()) throw new ToolFailure('The command is not valid Unicode text.');
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES)
    throw new ToolFailure('The command is too long: write a script with file_write and run that.');
}

function shell(fileSystem: Pick<FileSystem, 'stat'>): readonly [string, ...string[]] {
  const found = SHELLS.find(([program]) => fileSystem.stat(program) !== undefined);
  if (!found) throw new ToolFailure('There is no shell on this machine, neither bash nor /bin/sh.');
  return found;
}

function oneLine(command: string): string {
  return excerpt(command.trim().replace(/\s+/g, ' '));
}
