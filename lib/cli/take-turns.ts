// Lets signals and timers in while a long reading continues: a generator that never waits would keep Ctrl+C out.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../errors/index.ts';

const TURN_MS = 50;

/** To be awaited now and then. @throws OllmError INTERRUPTED once `signal` is aborted */
export function turnTaker(signal: AbortSignal): () => Promise<void> {
  let turnBegan = performance.now();
  return async () => {
    if (performance.now() - turnBegan >= TURN_MS) {
      await setImmediate();
      turnBegan = performance.now();
    }
    if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
  };
}
