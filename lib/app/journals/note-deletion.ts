// Notes that an import is about to be deleted: a killed deletion may not have noted it afterwards, and a session that
// the user deleted must not be imported again.
import { noteDeleted } from '../../hub/imported-before.ts';
import type { JournalStore } from '../../journal/types.ts';
import { sourceAddress } from '../../session/is-import.ts';
import { type HubPorts, hubJournal } from './hub-journal.ts';

/**
 * Does nothing for a session that is not an import.
 *
 * @throws OllmError as `noteDeleted`: then nothing is to be deleted
 */
export async function noteDeletion(store: JournalStore, id: string, ports: HubPorts): Promise<void> {
  const address = (await store.has(id)) ? await sourceAddress(store, id) : undefined;
  if (address !== undefined) await noteDeleted(hubJournal(ports), { id, address });
}
