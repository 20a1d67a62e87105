// Common steps of every use case that reads a whole journal: an empty file is reported as such, and an incomplete
// result is marked.
import { OllmError } from '../../errors/index.ts';
import { FORMAT, isSessionId } from '../../journal/format.ts';
import type { EventReader, JournalReader } from '../../journal/types.ts';
import { describeDamage } from '../../session/describe-opening.ts';
import type { App } from '../app.ts';
import { readJournal } from '../journals/read-journal.ts';

type Stored = Pick<App, 'store'>;

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export async function openForReading({ store }: Stored, id: string, archive?: string): Promise<JournalReader> {
  const reader = store.openReader(id, archive);
  // A writer that has just made it is about to write its first line.
  if ((await reader.size()) > 0 || (await reader.isBeingWritten())) return reader;
  reader.close();
  throw new OllmError('JOURNAL_EMPTY', `Journal ${id} is empty: its first line was never written. ${reader.path}`, {
    hint: `Nothing in it was ever acknowledged: "ollm delete ${id}" removes it.`,
    data: { id, path: reader.path },
  });
}

/** Whether a conversation is a journal, with lines and checksums. */
export function isJournal(reader: EventReader): reader is JournalReader {
  return 'backwards' in reader;
}

/** `id`: of a journal that is there. */
export async function countDamage(app: Stored, id: string): Promise<number> {
  using reader = await openForReading(app, id);
  return (await reader.verify()).damaged;
}

/**
 * Why a result may lack something, one sentence each with what to do. `id`: also the address of a session of another
 * program. `places`: how many were found damaged.
 */
export async function readingCautions(app: Stored, id: string, places: number): Promise<string[]> {
  if (!isSessionId(id)) return places > 0 ? [describeForeignDamage(id, places)] : [];
  return [...(await newerFormat(app, id)), ...(places > 0 ? [describeDamage(id, places)] : [])];
}

function describeForeignDamage(address: string, places: number): string {
  const subject = places === 1 ? 'One place' : `${places} places`;
  return `${subject} in the file of ${address} could not be read, and was passed over. Nothing was changed there.`;
}

async function newerFormat({ store }: Stored, id: string): Promise<string[]> {
  // An archived journal may be all that is left of it.
  if (!(await store.has(id))) return [];
  const first = await readJournal(store, id, (reader) => reader.first());
  // Both are in the clear, also in an encrypted session.
  const { format, ollm } = first?.data ?? {};
  if (typeof format !== 'number' || format <= FORMAT) return [];
  const version = typeof ollm === 'string' ? `ollm ${ollm} or newer` : 'a newer ollm';
  return [
    `Journal ${id} has format ${format}, and this version knows format ${FORMAT}: what is new in it may be left out. Get ${version}.`,
  ];
}
