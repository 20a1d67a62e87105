import { publish, Unsettled } from '../../../lib/nats/publish.ts';
import { describeWithServer } from '../../support/nats-server.ts';
import { natsStore } from '../../support/nats-store.ts';
import { times } from '../../support/times.ts';
import { FaultyCluster } from './faulty-cluster.ts';
import { SCENARIOS } from './scenarios.ts';

// `node __tests__/nats/faults/run.ts --rounds 50` does the same as often as one likes.
const ROUNDS: Readonly<Record<string, number>> = {
  'leader killed': 1,
  'leader killed, synced': 1,
  'follower paused': 1,
  'leader paused': 1,
  'leader cut off': 2,
  'disk lost': 1,
  'cluster stopped': 1,
  'cluster killed': 1,
  'one server killed': 2,
  'two writers': 4,
  'two processes': 2,
};
const namesWhere = (isOfItsOwn: boolean) =>
  Object.keys(SCENARIOS).filter((name) => (SCENARIOS[name]!.on !== undefined) === isOfItsOwn);

async function holds(faulty: FaultyCluster, name: string): Promise<void> {
  const tally = await SCENARIOS[name]!.run(faulty, times(ROUNDS[name]!));
  expect(tally.contradictions).toEqual([]);
  expect(tally.acknowledged).toBeGreaterThan(0);
  expect(tally.events).toBeGreaterThanOrEqual(tally.acknowledged);
}

describeWithServer('a session on servers of its own', () => {
  it.each(namesWhere(true))('loses, doubles and swaps nothing: %s', async (name) => {
    const faulty = await FaultyCluster.start(SCENARIOS[name]!.on);
    try {
      await holds(faulty, name);
    } finally {
      await faulty.dispose();
    }
  });
});

describeWithServer('a session on three servers', () => {
  let faulty: FaultyCluster;
  beforeAll(async () => {
    faulty = await FaultyCluster.start();
  });
  afterAll(() => faulty.dispose());

  it.each(namesWhere(false))('loses, doubles and swaps nothing: %s', (name) => holds(faulty, name));

  it('has an attachment immediately after it was stored through a different server', async () => {
    const stores = faulty.cluster.servers.map(({ url }) => natsStore({ ...faulty.place, servers: [url] }));
    try {
      for (let round = 0; round < times(9); round += 1) {
        const bytes = Buffer.from(`${round} `.repeat(100_000));
        const name = await stores[round % 3]!.putBlob(bytes);
        for (const store of stores) expect((await store.readBlob(name))?.length).toBe(bytes.length);
      }
    } finally {
      for (const store of stores) await store.disconnect();
    }
  });

  it('is not acknowledged by a leader that is cut off, however often it is asked', async () => {
    const leader = await faulty.leader();
    const { tenant } = faulty;
    const servers = [faulty.cluster.server(leader).url];
    const store = natsStore({ servers, tenant, replicas: 3, requestMs: 300, patienceMs: 3_000 });
    try {
      const session = await store.session();
      const subject = session.layout.subject('cut-off', 'a');
      const append = (id: string, expected: number) =>
        publish(session, { subject, expected, offset: 0, bytes: Buffer.from(`${id}\n`), id });
      const first = await append('first', 0);
      faulty.cluster.cut(leader);
      await expect(append('second', first)).rejects.toThrow(Unsettled);
    } finally {
      faulty.cluster.heal();
      await store.disconnect();
      await faulty.settled();
    }
  });
});
