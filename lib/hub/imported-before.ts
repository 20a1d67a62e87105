// Which sessions were imported once, in a journal of its own: $OLLM_HOME/hub/imports.jsonl. One that is in
// there and is not in the store any more was deleted by the user, and is imported again only if it is named. It holds
// addresses and no content. Without the file, all that was deleted counts as never imported.
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isOllmError, OllmError } from '../errors/index.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { Damage, DamageKind, JournalStore, JournalWriter, JsonObject, NewEvent } from '../journal/types.ts';

const ID = 'imports';
/** What a killed process leaves: the next note removes it, and nothing is lost. */
const HARMLESS: readonly DamageKind[] = ['torn-tail', 'zero-tail', 'unterminated'];
const PATIENT_TRIES = 50;
const PATIENT_PAUSE_MS = 40;

export interface HubJournal {
  /** The store of the journal's directory. */
  readonly store: JournalStore;
  /** Where imports are. */
  readonly sessions: string;
}

export interface ImportNote {
  /** The id of the journal. */
  readonly id: string;
  readonly address: string;
  /** Lists leave it out, also when its source is gone. */
  readonly isSubagent?: boolean | undefined;
}

/** The ids of all journals that imports made in this directory. */
export async function importedBefore(hub: HubJournal): Promise<Set<string>> {
  return idsNoted(hub, () => true);
}

/** The ids among them that belong to subagents. */
export async function importedSubagents(hub: HubJournal): Promise<Set<string>> {
  return idsNoted(hub, ({ isSubagent }) => isSubagent === true);
}

async function idsNoted(hub: HubJournal, isMeant: (note: JsonObject) => boolean): Promise<Set<string>> {
  const ids = new Set<string>();
  await readNotes(hub, {
    onNote(note) {
      if (note.directory === hub.sessions && isMeant(note)) ids.add(String(note.sessionId));
    },
  });
  return ids;
}

/** Returns the path of the journal; undefined if there is none. */
async function readNotes(
  { store }: HubJournal,
  { onNote, onDamage }: { readonly onNote?: (note: JsonObject) => void; readonly onDamage?: (damage: Damage) => void },
): Promise<string | undefined> {
  if (!(await store.has(ID))) return undefined;
  using reader = store.openReader(ID);
  await everyOutcome(reader.outcomes(), (outcome) => {
    if (outcome.kind === 'damage') onDamage?.(outcome.damage);
    else if (outcome.event.type === 'session.imported') onNote?.(outcome.event.data);
  });
  return reader.path;
}

/**
 * Repairs the journal if lines of it are damaged: readable lines stay, and the damaged file goes to archive/ next to
 * it. Returns sentences for the user; undefined if all is well, or another process writes it.
 */
export async function repairNotes(hub: HubJournal): Promise<string | undefined> {
  const found: Damage[] = [];
  const path = await readNotes(hub, { onDamage: (damage) => void found.push(damage) });
  const [first, ...others] = found.filter(({ kind }) => !HARMLESS.includes(kind));
  if (first === undefined || path === undefined) return undefined;
  try {
    const archive = await repaired(hub.store);
    const more = others.length === 0 ? '' : ` It is the first of ${others.length + 1} damaged places.`;
    return (
      `${path}, the list of what was imported, is damaged at byte ${first.offset}: ${first.reason}${more} ` +
      `What can be read of it is kept; the damaged file is ${join(dirname(path), 'archive', archive)} now. ` +
      'A session that you had deleted may have been imported again: delete it once more.'
    );
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Returns the name of the damaged file under archive/. */
async function repaired(store: JournalStore): Promise<string> {
  try {
    return (await store.repair(ID)).archive;
  } catch (error) {
    if (!isOllmError(error, 'JOURNAL_DAMAGED')) throw error;
    return store.archive(ID, 'damaged');
  }
}

/**
 * While another process notes its own, or the journal cannot be read, nothing is noted here: the next import of a
 * session does it, and so does its deletion.
 */
export async function noteImported(hub: HubJournal, notes: readonly ImportNote[]): Promise<void> {
  if (notes.length === 0) return;
  try {
    await append(hub, notes);
  } catch (error) {
    if (!isBusy(error) && !isOllmError(error, 'JOURNAL_DAMAGED')) throw error;
  }
}

/**
 * Before an import is deleted: without a note of it, it would be imported again. Waits for another process that notes
 * its own.
 * @throws OllmError JOURNAL_LOCKED if that takes more than two seconds or so, JOURNAL_DAMAGED
 */
export async function noteDeleted(hub: HubJournal, note: ImportNote): Promise<void> {
  if ((await importedBefore(hub)).has(note.id)) return;
  for (let tries = 1; ; tries += 1) {
    try {
      await append(hub, [note]);
      return;
    } catch (error) {
      if (isOllmError(error, 'JOURNAL_DAMAGED')) throw unreadable(error);
      if (!isBusy(error) || tries === PATIENT_TRIES) throw error;
      await pause(PATIENT_PAUSE_MS);
    }
  }
}

function unreadable(error: OllmError): OllmError {
  const { path } = error.data as { readonly path?: string };
  return new OllmError('JOURNAL_DAMAGED', `The list of what was imported cannot be read: ${path}`, {
    hint: '"ollm import --all" sets it aside and begins another one. Without it, what you delete would be imported again.',
    data: error.data,
    cause: error,
  });
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
