// A list comes to its end whatever happens to the messages and to the server meanwhile.
import type { Consumers } from '../../lib/nats/client.ts';
import type { NatsSession } from '../../lib/nats/connection.ts';
import { headersOf } from '../../lib/nats/headers.ts';
import { Listing } from '../../lib/nats/listing.ts';
import type { NatsStore } from '../../lib/nats/nats-store.ts';
import { make } from '../journal/store.contract.ts';
import { describeWithServer, type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { natsStore, newTenant } from '../support/nats-store.ts';

describeWithServer('a list of sessions on a server', () => {
  let server: NatsServer;
  let store: NatsStore;
  beforeEach(async () => {
    server = await startNatsServer();
    store = natsStore({ servers: [server.url], tenant: newTenant() });
    await store.prepare();
    for (const id of ['one', 'two', 'three']) await make(store, id, 'x');
  });
  afterEach(async () => {
    await store.disconnect();
    await server.dispose();
  });

  /** The session, with an event after the making of its first consumer. */
  async function withEvent(event: (session: NatsSession) => Promise<unknown>): Promise<NatsSession> {
    const session = await store.session();
    const { consumers } = session;
    let isOver = false;
    const add: Consumers['add'] = async (...args) => {
      const info = await consumers.add(...args);
      if (!isOver) {
        isOver = true;
        await event(session);
      }
      return info;
    };
    return { ...session, consumers: { add, delete: consumers.delete.bind(consumers) } };
  }
  const idsOf = async (listing: Listing, session: NatsSession) => (await listing.journals(session)).map(({ id }) => id);
  const purgeAll = ({ streams, layout }: NatsSession) => streams.purge(layout.stream, { filter: layout.allSubjects });

  it('ends if all messages are purged in the meantime, and the next list continues', async () => {
    const session = await withEvent(purgeAll);
    const listing = new Listing();
    expect(await idsOf(listing, session)).toEqual([]);
    await make(store, 'four', 'x');
    expect(await idsOf(listing, session)).toEqual(['four']);
  });

  it('ends if the messages since the last list are purged in the meantime', async () => {
    const listing = new Listing();
    expect(await idsOf(listing, await store.session())).toEqual(['one', 'three', 'two']);
    await make(store, 'four', 'x');
    const session = await withEvent(purgeAll);
    expect(await idsOf(listing, session)).toEqual(['one', 'three', 'two']);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'continues after the server was stopped and started (%s)',
    async (signal) => {
      const session = await withEvent(async () => {
        await server.kill(signal);
        await server.start();
      });
      expect(await idsOf(new Listing(), session)).toEqual(['one', 'three', 'two']);
    },
  );

  it('gives each message after a sequence once, in its order', async () => {
    const session = await store.session();
    const { state } = await session.streams.info(session.layout.stream);
    const sequences: number[] = [];
    for await (const { sequence } of headersOf(session, 2)) sequences.push(sequence);
    expect(sequences).toEqual(Array.from({ length: state.last_seq - 1 }, (_, index) => index + 2));
  });
});
