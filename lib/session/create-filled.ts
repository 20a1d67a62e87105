// A session that is made of another one: whole, or not at all. Where the disk fills up in the middle, what was copied is
// removed again, because the beginning of a conversation would pass for all of it.
import type { DurabilityPolicy, JournalStore, JournalWriter } from '../journal/types.ts';
import type { CreatedData } from './create.ts';

export interface FilledSession {
  readonly id: string;
  readonly created: CreatedData;
  readonly policy?: DurabilityPolicy | undefined;
  /** Appends what comes behind the first line. */
  fill(writer: JournalWriter): Promise<void>;
}

/** It is closed afterwards. @throws OllmError SESSION_EXISTS, JOURNAL_FULL, JOURNAL_READ_ONLY, and what `fill` throws */
export async function createFilled(store: JournalStore, { id, created, policy, fill }: FilledSession): Promise<void> {
  const writer = await store.create(id, created, { policy });
  try {
    await fill(writer);
    await writer.append({ type: 'session.closed', data: { reason: 'exit' } }, { durability: 'disk' });
  } catch (error) {
    await remove(store, writer);
    throw error;
  }
  await writer.close();
}

/** As far as the disk takes even that: what went wrong first is what the caller has to know. */
async function remove(store: JournalStore, writer: JournalWriter): Promise<void> {
  await writer.close().catch(() => undefined);
  try {
    const { entry } = await store.trash(writer.id);
    await store.purge(entry);
  } catch {
    // It stays in the list, without a `session.closed`.
  }
}
