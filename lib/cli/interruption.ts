// A signal to the process asks the command to stop, and gives it time to close its session. A second signal, or too
// long a wait, ends the process immediately.
import { OllmError } from '../errors/index.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** How long a command may take to close its session. */
const GRACE_MS = 10_000;

interface Interruption {
  /** Aborted by the first signal. Asking for it is what takes the signals over. */
  readonly signal: AbortSignal;
  /** What to exit with, once a signal has come. */
  readonly exitCode: number | undefined;
}

export function createInterruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let listening = false;

  const stop = (name: StopSignal): void => {
    if (exitCode !== undefined) process.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    setTimeout(() => process.exit(exitCode), GRACE_MS).unref();
    controller.abort(new OllmError('INTERRUPTED', 'Stopped.'));
  };

  return {
    get signal() {
      if (!listening) for (const name of Object.keys(EXIT_CODES) as StopSignal[]) process.on(name, () => stop(name));
      listening = true;
      return controller.signal;
    },
    get exitCode() {
      return exitCode;
    },
  };
}
