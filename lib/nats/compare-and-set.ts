// Changes one entry of the bucket of names if it is still as it was read. As with messages, the outcome is looked up
// and never guessed: a value that carries a token of its own is known again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KvEntry } from './client.ts';
import type { NatsSession } from './connection.ts';
import { asked, isWrongLastSequence } from './errors.ts';

const PAUSE_MS = 100;

interface EntryChange {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision that it was read with; 0 if there was no entry. */
  readonly revision: number;
  /** Whether an entry is what this change would have made. */
  readonly isOurs: (entry: KvEntry) => boolean;
}

/**
 * The new revision; undefined if another process changed the entry. Almost always this change then never takes place:
 * only where its answer was lost, the other one may have come on top of it. What a caller made for it stays, until the
 * entry was read again.
 * @throws OllmError STORE_UNREACHABLE, JOURNAL_FULL: the change may still take place
 */
export async function compareAndSet(session: NatsSession, change: EntryChange): Promise<number | undefined> {
  const { names, patienceMs } = session;
  const { key, value, revision, isOurs } = change;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await names.put(key, value, { previousSeq: revision });
    } catch (error) {
      const now = await names.get(key).catch(() => undefined);
      if (now && isOurs(now)) return now.revision;
      const isChanged = now !== undefined && (now?.revision ?? 0) !== revision;
      if (isChanged && isWrongLastSequence(error)) return undefined;
      if (performance.now() > deadline || session.connection.isClosed()) {
        return asked('Cannot change a name', () => Promise.reject(error));
      }
      await sleep(PAUSE_MS);
    }
  }
}
