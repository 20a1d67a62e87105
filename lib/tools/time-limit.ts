// Runs a piece of code that may never come back, such as somebody else's regular expression, and stops it when its time is
// over: from outside, in the middle of a match too. The code runs here and now, on the caller's thread.
import { createContext, Script } from 'node:vm';

interface Box {
  run: () => unknown;
}

let prepared: { readonly script: Script; readonly box: Box } | undefined;

/**
 * What `run` returns, or `stopped` after so many milliseconds. Throws what `run` throws.
 *
 * @example
 * const outcome = withinTime(100, () => /^(a+)+$/.test(text));
 * if ('stopped' in outcome) throw new ToolFailure('That pattern takes too long.');
 */
export function withinTime<Value>(
  limitMs: number,
  run: () => Value,
): { readonly value: Value } | { readonly stopped: true } {
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
