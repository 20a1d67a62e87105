// All sessions of one tenant on servers of NATS: a store like that of a directory, held by the same contract. Puts the
// parts together; each keeps its own promise. Connects at its first use, and not before.

import { OllmError } from '../errors/index.ts';
import { archiveNameOf, freeName, journalName, parseTrashEntry } from '../journal/paths.ts';
import { existsError, isThereAgain, notFound, notInTrash } from '../journal/refusals.ts';
import type { JournalBytes, JournalStore, TrashEntry } from '../journal/types.ts';
import { beginJournal } from '../journal/writing/opening.ts';
import { repairJournal } from '../journal/writing/repair.ts';
import { readFile } from '../platform/files/io.ts';
import { memoryFileSystem } from '../platform/files/memory-file-system.ts';
import type { Client, Connection } from './client.ts';
import { connectTo, type NatsPlace, openSession, type Session, serverTime } from './connection.ts';
import { asked } from './errors.ts';
import { forgetIfGone } from './forget.ts';
import {
  emptyGeneration,
  fence,
  fillGeneration,
  removeGeneration,
  type StorePorts,
  storeGeneration,
} from './generations.ts';
import { layoutOf } from './layout.ts';
import { holderOf, isAnyHeld, takeLease } from './lease.ts';
import { allRecords, Listing } from './listing.ts';
import { namesInDoubt, problemOfNames } from './lost-names.ts';
import { objectsOf, removeDocuments } from './objects.ts';
import { isPasswordOpen } from './open-password.ts';
import { prepareStore } from './prepare.ts';
import { purgeTrashed, sweepBlobs } from './purge.ts';
import { changeRecord, generationsOf, type HeldRecord, readRecord, type SessionRecord } from './record.ts';
import { openStreamReader } from './stream-reader.ts';
import { sourceOf } from './stream-source.ts';
import { bytesOf, openStreamWriter } from './stream-writer.ts';

export interface NatsStoreOptions {
  readonly place: NatsPlace;
  /** Loads the client's packages: `loadClient`. */
  readonly client: () => Client;
}

/** What a store on servers is like now. */
export interface StoreReport {
  /** Of nats-server. */
  readonly version: string;
  /** The stream of the journals, that of the names and that of the attachments. */
  readonly streams: readonly StreamReport[];
  /** Whether a password or a token goes to another machine unencrypted. */
  readonly isPasswordOpen: boolean;
}

export interface StreamReport {
  readonly name: string;
  /** Copies, and how many of them are away or have not caught up. */
  readonly replicas: number;
  readonly behind: number;
}

/** A store, and what only one on servers has. */
export interface StoreOnServers extends JournalStore, JournalBytes {
  /** Makes the stream and the buckets of the tenant, if they are not there. */
  prepare(): Promise<{ readonly made: boolean }>;
  report(): Promise<StoreReport>;
  /** What crashes left: generations without a name. */
  unnamed(): Promise<readonly { readonly id: string; readonly generation: string; readonly bytes: number }[]>;
  /** Why those may be sessions whose names were lost, which `sweep` does not remove; undefined if they are not. */
  problemOfNames(): Promise<string | undefined>;
  /**
   * Removes those, the names of sessions of which nothing is left, and attachments that no journal names and that are
   * older than an hour, unless a session is open. Returns how many generations and attachments. Attachments stay while
   * a session is damaged or encrypted: what it names cannot be known.
   * @throws OllmError JOURNAL_LOCKED; STORE_NOT_READY: the names may be lost, and nothing was removed
   */
  sweep(): Promise<{ readonly generations: number; readonly attachments: number }>;
  disconnect(): Promise<void>;
}

/** The same with its connection, for tests and for what is built on it. */
export interface NatsStore extends StoreOnServers {
  /** Made at the first use, and checked. */
  session(): Promise<Session>;
}

