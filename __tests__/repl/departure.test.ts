// Each in a process of its own, which is what a departure ends.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import type { DepartureSignal } from '../../lib/repl/departure.ts';

const LIBRARY = pathToFileURL('lib/repl/departure.ts').href;
/** No signal ends a process with this. */
const WENT_ON = 7;

/** The exit code of a REPL that still closes its session when it has got these. */
function endOf(signals: readonly DepartureSignal[], distanceMs: number): number | null {
  const script = `
    const { watchForDeparture } = await import(${JSON.stringify(LIBRARY)});
    let ms = 0;
    const { stdout: output, stderr: errors } = process;
    watchForDeparture({ output, errors, now: () => ms, onInterrupt: () => false });
    for (const signal of ${JSON.stringify(signals)}) {
      process.emit(signal, signal);
      ms += ${distanceMs};
    }
    process.exit(${WENT_ON});`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script]).status;
}

describe('signals while the session is closed in order', () => {
  it.each<[string, readonly DepartureSignal[], number, number]>([
    ['a signal that a parent passes on is the same one', ['SIGTERM', 'SIGTERM'], 100, WENT_ON],
    ['a later one ends it immediately', ['SIGTERM', 'SIGTERM'], 1500, 143],
    ['a later Ctrl+C too', ['SIGINT', 'SIGINT'], 1500, 130],
    ['the loss of the terminal is reported at any time', ['SIGHUP', 'SIGHUP', 'SIGHUP'], 3000, WENT_ON],
    ['a terminal that is gone does not keep others from ending it', ['SIGHUP', 'SIGTERM'], 1500, 129],
  ])('%s', (_, signals, distanceMs, end) => {
    expect(endOf(signals, distanceMs)).toBe(end);
  });
});
