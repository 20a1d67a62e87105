// The door of the command line. Loads as little as the command needs: `--version` nearly nothing, a command only its
// own use case. Loaded code is kept in compiled form for the next run. Sets the exit code and lets the process end by
// itself, so that no output is cut off; after a command that leaves nothing running, it is ended.
import { VERSION } from '../version.ts';
import { keepCompiled } from './keep-compiled.ts';

const VERSION_FLAGS = ['--version', '-V'];
/** Most often typed. Node takes 2 ms to take down the memory of a process that ends by itself. */
const ENDED = ['list', 'search'];

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
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv);
  const isTaken = process.stdout.writableLength === 0 && process.stderr.writableLength === 0;
  if (isTaken && ENDED.includes(argv[0] ?? '')) process.exit();
}
