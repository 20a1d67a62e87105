// Where cases get their journals from: real ones, written by the product's own writer from generated events.
import { openFileStore } from '../lib/journal/file-store.ts';
import type { DurabilityPolicy, JournalStore, JournalWriter, NewEvent } from '../lib/journal/types.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../lib/platform/index.ts';
import { CREATED, generatedEvents } from './generated-session.ts';

const BATCH_EVENTS = 200;

export const dependencies = {
  fileSystem: nodeFileSystem,
  clock: systemClock,
  ids: systemIds,
  process: thisProcess('ollm bench'),
  log: silentLog,
};

export function openStore(directory: string): JournalStore {
  return openFileStore(dependencies, { directory });
}

/** A new journal, open for writing. */
export async function newJournal(
  directory: string,
  { policy = 'barrier' }: { readonly policy?: DurabilityPolicy } = {},
): Promise<JournalWriter> {
  journals += 1;
  return openStore(directory).create(`journal-${journals}`, CREATED, { policy });
}
let journals = 0;

/** Writes a journal of `count` generated events behind its first line, and returns its path. */
export async function writeJournal(
  directory: string,
  id: string,
  count: number,
  options: { readonly seed?: number; readonly maxBytes?: number } = {},
): Promise<{ readonly path: string; readonly bytes: number; readonly events: number }> {
  const store = openStore(directory);
  const writer = await store.create(id, CREATED, { policy: 'process' });
  for (const batch of batches(generatedEvents(count, options), BATCH_EVENTS)) {
    await writer.append(batch);
    if (writer.head.offset >= (options.maxBytes ?? Number.POSITIVE_INFINITY)) break;
  }
  const { offset, seq } = writer.head;
  await writer.close();
  const reader = store.openReader(id);
  reader.close();
  return { path: reader.path, bytes: offset, events: seq + 1 };
}

export function* batches<Event extends NewEvent>(events: Iterable<Event>, size: number): Generator<Event[]> {
  let batch: Event[] = [];
  for (const event of events) {
    batch.push(event);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
