// Runs a piece of code that may never come back, such as a regular expression of a model, and stops it when its time
// is over: from outside, in the middle of a match too. The code runs here and now, on the caller's thread.
import { createContext, Script } from 'node:vm';

interface Box {
  run: () => unknown;
}

/** How often it is run at most where the machine did something else in its time. */
const ATTEMPTS = 3;

let prepared: { readonly script: Script; readonly box: Box } | undefined;

/**
 * The result of `run`, or `stopped` after `limitMs`. Throws the errors of `run`. If it hardly had the processor in that
 * time, because the machine is busy, it is run again: `run` must tolerate a stop at any place.
 *
 * @example
 * const outcome = withinTime(100, () => /^(a+)+$/.test(text));
 * if ('stopped' in outcome) throw new ToolFailure('That pattern takes too long.');
 */
export function withinTime<Value>(
  limitMs: number,
  run: () => Value,
): { readonly value: Value } | { readonly stopped: true } {
  for (let attempt = 1; ; attempt += 1) {
    const before = process.threadCpuUsage();
    const outcome = runOnce(limitMs, run);
    if (!('stopped' in outcome)) return outcome;
    const { user, system } = process.threadCpuUsage(before);
    const hadTheProcessor = user + system > (limitMs * 1000) / 2;
    if (hadTheProcessor || attempt === ATTEMPTS) return outcome;
  }
}

function runOnce<Value>(limitMs: number, run: () => Value): { readonly value: Value } | { readonly stopped: true } {
  prepared ??= prepare();
  const { script, box } = prepared;
  box.run = run;
  try {
    return { value: script.runInContext(box, { timeout: limitMs }) as Value };
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { stopped: true };
    throw error;
  } finally {
    box.run = () => undefined;
  }
}

/** A context of its own takes milliseconds to make, so there is one for all calls. */
function prepare() {
  const box: Box = { run: () => undefined };
  createContext(box);
  return { script: new Script('run()'), box };
}
