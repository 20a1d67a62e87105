// All sessions of one tenant on servers of NATS: a store like that of a directory, held by the same contract. Puts the
// parts together; each keeps its own promise. Connects at its first use, and not before.
import { isSessionId } from '../journal/format.ts';
import { existsError, notFound } from '../journal/refusals.ts';
import type { JournalBytes, JournalStore } from '../journal/types.ts';
import { beginJournal } from '../journal/writing/opening.ts';
import { NatsAccess } from './access.ts';
import { careOf, type StoreCare } from './care.ts';
import type { NatsClient } from './client.ts';
import type { NatsPlace, NatsSession } from './connection.ts';
import { emptyGeneration, fillGeneration, type StorePorts, storeGeneration } from './generations.ts';
import { holderOf, takeLease } from './lease.ts';
import { Listing } from './listing.ts';
import { endOf, lastMessage } from './messages.ts';
import { placesOf, trashOf } from './moves.ts';
import { objectsOf } from './objects.ts';
import { readRecord } from './record.ts';
import { openStreamReader } from './stream-reader.ts';
import { sourceOf } from './stream-source.ts';
import { bytesOf, openStreamWriter } from './stream-writer.ts';

interface NatsStoreOptions {
  readonly place: NatsPlace;
  /** Loads the client's packages: `loadClient`. */
  readonly client: () => NatsClient;
}

/** A store, and what only one on servers has. */
export interface StoreOnServers extends JournalStore, JournalBytes, StoreCare {
  disconnect(): Promise<void>;
}

/** A store with its connection, for tests and for code that builds on it. */
export interface NatsStore extends StoreOnServers {
  /** Made at the first use, and checked. */
  session(): Promise<NatsSession>;
}

/**
 * @example
 * const store = openNatsStore(ports, { place: { servers: ['nats://127.0.0.1:4222'], tenant: 'default' }, client });
 * const writer = await store.create('notes', { model: 'llama3.2:3b', provider: 'ollama', ollm: '1.0.0' });
 * @throws OllmError CONFIG_INVALID; the first use: STORE_CLIENT_MISSING, STORE_UNREACHABLE, STORE_REFUSED,
 * STORE_NOT_READY
 */
export function openNatsStore(ports: StorePorts, { place, client: load }: NatsStoreOptions): NatsStore {
  const access = new NatsAccess(ports, place, load);
  const listing = new Listing();
  const open = () => access.open();
  /** A session of the generation that is made for it. */
  const begun = (id: string, make: (each: NatsSession) => Promise<string>) =>
    access.whileHeld(id, async (each, held) => {
      if (held.record.live !== undefined) throw existsError(access.name(id));
      await access.change(each, id, held, { ...held.record, live: await make(each) });
    });
  return {
    location: access.location,
    list: async () => listing.journals(await access.open()),
    ids: async () => listing.ids(await access.open()),
    async info(id) {
      const session = await access.open();
      const live = await liveOf(session, id);
      const last = live === undefined ? undefined : await lastMessage(session, session.layout.subject(id, live));
      return last && { bytes: endOf(last), modifiedMs: last.storedMs };
    },
    has: async (id) => (await liveOf(await access.open(), id)) !== undefined,

    async create(id, created, { policy, seal } = {}) {
      const { path } = access.name(id);
      const each = await access.open();
      const lease = await takeLease(each, id, ports.ids.token(), ports);
      const generation = ports.ids.token();
      try {
        const held = await readRecord(each, id);
        if (held.record.live !== undefined) throw existsError(access.name(id));
        // If this fails, stored messages stay: the journal may have its name all the same.
        const file = emptyGeneration(each, ports, { id, path, generation, isUnnamed: false });
        const writer = await beginJournal(ports, { id, committer: file, lock: lease }, { created, policy, seal });
        await access.change(each, id, held, { ...held.record, live: generation });
        return writer;
      } catch (error) {
        await lease.close();
        throw error;
      }
    },
    createFilled: (id, beginning) => begun(id, (each) => fillGeneration(each, ports, access.name(id), beginning)),
    openWriter: async (id, options = {}) => openStreamWriter(await access.open(), ports, access.name(id), options),
    openReader(id, archive) {
      const { path } = access.name(id);
      const named = archive === undefined ? { path } : { path: `archive/${archive}`, archive };
      return openStreamReader({ id, ...named, session: open, log: ports.log });
    },
    async holder(id) {
      access.name(id);
      return holderOf(await access.open(), id);
    },

    ...objectsOf(open, ports),
    ...placesOf(access),
    ...trashOf(access),
    ...careOf(access, listing),
    session: open,
    disconnect: () => access.close(),

    async *readBytes(id) {
      const each = await access.open();
      const { live } = (await readRecord(each, access.name(id).id)).record;
      if (live === undefined) throw notFound(access.name(id));
      const source = await sourceOf(each, each.layout.subject(id, live));
      if (!source) return;
      try {
        yield* bytesOf(source, 0, source.stat().size);
      } finally {
        source.close();
      }
    },
    writeBytes: (id, bytes) => begun(id, (each) => storeGeneration(each, ports, access.name(id), bytes)),
  };
}

/** The generation of a session that is read and written now; undefined if there is none of this id. */
async function liveOf(session: NatsSession, id: string): Promise<string | undefined> {
  return isSessionId(id) ? (await readRecord(session, id)).record.live : undefined;
}
