// The door of the command line. Loads as little as the command needs: `--version` nearly nothing, a command only its
// own use case. Loaded code is kept in compiled form for the next run. Sets the exit code and lets the process end by
// itself, so that no output is cut off.
import { VERSION } from '../version.ts';
import { keepCompiled } from './keep-compiled.ts';

const VERSION_FLAGS = ['--version', '-V'];

/** Runs the command line; `argv` without node and script. Never rejects. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && VERSION_FLAGS.includes(argv[0] ?? '')) {
    process.stdout.on('error', () => {
      process.exitCode = 1;
    });
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  keepCompiled();
  const { run } = startsConversation(argv) ? await import('./conversation.ts') : await import('./run.ts');
  process.exitCode = await run(argv);
}

const CONVERSATION_WORDS = ['repl', 'ask', '-c', '--continue', '-r', '--resume', '-p', '--print'];

/** A command in the first place is recognised without parsing. After flags, the parser of all commands finds it. */
function startsConversation([first]: readonly string[]): boolean {
  return first === undefined || CONVERSATION_WORDS.includes(first) || /\s/.test(first.trim());
}
