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
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv);
}
