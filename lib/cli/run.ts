// Runs one command: parses, acts, says what went wrong, closes the app, and answers with the exit code.
import { CommanderError } from 'commander';
import { ERROR_CODES, isOllmError } from '../errors/index.ts';
import type { ExitCode } from './command.ts';
import { createBareProgram, createProgram, isCommand } from './program.ts';
import { complain, reportError } from './report.ts';
import type { Shell } from './shell.ts';
import { ReaderGone } from './standard-output.ts';

const DEFAULT_COMMAND = 'repl';
const HELP_COMMAND = 'help';
const PRINT_COMMAND = 'ask';
/** As other programs have it: one answer on standard output, and no conversation. */
const PRINT_FLAGS = ['-p', '--print'];
/** Their last argument is any number of words. */
const TAKES_WORDS: ReadonlySet<string> = new Set(['search', 'recall', 'title']);
const HELP_FLAGS = ['-h', '--help', '-V', '--version'];
/** Most often typed, and they leave nothing running. Node takes 2 ms to take down the memory of a process. */
const ENDED = ['list', 'search'];
/** How long the report of a crash may wait for its reader. The work that did not fail goes on meanwhile. */
const REPORT_MS = 5_000;

export async function run(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  let command: string | undefined;
  try {
    const args = withCommand(argv);
    command = args.command;
    const program = await createProgram(async (shell, work) => {
      exitCode = await finish(shell, work);
      // The report of a failure goes to Node's stream.
      const isTaken = shell.output.isTaken && (exitCode === 0 || process.stderr.writableLength === 0);
      if (isTaken && ENDED.includes(args.command ?? '')) process.exit(exitCode);
    }, args.command);
    await program.parseAsync(args.argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return explainUsage(error, command);
    throw error;
  }
}

/** The command that is meant: with -p `ask`, with other flags only the REPL's; undefined for the help on all. */
function withCommand(argv: readonly string[]): { argv: string[]; command: string | undefined } {
  // Where it comes first, nothing has to be understood to see it.
  const operands = isCommand(argv[0]) ? argv : createBareProgram().parseOptions([...argv]).operands;
  const [command, subject] = operands;
  const print = argv.findIndex((argument) => argument === '--' || PRINT_FLAGS.includes(argument));
  if (print >= 0 && argv[print] !== '--' && !isCommand(argv[0])) {
    return { argv: [PRINT_COMMAND, ...argv.toSpliced(print, 1)], command: PRINT_COMMAND };
  }
  if (command === HELP_COMMAND) requireSubject(subject);
  const asksForHelp = argv.some((argument) => HELP_FLAGS.includes(argument));
  // No command has a space in its name: it is the first thing to say.
  const isQuestion = command !== undefined && /\s/.test(command.trim());
  if ((command !== undefined && !isQuestion) || asksForHelp) return { argv: [...argv], command };
  return { argv: [DEFAULT_COMMAND, ...argv], command: DEFAULT_COMMAND };
}

/** Commander answers with the help of everything where it knows no such command, and does not say that. */
function requireSubject(subject: string | undefined): void {
  if (subject === undefined || subject === HELP_COMMAND || isCommand(subject)) return;
  throw new CommanderError(ERROR_CODES.USAGE.exit, 'commander.unknownCommand', `error: unknown command '${subject}'`);
}

async function finish(shell: Shell, work: () => Promise<ExitCode>): Promise<number> {
  endOnCrash(shell);
  let exitCode: number;
  try {
    exitCode = (await work()) ?? 0;
  } catch (error) {
    shell.output.progress('');
    exitCode = isQuietEnd(error, shell) ? 0 : reportError(error, shell);
  }
  await shell.output.flush().catch((error: unknown) => {
    if (!isQuietEnd(error, shell)) exitCode ||= reportError(error, shell);
  });
  await shell.app?.close().catch((error: unknown) => {
    exitCode ||= reportError(error, shell);
  });
  return shell.interruptedBy ?? exitCode;
}

/**
 * Work that is not awaited can fail too. The journal needs no closing: acknowledged events are on disk. The report
 * waits for the reader of a pipe that is full; what else fails meanwhile belongs to the same crash.
 */
function endOnCrash(shell: Shell): void {
  let exitCode: number | undefined;
  process.on('uncaughtException', (error) => {
    if (exitCode !== undefined) return;
    exitCode = reportError(error, shell);
    const end = () => process.exit(exitCode);
    if (process.stderr.writableLength === 0) end();
    process.stderr.write('', end);
    setTimeout(end, REPORT_MS);
  });
}

function isQuietEnd(error: unknown, shell: Shell): boolean {
  if (error instanceof ReaderGone) return true;
  return shell.interruptedBy !== undefined && isOllmError(error, 'INTERRUPTED');
}

/** What users of other chat programs type first. */
function hintFor(code: string): string {
  return code === 'commander.unknownCommand' ? 'To ask a question: ollm repl "…", or ollm ask "…".' : '';
}

/** Where words are searched, one may look like an option. */
function wordHint(problem: string, command: string | undefined): string {
  const [, word] = /^unknown option '(.*)'$/s.exec(problem) ?? [];
  if (word === undefined || command === undefined || !TAKES_WORDS.has(command)) return '';
  return `As a word it comes after --: ollm ${command} -- ${/\s/.test(word) ? `'${word}'` : word}.`;
}

/** Commander throws for help and version too: those are answers, not errors. */
function explainUsage({ exitCode, code, message }: CommanderError, command?: string): number {
  if (exitCode === 0) return 0;
  if (code !== 'commander.help') {
    const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n');
    const advice = suggestion?.replace(/^\(|\)$/g, '') ?? hintFor(code);
    const hint = [advice, wordHint(problem, command)].filter(Boolean).join(' ');
    const page =
      command === undefined || code === 'commander.unknownCommand' ? 'ollm --help' : `ollm ${command} --help`;
    complain(`${problem.replace(/\.+$/, '')}.`, `${hint} See "${page}".`.trim());
  }
  return ERROR_CODES.USAGE.exit;
}
