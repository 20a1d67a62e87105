// The way to the sessions of one tenant: a connection, made at its first use, and the lease of a session while it is
// changed.
import { journalName } from '../journal/paths.ts';
import { type JournalFile, notFound } from '../journal/refusals.ts';
import type { NatsClient, NatsConnection } from './client.ts';
import { connectTo, type NatsPlace, type NatsSession, openSession } from './connection.ts';
import type { StorePorts } from './generations.ts';
import { type Layout, layoutOf } from './layout.ts';
import { takeLease } from './lease.ts';
import { changeRecord, type HeldRecord, readRecord, type SessionRecord } from './record.ts';

export class NatsAccess {
  readonly ports: StorePorts;
  readonly place: NatsPlace;
  readonly location: string;
  readonly layout: Layout;
  readonly #load: () => NatsClient;
  #connection: Promise<NatsConnection> | undefined;
  #session: Promise<NatsSession> | undefined;

  constructor(ports: StorePorts, place: NatsPlace, load: () => NatsClient) {
    this.ports = ports;
    this.place = place;
    this.location = `${place.servers.join(',')}/${place.tenant}`;
    this.layout = layoutOf(place.tenant);
    this.#load = load;
  }

  get client(): NatsClient {
    return this.#load();
  }

  connected(): Promise<NatsConnection> {
    const name = `ollm: ${this.ports.process.command}`;
    this.#connection ??= connectTo(this.client, this.place, name).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  open(): Promise<NatsSession> {
    this.#session ??= this.connected()
      .then((connection) => openSession(this.client, connection, this.place, this.layout))
      .catch((error: unknown) => {
        this.#session = undefined;
        throw error;
      });
    return this.#session;
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    this.#session = undefined;
    await connection?.close();
  }

  /** @throws OllmError SESSION_ID_INVALID */
  name(id: string): JournalFile {
    return { id, path: `${this.location}/${journalName(id)}` };
  }

  /** Runs an action on a session while no other process can open it for writing. */
  async whileHeld<Result>(
    id: string,
    action: (each: NatsSession, held: HeldRecord) => Promise<Result>,
  ): Promise<Result> {
    this.name(id);
    const each = await this.open();
    const lease = await takeLease(each, id, this.ports.ids.token(), this.ports);
    try {
      return await action(each, await readRecord(each, id));
    } finally {
      await lease.close();
    }
  }

  /** Runs `action` while the journal is held, for a session that has one. */
  async whileJournalHeld<Result>(
    id: string,
    action: (each: NatsSession, held: HeldRecord, live: string) => Promise<Result>,
  ): Promise<Result> {
    const there = await readRecord(await this.open(), this.name(id).id);
    if (there.record.live === undefined) throw notFound(this.name(id));
    return this.whileHeld(id, async (each, held) => {
      const { live } = held.record;
      if (live === undefined) throw notFound(this.name(id));
      return action(each, held, live);
    });
  }

  async change(each: NatsSession, id: string, held: HeldRecord, record: Omit<SessionRecord, 'change'>): Promise<void> {
    await changeRecord(each, id, held, { ...record, change: this.ports.ids.token() });
  }
}
