// Notes that an import is about to be deleted: a killed deletion may not have noted it afterwards, and a session that
// the user deleted must not be imported again.
import { noteDeleted } from '../../hub/imported-before.ts';
import type { JournalStore } from '../../journal/types.ts';
import { type HubPorts, hubJournal } from './hub-journal.ts';

/**
 * Does nothing for a session that is not an import.
 *
 * @throws OllmError as `noteDeleted`: then nothing is to be deleted
 */
export async function noteDeletion(store: JournalStore, id: string, ports: HubPorts): Promise<void> {
  const address = await addressOf(store, id);
  if (address !== undefined) await noteDeleted(hubJournal(ports), { id, address });
}

/** The address of the session that it was imported from; undefined if it is not an import, or cannot be read. */
async function addressOf(store: JournalStore, id: string): Promise<string | undefined> {
  if (!(await store.has(id))) return undefined;
  const reader = store.openReader(id);
  try {
    const { origin, imported } = ((await reader.first())?.data ?? {}) as {
      readonly origin?: { readonly address?: unknown };
      readonly imported?: unknown;
    };
    return imported === true && typeof origin?.address === 'string' ? origin.address : undefined;
  } catch {
    return undefined;
  } finally {
    reader.close();
  }
}
