// Which sessions were imported once, in a journal of its own: $OLLM_HOME/hub/imports.jsonl. One that is in
// there and is not in the store any more was deleted by the user, and is imported again only if it is named. It holds
// addresses and no content. Without the file, all that was deleted counts as never imported.
import { setTimeout as pause } from 'node:timers/promises';
import { isOllmError } from '../errors/index.ts';
import type { JournalStore, JournalWriter, JsonObject, NewEvent } from '../journal/types.ts';

const ID = 'imports';
const PATIENT_TRIES = 50;
const PATIENT_PAUSE_MS = 40;

export interface HubJournal {
  /** Of the directory that the journal is in. */
  readonly store: JournalStore;
  /** Where imports are. */
  readonly sessions: string;
}

export interface ImportNote {
  /** Of the journal. */
  readonly id: string;
  readonly address: string;
  /** Lists leave it out, also when its source is gone. */
  readonly isSubagent?: boolean | undefined;
}

/** The ids of all journals that imports made in this directory. */
export async function importedBefore(hub: HubJournal): Promise<Set<string>> {
  return idsNoted(hub, () => true);
}

/** Those of them that are of subagents. */
export async function importedSubagents(hub: HubJournal): Promise<Set<string>> {
  return idsNoted(hub, ({ isSubagent }) => isSubagent === true);
}

async function idsNoted({ store, sessions }: HubJournal, isMeant: (note: JsonObject) => boolean): Promise<Set<string>> {
  const ids = new Set<string>();
  if (!(await store.has(ID))) return ids;
  const reader = store.openReader(ID);
  try {
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage' || outcome.event.type !== 'session.imported') continue;
        const { sessionId, directory } = outcome.event.data;
        if (directory === sessions && isMeant(outcome.event.data)) ids.add(String(sessionId));
      }
    }
  } finally {
    reader.close();
  }
  return ids;
}

/** While another process notes its own, nothing is noted here: the next import of a session does it. */
export async function noteImported(hub: HubJournal, notes: readonly ImportNote[]): Promise<void> {
  if (notes.length === 0) return;
  try {
    await append(hub, notes);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/**
 * Before an import is deleted: without a note of it, it would be imported again. Waits for another process that notes
 * its own.
 * @throws OllmError JOURNAL_LOCKED if that takes more than two seconds or so
 */
export async function noteDeleted(hub: HubJournal, note: ImportNote): Promise<void> {
  if ((await importedBefore(hub)).has(note.id)) return;
  for (let tries = 1; ; tries += 1) {
    try {
      await append(hub, [note]);
      return;
    } catch (error) {
      if (!isBusy(error) || tries === PATIENT_TRIES) throw error;
      await pause(PATIENT_PAUSE_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return isOllmError(error, 'JOURNAL_LOCKED') || isOllmError(error, 'SESSION_EXISTS');
}

async function append({ store, sessions }: HubJournal, notes: readonly ImportNote[]): Promise<void> {
  const writer = await open(store);
  try {
    const events = notes.map(
      ({ id, address, isSubagent }): NewEvent => ({
        type: 'session.imported',
        data: { sessionId: id, address, directory: sessions, ...(isSubagent ? { isSubagent } : {}) },
        ignorable: true,
      }),
    );
    await writer.append([...events, { type: 'session.closed', data: { reason: 'exit' } }], { durability: 'disk' });
  } finally {
    await writer.close();
  }
}

/** A process that was killed while it made the journal leaves a file without a whole first line: made again. */
async function open(store: JournalStore): Promise<JournalWriter> {
  const created = { model: '', provider: '', ollm: '' };
  if (!(await store.has(ID))) return store.create(ID, created);
  try {
    return await store.openWriter(ID);
  } catch (error) {
    if (!isOllmError(error, 'JOURNAL_EMPTY')) throw error;
    return store.create(ID, created);
  }
}
