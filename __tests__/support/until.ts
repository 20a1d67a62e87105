// Waits as long as a slow machine needs, and not forever: a loop that continues after a failed test would keep Jest
// from its end, and a promise that is never settled keeps the test until its own limit, without a word.
import { setTimeout } from 'node:timers/promises';

/** Far longer than any wait on a machine that does much else. */
const PATIENCE_MS = 120_000;

/** Waits until the condition is true; one that does not answer counts as not true. */
export async function until(condition: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = condition();
    const left = Math.max(0, deadline - performance.now());
    if (typeof answer === 'boolean' ? answer : await inTime(answer, 'A condition', left)) return;
    if (performance.now() > deadline) throw new Error('It never came to that.');
    await setTimeout(10);
  }
}

/** The value of a promise. `name`: the subject of the failure. @throws Error if it is not settled in time */
export async function inTime<Value>(
  work: Promise<Value>,
  name: string,
  patienceMs: number = PATIENCE_MS,
): Promise<Value> {
  const over = new AbortController();
  const late = setTimeout(patienceMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${name} was waited for ${Math.round(patienceMs / 1000)} seconds.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
