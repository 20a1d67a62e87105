// Where cases get their journals from: real ones, written by the product's own writer from generated events.
import { join } from 'node:path';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore, JournalWriter, NewEvent } from '../../lib/journal/types.ts';
import {
  type FileSystem,
  nodeFileSystem,
  silentLog,
  systemClock,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import type { Session } from '../../lib/session/session.ts';
import { CREATED, generatedEvents, generatedTurns } from './generated-session.ts';

const BATCH_EVENTS = 200;
let journals = 0;

export function openStore(directory: string, fileSystem: FileSystem = nodeFileSystem): JournalStore {
  const dependencies = { clock: systemClock, ids: systemIds, process: thisProcess('ollm bench'), log: silentLog };
  return openFileStore({ ...dependencies, fileSystem }, { directory });
}

/** A new journal, open for writing. */
export function newJournal(directory: string, fileSystem?: FileSystem): Promise<JournalWriter> {
  return openStore(directory, fileSystem).create(`journal-${++journals}`, CREATED);
}

/** Writes a journal of generated events, that many bytes long. */
export async function writeJournal(directory: string, id: string, { bytes }: { readonly bytes: number }) {
  const writer = await openStore(directory).create(id, CREATED, { policy: 'process' });
  for (const batch of batches(generatedEvents(Number.POSITIVE_INFINITY), BATCH_EVENTS)) {
    await writer.append(batch);
    if (writer.head.offset >= bytes) break;
  }
  const { offset, seq } = writer.head;
  await writer.close();
  return { path: join(directory, `${id}.jsonl`), bytes: offset, events: seq + 1 };
}

export function* batches<Event extends NewEvent>(events: Iterable<Event>, size: number): Generator<Event[]> {
  let batch: Event[] = [];
  for (const event of events) {
    batch.push(event);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Where the program keeps the sessions of a home directory. */
export function sessionsDirectory(home: string): string {
  return join(home, 'session-data');
}

/** An open session, which keeps its states as the program does. Only saves wait for the device. */
export function newSession(directory: string, id: string, fileSystem?: FileSystem): Promise<Session> {
  const options = { policy: 'process', log: silentLog } as const;
  return createSession(openStore(directory, fileSystem), { id, created: CREATED }, options);
}

/** An open session of at least that many events. */
export async function sessionOf(directory: string, id: string, events: number): Promise<Session> {
  const session = await newSession(directory, id);
  for (const turn of generatedTurns()) {
    await session.append(turn);
    if (session.writer.head.seq >= events) break;
  }
  return session;
}

/** The disk, with another way to sync a file. */
export function fileSystemWith(syncBy: (sync: () => Promise<void>) => Promise<void>): FileSystem {
  return {
    ...nodeFileSystem,
    open(...given) {
      const handle = nodeFileSystem.open(...given);
      const [sync, dataSync] = [handle.sync.bind(handle), handle.dataSync.bind(handle)];
      return Object.assign(handle, { sync: () => syncBy(sync), dataSync: () => syncBy(dataSync) });
    },
  };
}

/** A session made only for a measurement need not survive anything. */
const hastyFileSystem: FileSystem = { ...fileSystemWith(async () => {}), syncDirectory: async () => {} };

/** Many short sessions, each closed in order: journal, state file and snapshot. */
export async function writeSessions(directory: string, count: number): Promise<void> {
  const source = generatedTurns();
  for (let number = 0; number < count; number++) {
    const session = await newSession(directory, `session-${String(number).padStart(6, '0')}`, hastyFileSystem);
    for (const turn of [1, 2]) await session.append(source.next().value!.map((event) => ({ ...event, turn })));
    await session.close('exit');
  }
}
