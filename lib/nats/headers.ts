// A pass over the messages of all journals, reading only their headers. It ends even if messages are removed meanwhile,
// so that the last one never comes, and begins again if the server with its consumer went away.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { NatsSession } from './connection.ts';
import { Pull, type PulledMessage, pendingIn } from './pull.ts';

/** A consumer that sends nothing for this time is replaced by a new one, which tells whether there is anything left. */
const SILENT_AFTER_MS = 3_000;

/**
 * From a sequence on; from 0, the last message of each subject. Where it begins again, those come once more.
 * @throws OllmError STORE_UNREACHABLE
 */
export async function* headersOf(session: NatsSession, from: number): AsyncGenerator<PulledMessage, void, void> {
  let next = from;
  let pull: Pull | undefined;
  try {
    for (let waitedMs = 0; waitedMs < session.patienceMs; waitedMs += SILENT_AFTER_MS) {
      pull ??= await beginning(session, next);
      if (!pull) continue;
      if (pull.isEmpty) return;
      do {
        for (let message = pull.take(); message; message = pull.take()) {
          waitedMs = 0;
          if (from > 0) next = message.sequence + 1;
          yield message;
          if (pendingIn(message) === 0) return;
        }
      } while (await pull.arrival(SILENT_AFTER_MS));
      pull.end();
      pull = undefined;
    }
  } finally {
    pull?.end();
  }
  throw new OllmError('STORE_UNREACHABLE', 'The server stopped listing the journals before their end.', {
    hint: 'Check that the servers of "store" are up, and try again.',
  });
}

async function beginning(session: NatsSession, from: number): Promise<Pull | undefined> {
  try {
    return await Pull.beginHeaders(session, from);
  } catch (error) {
    if (!isOllmError(error, 'STORE_UNREACHABLE')) throw error;
    await sleep(SILENT_AFTER_MS);
    return undefined;
  }
}
