// Removes a session permanently: its generation, those in the archive that it replaced, bytes taken off its end, and
// the blobs that no other journal names. As on a disk, the journal names its relics. Blobs stay if their use is
// unknown: a journal is damaged, a writer is open, or the blob was stored again since.
import { blobNamesIn, isBlobName } from '../journal/format.ts';
import { parseTrashEntry } from '../journal/paths.ts';
import { eventsOf } from '../journal/reading/outcomes.ts';
import { ForwardReading } from '../journal/reading/scan.ts';
import { notedIn } from '../journal/reading/survey.ts';
import { notInTrash } from '../journal/refusals.ts';
import { type NatsSession, serverTime } from './connection.ts';
import { asked } from './errors.ts';
import { forgetIfGone } from './forget.ts';
import { removeGeneration, type StorePorts } from './generations.ts';
import { headersOf } from './headers.ts';
import { OBJECT, parseSubject } from './layout.ts';
import { isAnyHeld } from './lease.ts';
import { removeObject, storedMs } from './objects.ts';
import { changeRecord, readRecord, type SessionRecord } from './record.ts';
import { sourceOf } from './stream-source.ts';

const SEALED = '"data":{"sealed":"';

/** Objects that a purge removes in addition to the journal. */
interface Belongings {
  readonly archived: Set<string>;
  readonly quarantined: Set<string>;
  readonly blobs: Set<string>;
}

/** @throws OllmError TRASH_NOT_FOUND */
export async function purgeTrashed(session: NatsSession, ports: StorePorts, entry: string): Promise<void> {
  const id = parseTrashEntry(entry)?.id;
  if (id === undefined) throw notInTrash(entry);
  const held = await readRecord(session, id);
  const { record } = held;
  const trashed = record.trash.find((each) => each.entry === entry);
  if (!trashed) throw notInTrash(entry);

  const blobs = await namesOfBlobs(session);
  const belongings: Belongings = { archived: new Set(), quarantined: new Set(), blobs: new Set() };
  await gather(session, id, trashed.generation, record, blobs, belongings);
  const going = record.archived.filter(({ name }) => belongings.archived.has(name));
  const rest: SessionRecord = {
    ...record,
    trash: record.trash.filter((each) => each !== trashed),
    archived: record.archived.filter((each) => !going.includes(each)),
    change: ports.ids.token(),
  };
  await changeRecord(session, id, held, rest);
  for (const { generation } of [trashed, ...going]) await removeGeneration(session, id, generation);
  for (const name of trashed.suspects ?? []) await removeObject(session, OBJECT.suspect(name));
  for (const name of belongings.quarantined) await removeObject(session, OBJECT.quarantined(name));
  await removeUnneeded(session, ports, belongings.blobs, { sinceMs: trashed.trashedMs, isSealedRead: true });
  await forgetIfGone(session, id);
}

/** A blob that is newer may be of a copy that is under way: its journal comes last. */
const SETTLED_AFTER_MS = 60 * 60 * 1000;

/** Removes the blobs that no journal names any more, of purges that could not decide. Returns how many. */
export async function sweepBlobs(session: NatsSession, ports: StorePorts): Promise<number> {
  const blobs = await namesOfBlobs(session);
  const sinceMs = (await serverTime(session)) - SETTLED_AFTER_MS;
  return removeUnneeded(session, ports, blobs, { sinceMs, isSealedRead: false });
}

interface Rules {
  /** Blobs that were stored later stay. */
  readonly sinceMs: number;
  /** Whether a sealed line counts as naming what its writer listed, and nothing else; if not, it keeps all blobs. */
  readonly isSealedRead: boolean;
}

async function removeUnneeded(
  session: NatsSession,
  ports: StorePorts,
  candidates: ReadonlySet<string>,
  rules: Rules,
): Promise<number> {
  try {
    const names = await unneeded(session, candidates, rules);
    for (const name of names) await removeObject(session, OBJECT.blob(name));
    return names.length;
  } catch (error) {
    const fields = { service: 'store', operation: 'purge', error };
    ports.log.warn(fields, 'Attachments stay: it cannot be decided whether another session needs them');
    return 0;
  }
}

