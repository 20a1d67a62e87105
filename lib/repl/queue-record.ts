// Keeps the messages that wait as events of the session, without secrets. Each awaits its user: no server begins it. A
// message that could not be kept waits nevertheless: the failure of the journal is reported where the next turn meets
// it.
import type { NewOllmEvent } from '../events/index.ts';
import type { CommandContext } from './commands/command.ts';
import type { QueueRecord } from './queue.ts';

/** A text beyond this waits in memory alone. */
const LONGEST_KEPT = 256 * 1024;

/** `context` is asked each time, because the session may be another one. */
export function queueRecord(context: () => CommandContext): QueueRecord {
  let last: Promise<unknown> = Promise.resolve();
  const store = (eventOf: () => Promise<NewOllmEvent>) => {
    const { app, conversation } = context();
    const { session } = conversation;
    last = last
      .then(async () => session.append(await eventOf()))
      .catch((error: unknown) => {
        app.log.warn({ service: 'repl', operation: 'queue', sessionId: session.id, error }, 'A prompt is not kept');
      });
  };
  return {
    added(text) {
      if (text.length > LONGEST_KEPT) return undefined;
      const { app } = context();
      const promptId = app.ids.uuid();
      const queuedAt = new Date(app.clock.now()).toISOString();
      store(async () => {
        const { text: safe } = (await app.redactor())(text);
        return { type: 'queue.changed', data: { added: [{ promptId, text: safe, queuedAt, awaits: 'user' }] } };
      });
      return promptId;
    },
    removed: (promptIds) => store(async () => ({ type: 'queue.changed', data: { removed: [...promptIds] } })),
  };
}
