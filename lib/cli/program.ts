// The command line as a whole: global flags, and each command from its own file. Help, completion, the reference in
// docs/commands.md and the tests all read what is defined here.
import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import type { Finish } from './command.ts';
import { defineAppend } from './commands/append.ts';
import { defineAsk } from './commands/ask.ts';
import { defineCompletion } from './commands/completion.ts';
import { defineConfig } from './commands/config.ts';
import { defineDelete } from './commands/delete.ts';
import { defineDiff } from './commands/diff.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineExport } from './commands/export.ts';
import { defineFork } from './commands/fork.ts';
import { defineList } from './commands/list.ts';
import { definePrune } from './commands/prune.ts';
import { defineRebuild } from './commands/rebuild.ts';
import { defineRepair } from './commands/repair.ts';
import { defineRepl } from './commands/repl.ts';
import { defineReplay } from './commands/replay.ts';
import { defineReset } from './commands/reset.ts';
import { defineRestore } from './commands/restore.ts';
import { defineShow } from './commands/show.ts';
import { defineTail } from './commands/tail.ts';
import { defineVerify } from './commands/verify.ts';

/** In the order of the help. */
const COMMANDS: readonly ((program: Command, finish: Finish) => void)[] = [
  defineRepl,
  defineAsk,
  defineList,
  defineShow,
  defineTail,
  defineReplay,
  defineExport,
  defineDiff,
  defineFork,
  defineAppend,
  defineVerify,
  defineRepair,
  defineDelete,
  defineRestore,
  definePrune,
  defineReset,
  defineRebuild,
  defineConfig,
  defineDoctor,
  defineCompletion,
];

/** `finish` is handed each command's work; it runs it and keeps the exit code. */
export function createProgram(finish: Finish): Command {
  const program = new Command('ollm')
    .description('Conversations with language models, each kept in an append-only journal.')
    .usage('[options] [command]')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--home <directory>', 'where everything is kept (OLLM_HOME; default ~/.ollm)')
    .option('--config <file>', 'read this configuration file instead of those that are found')
    .addOption(
      new Option('--log-level <level>', 'what goes to the log file').choices(['error', 'warn', 'info', 'debug']),
    )
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('-q, --quiet', 'say only results and problems')
    .option('--json', 'results as JSON: one document, or a line each where they are a stream')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', '\nWithout a command the REPL starts. ID is an id, a unique prefix of one, a name, or @last.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const define of COMMANDS) define(program, finish);
  return program;
}
