// Why the REPL has to stop without a command: a signal to the process, or a closed terminal or pipe. The first one
// begins an orderly end, which gets some time; a later signal, or too long a wait, ends the process immediately.
import { ERROR_CODES } from '../errors/index.ts';

/**
 * Signals after which the session is closed in order. The exit codes are those of a process that such a signal ends.
 */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;
export type DepartureSignal = keyof typeof EXIT_CODES;

const GRACE_MS = 10_000;
/** Parents pass signals on: signals within this time count as one. */
const SAME_EVENT_MS = 1000;

export interface Departure {
  readonly signal: DepartureSignal;
  readonly exitCode: number;
}

export interface DepartureWatch {
  /** Resolves when the REPL has to stop; never rejects. */
  readonly departure: Promise<Departure>;
  readonly current: Departure | undefined;
  /** For a closed terminal that another part has noticed. */
  depart(signal: DepartureSignal): void;
  stop(): void;
}

interface DepartureOptions {
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
  /** Called at SIGINT. True: it was handled, and the REPL continues. */
  readonly onInterrupt: () => boolean;
}

export function watchForDeparture({ output, errors, now, onInterrupt }: DepartureOptions): DepartureWatch {
  let current: Departure | undefined;
  let departedMs = 0;
  let resolveDeparture: (departure: Departure) => void = () => {};
  const departure = new Promise<Departure>((resolve) => {
    resolveDeparture = resolve;
  });

  const depart = (signal: DepartureSignal, exitCode: number = EXIT_CODES[signal]) => {
    if (current) return;
    current = { signal, exitCode };
    departedMs = now();
    setTimeout(() => process.exit(exitCode), GRACE_MS).unref();
    resolveDeparture(current);
  };
  const onSignal = (signal: DepartureSignal) => {
    // A closed terminal sends it several times, at any distance, and no user sends it to make us hurry.
    if (current && signal !== 'SIGHUP' && now() - departedMs > SAME_EVENT_MS) process.exit(current.exitCode);
    depart(signal);
  };
  const onInterruptSignal = () => {
    if (current || !onInterrupt()) onSignal('SIGINT');
  };
  // A pipe without a reader says EPIPE, a terminal that was closed EIO; a file may find no room on its disk.
  const onOutputError = ({ code }: { readonly code?: string }) => {
    if (code === 'EPIPE' || output.isTTY) return depart(code === 'EPIPE' ? 'SIGPIPE' : 'SIGHUP');
    if (!current) errors.write(`ollm: The answers could not be written to standard output (${code}).\n`);
    depart('SIGPIPE', ERROR_CODES.IO_FAILED.exit);
  };
  const ignore = () => {};

  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  process.on('SIGINT', onInterruptSignal);
  output.on('error', onOutputError);
  errors.on('error', ignore);

  return {
    departure,
    get current() {
      return current;
    },
    depart: (signal) => depart(signal),
    stop() {
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onSignal);
      process.off('SIGINT', onInterruptSignal);
    },
  };
}