/**
 * @example
 * const store = openNatsStore(ports, { place: { servers: ['nats://127.0.0.1:4222'], tenant: 'default' }, client });
 * const writer = await store.create('notes', { model: 'llama3.2:3b', provider: 'ollama', ollm: '1.0.0' });
 * @throws OllmError CONFIG_INVALID; the first use: STORE_CLIENT_MISSING, STORE_UNREACHABLE, STORE_REFUSED,
 * STORE_NOT_READY
 */
export function openNatsStore(ports: StorePorts, { place, client: load }: NatsStoreOptions): NatsStore {
  const layout = layoutOf(place.tenant);
  const location = `${place.servers.join(',')}/${place.tenant}`;
  const listing = new Listing();
  let connection: Promise<Connection> | undefined;
  let session: Promise<Session> | undefined;

  const connected = () => {
    connection ??= connectTo(load(), place, `ollm: ${ports.process.command}`).catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  };
  const open = () => {
    session ??= connected()
      .then((each) => openSession(load(), each, place, layout))
      .catch((error: unknown) => {
        session = undefined;
        throw error;
      });
    return session;
  };
  const name = (id: string) => ({ id, path: `${location}/${journalName(id)}` });

  /** Runs an action on a session while no other process can open it for writing. */
  async function whileHeld<Result>(
    id: string,
    action: (each: Session, held: HeldRecord) => Promise<Result>,
  ): Promise<Result> {
    name(id);
    const each = await open();
    const lease = await takeLease(each, id, ports.ids.token(), ports);
    try {
      return await action(each, await readRecord(each, id));
    } finally {
      await lease.close();
    }
  }
  /** The same for one that has a journal. */
  async function whileJournalHeld<Result>(
    id: string,
    action: (each: Session, held: HeldRecord, live: string) => Promise<Result>,
  ): Promise<Result> {
    const there = await readRecord(await open(), name(id).id);
    if (there.record.live === undefined) throw notFound(name(id));
    return whileHeld(id, async (each, held) => {
      const { live } = held.record;
      if (live === undefined) throw notFound(name(id));
      return action(each, held, live);
    });
  }
  const change = (each: Session, id: string, held: HeldRecord, record: Omit<SessionRecord, 'change'>) =>
    changeRecord(each, id, held, { ...record, change: ports.ids.token() });

  /** Puts a generation in the place of the live one, which goes into the archive. */
  async function replaced(
    id: string,
    { suffix, supersedes }: { readonly suffix?: string; readonly supersedes?: string | undefined },
    make: (each: Session, archive: string, live: string) => Promise<string>,
  ): Promise<string> {
    return whileJournalHeld(id, async (each, held, live) => {
      const { record } = held;
      const archive = freeArchiveName(record, id, suffix);
      const generation = await make(each, archive, live);
      await fence(each, ports, { ...name(id), generation: live });
      await removeDocuments(each, id);
      const earlier = record.archived.find((one) => one.name === supersedes);
      const kept = record.archived.filter((one) => one !== earlier);
      const archived = [...kept, { name: archive, generation: live }];
      // Where this fails, the new generation stays: it may have its name all the same.
      await change(each, id, held, { ...record, live: generation, archived });
      if (earlier) await removeGeneration(each, id, earlier.generation);
      return archive;
    });
  }
  function freeArchiveName({ archived }: SessionRecord, id: string, suffix: string | undefined): string {
    const nameOf = archiveNameOf(id, suffix);
    return freeName(ports.clock.now(), nameOf, (each) => archived.some((other) => other.name === each));
  }

  return {
    location,
    list: async () => listing.journals(await open()),
    async has(id) {
      try {
        journalName(id);
      } catch {
        return false;
      }
      return (await readRecord(await open(), id)).record.live !== undefined;
    },

    async create(id, created, { policy, seal } = {}) {
      const { path } = name(id);
      const each = await open();
      const lease = await takeLease(each, id, ports.ids.token(), ports);
      const generation = ports.ids.token();
      try {
        const held = await readRecord(each, id);
        if (held.record.live !== undefined) throw existsError(name(id));
        // Where this fails, what was stored stays: it may have its name all the same.
        const file = emptyGeneration(each, ports, { id, path, generation, isUnnamed: false });
        const writer = await beginJournal(ports, { id, committer: file, lock: lease }, { created, policy, seal });
        await change(each, id, held, { ...held.record, live: generation });
        return writer;
      } catch (error) {
        await lease.close();
        throw error;
      }
    },
    createFilled: (id, beginning) =>
      whileHeld(id, async (each, held) => {
        if (held.record.live !== undefined) throw existsError(name(id));
        const generation = await fillGeneration(each, ports, name(id), beginning);
        await change(each, id, held, { ...held.record, live: generation });
      }),
    openWriter: async (id, options = {}) => openStreamWriter(await open(), ports, name(id), options),
    openReader: (id) => openStreamReader({ ...name(id), session: open, log: ports.log }),
    async holder(id) {
      name(id);
      return holderOf(await open(), id);
    },

    ...objectsOf(open, ports),

    archive: (id, suffix) =>
      whileJournalHeld(id, async (each, held, live) => {
        const { record } = held;
        const archive = freeArchiveName(record, id, suffix);
        await fence(each, ports, { ...name(id), generation: live });
        await removeDocuments(each, id);
        const archived = [...record.archived, { name: archive, generation: live }];
        await change(each, id, held, { ...record, live: undefined, archived });
        return archive;
      }),
    archiveDocument: async (id) => {
      throw new OllmError('SESSION_NOT_FOUND', `There is no session ${id} of an older form here.`, { data: { id } });
    },
    replace: (id, successor) =>
      replaced(id, successor, async (each, archive) => {
        const created = await successor.created(archive);
        const { fill, seal } = successor;
        return fillGeneration(each, ports, name(id), { created, fill, seal });
      }),
    async repair(id) {
      let result: Awaited<ReturnType<typeof repairJournal>> | undefined;
      const archive = await replaced(id, { suffix: 'damaged' }, async (each, archiveName, live) => {
        const repaired = await repairedCopy(each, id, archiveName, live);
        result = repaired.result;
        return storeGeneration(each, ports, name(id), [repaired.bytes]);
      });
      return { archive, kept: result!.kept, findings: result!.findings };
    },

    trash: (id) =>
      whileJournalHeld(id, async (each, held, live) => {
        const { record } = held;
        const bytes = (await fence(each, ports, { ...name(id), generation: live }))?.size ?? 0;
        await removeDocuments(each, id);
        // Later than every other entry of this id, also after the clock stepped back: the newest was deleted last.
        const afterNewest = record.trash.map((trashed) => Date.parse(trashEntry(id, trashed).deletedAt) + 1000);
        const entry = freeName(
          Math.max(ports.clock.now(), ...afterNewest),
          (stamp) => `${id}.${stamp}`,
          (other) => record.trash.some((trashed) => trashed.entry === other),
        );
        const { suspects } = record;
        const trashed = { entry, generation: live, bytes, trashedMs: await serverTime(each), suspects };
        const trash = [...record.trash, trashed];
        await change(each, id, held, { ...record, live: undefined, suspects: undefined, trash });
        return trashEntry(id, trashed);
      }),
    async listTrash() {
      const records = await allRecords(await open());
      const entries = [...records].flatMap(([id, { trash }]) => trash.map((trashed) => trashEntry(id, trashed)));
      return entries.sort((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
    },
    async restore(id) {
      const check = ({ record }: HeldRecord) => {
        if (record.live !== undefined) throw isThereAgain(id);
        if (record.trash.length === 0) throw notInTrash(id);
      };
      check(await readRecord(await open(), name(id).id));
      await whileHeld(id, async (each, held) => {
        check(held);
        const { record } = held;
        const [first, ...others] = [...record.trash].sort((a, b) => (a.entry < b.entry ? 1 : -1));
        const { generation, suspects = [] } = first!;
        // A restored session counts as used now, or retention would take it away again: an empty message dates it.
        await fence(each, ports, { ...name(id), generation });
        const all = [...(record.suspects ?? []), ...suspects];
        await change(each, id, held, { ...record, live: generation, suspects: all, trash: others });
      });
    },
    purge: async (entry) => purgeTrashed(await open(), ports, entry),

    async *readBytes(id) {
      const each = await open();
      const { live } = (await readRecord(each, name(id).id)).record;
      if (live === undefined) throw notFound(name(id));
      const source = await sourceOf(each, layout.subject(id, live));
      if (!source) return;
      try {
        yield* bytesOf(source, 0, source.stat().size);
      } finally {
        source.close();
      }
    },
    writeBytes: (id, bytes) =>
      whileHeld(id, async (each, held) => {
        if (held.record.live !== undefined) throw existsError(name(id));
        const generation = await storeGeneration(each, ports, name(id), bytes);
        await change(each, id, held, { ...held.record, live: generation });
      }),

    prepare: async () => prepareStore(load(), await connected(), layout, { replicas: place.replicas }),
    session: open,
    async report() {
      const { streams, connection } = await open();
      const names = [layout.stream, layout.namesStream, layout.objectsStream];
      const infos = await asked('Cannot look up the streams', () =>
        Promise.all(names.map((each) => streams.info(each))),
      );
      const reports = infos.map(({ config, cluster }) => ({
        name: config.name,
        replicas: config.num_replicas,
        behind: (cluster?.replicas ?? []).filter(({ current }) => !current).length,
      }));
      return { version: connection.info?.version ?? '', streams: reports, isPasswordOpen: isPasswordOpen(place) };
    },
    unnamed: async () => listing.unnamed(await open()),
    async problemOfNames() {
      const each = await open();
      return problemOfNames(each, await listing.unnamed(each));
    },
    async sweep() {
      const each = await open();
      const unnamed = await listing.unnamed(each);
      if (await isAnyHeld(each)) throw openSessions();
      // Asked again behind that: one that was being made may have its name now.
      const still = new Set((await listing.unnamed(each)).map(({ generation }) => generation));
      const left = unnamed.filter(({ generation }) => still.has(generation));
      const problem = await problemOfNames(each, left);
      if (problem !== undefined) throw namesInDoubt(each, problem);
      for (const { id, generation } of left) await removeGeneration(each, id, generation);
      for (const [id, record] of await allRecords(each)) {
        if (generationsOf(record).length === 0) await forgetIfGone(each, id);
      }
      return { generations: left.length, attachments: await sweepBlobs(each, ports) };
    },
    async disconnect() {
      const each = await connection?.catch(() => undefined);
      connection = undefined;
      session = undefined;
      await each?.close();
    },
  };

  /** Repairs in memory: a repair looks at every line, in any order. */
  async function repairedCopy(each: Session, id: string, archive: string, live: string) {
    const fileSystem = memoryFileSystem({ clock: ports.clock });
    fileSystem.makeDirectory('/repair');
    const [path, target] = [`/repair/${journalName(id)}`, '/repair/repaired'];
    const file = fileSystem.open(path, 'create', 0o600);
    const source = await sourceOf(each, layout.subject(id, live));
    if (source) for await (const chunk of bytesOf(source, 0, source.stat().size)) file.write(chunk);
    source?.close();
    file.close();
    const result = await repairJournal({ fileSystem, clock: ports.clock }, { id, path, target, archive });
    return { result, bytes: readFile(fileSystem, target) };
  }
}

function trashEntry(id: string, { entry, bytes }: SessionRecord['trash'][number]): TrashEntry {
  return { id, entry, bytes, deletedAt: parseTrashEntry(entry)?.deletedAt ?? '' };
}

function openSessions(): OllmError {
  return new OllmError('JOURNAL_LOCKED', 'A session is open, or being made: nothing was removed.', {
    hint: 'Close the sessions of this tenant, wait 30 seconds, and try again.',
  });
}
