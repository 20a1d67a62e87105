// Some programs lose a session that they go on with in the minute in which it began.
import type { App } from '../../app/app.ts';
import { systemSleep } from '../../platform/waiting.ts';

const MINUTE_MS = 60_000;
const POLL_MS = 250;

/** Waits for the minute after that of `startedAt`, in RFC 3339. */
export async function pastMinute(
  { clock }: Pick<App, 'clock'>,
  startedAt: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const began = Math.floor(Date.parse(startedAt ?? '') / MINUTE_MS);
  while (Math.floor(clock.now() / MINUTE_MS) === began && !signal.aborted) await systemSleep(POLL_MS, signal);
}