async function namesOfBlobs(session: NatsSession): Promise<Set<string>> {
  return new Set((await namesOf(session, OBJECT.blobs)).filter(isBlobName));
}

async function namesOf({ objects }: NatsSession, folder: string): Promise<string[]> {
  const all = await asked('Cannot list the attachments', () => objects.list());
  const names = all.filter(({ name, deleted }) => !deleted && name.startsWith(folder));
  return names.map(({ name }) => name.slice(folder.length));
}

/** The names in a generation, and those in the archived generations that it names. */
async function gather(
  session: NatsSession,
  id: string,
  generation: string,
  record: SessionRecord,
  blobs: ReadonlySet<string>,
  into: Belongings,
): Promise<void> {
  const source = await sourceOf(session, session.layout.subject(id, generation));
  if (!source) return;
  // A fork carries the notes of its source session: names that begin with another id are not its own.
  const isOwn = (name: unknown): name is string => typeof name === 'string' && name.startsWith(`${id}.`);
  const found: string[] = [];
  try {
    for await (const batch of new ForwardReading(source, { isBeingWritten: () => false }).batches()) {
      for (const event of eventsOf(batch)) {
        const { archive, quarantine } = notedIn(event);
        if (isOwn(archive)) found.push(archive);
        if (isOwn(quarantine)) into.quarantined.add(quarantine);
        for (const name of namesIn(event.raw, blobs)) into.blobs.add(name);
      }
    }
  } finally {
    source.close();
  }
  for (const name of found) {
    const archived = record.archived.find((each) => each.name === name);
    if (!archived || into.archived.has(name)) continue;
    into.archived.add(name);
    await gather(session, id, archived.generation, record, blobs, into);
  }
}

function namesIn(bytes: Uint8Array, among: ReadonlySet<string>): Iterable<string> {
  if (among.size === 0) return [];
  return blobNamesIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), among);
}

/** Blobs that no journal of the store names any more: each journal is read. */
async function unneeded(
  session: NatsSession,
  candidates: ReadonlySet<string>,
  { sinceMs, isSealedRead }: Rules,
): Promise<string[]> {
  if (candidates.size === 0) return [];
  if (await isAnyHeld(session)) throw new Error('A session is open');
  const left = new Set(candidates);
  for (const subject of await allSubjects(session)) {
    const source = await sourceOf(session, subject);
    if (!source) continue;
    try {
      for await (const batch of new ForwardReading(source, { isBeingWritten: () => false }).batches()) {
        for (const outcome of batch) {
          if (outcome.kind === 'damage') throw new Error(`${parseSubject(subject).id} is damaged`);
          const { raw } = outcome.event;
          if (!isSealedRead && Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).includes(SEALED)) {
            throw new Error(`${parseSubject(subject).id} is encrypted`);
          }
          for (const name of namesIn(raw, left)) left.delete(name);
        }
      }
    } finally {
      source.close();
    }
    if (left.size === 0) return [];
  }
  for (const name of await namesOf(session, OBJECT.quarantine)) {
    const bytes = await asked(`Cannot read ${name}`, () => session.objects.getBlob(OBJECT.quarantined(name)));
    for (const blob of namesIn(bytes ?? new Uint8Array(), left)) left.delete(blob);
  }
  if (await isAnyHeld(session)) throw new Error('A session was opened');
  const unnamed: string[] = [];
  // Storing a blob again renews it: a newer one is about to be named.
  for (const name of left) if ((await storedMs(session, OBJECT.blob(name))) <= sinceMs) unnamed.push(name);
  return unnamed;
}

async function allSubjects(session: NatsSession): Promise<Set<string>> {
  const subjects = new Set<string>();
  for await (const { subject } of headersOf(session, 0)) subjects.add(subject);
  return subjects;
}
