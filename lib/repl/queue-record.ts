// Keeps the messages that wait as prompts of the session. Each awaits its user: no server begins it. A message that
// could not be kept waits nevertheless: the failure of the journal is reported where the next turn meets it.
import type { App } from '../app/app.ts';
import type { Leader } from '../lead/leader.ts';
import type { QueueRecord } from './queue.ts';

/** A longer text waits only in memory. */
const LONGEST_KEPT = 256 * 1024;

/** `redact`: takes secrets out of a text. */
export function queueRecord(
  { ids, clock, log }: Pick<App, 'ids' | 'clock' | 'log'>,
  leader: Leader,
  redact: (text: string) => string,
): QueueRecord {
  const warn = (error: unknown) => {
    log.warn({ service: 'repl', operation: 'queue', sessionId: leader.id, error }, 'A prompt is not kept');
  };
  return {
    prompts: () => leader.prompts,
    added(text) {
      if (text.length > LONGEST_KEPT) return undefined;
      const promptId = ids.uuid();
      const queuedAt = new Date(clock.now()).toISOString();
      leader.add({ promptId, text: redact(text), queuedAt, awaits: 'user' }).catch(warn);
      return promptId;
    },
    removed(promptIds) {
      for (const promptId of promptIds) leader.remove(promptId).catch(warn);
    },
  };
}
