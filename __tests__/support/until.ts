// Waits for a condition as long as a slow machine needs, and not forever: a loop that continues after a failed test
// would keep Jest from its end.
import { setTimeout } from 'node:timers/promises';

/** Far longer than any wait on a machine that does much else. */
const PATIENCE_MS = 120_000;

export async function until(condition: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It never came to that.');
    await setTimeout(10);
  }
}
