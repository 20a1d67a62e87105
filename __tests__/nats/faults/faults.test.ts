import { publish, Unsettled } from '../../../lib/nats/publish.ts';
import { describeWithServer } from '../../support/nats-server.ts';
import { natsStore } from '../../support/nats-store.ts';
import { FaultyCluster, SCENARIOS, type Tally } from './scenarios.ts';

// `node __tests__/nats/faults/run.ts --rounds 50` does the same as often as one likes.
describeWithServer('a session on three servers', () => {
  let faulty: FaultyCluster;
  beforeAll(async () => {
    faulty = await FaultyCluster.start();
  });
  afterAll(() => faulty.dispose());

  const ROUNDS: Readonly<Record<string, number>> = {
    'leader killed': 2,
    'follower paused': 1,
    'leader paused': 1,
    'leader cut off': 2,
    'two writers': 6,
    'cluster stopped': 1,
  };

  it.each(Object.keys(SCENARIOS))('loses, doubles and swaps nothing: %s', async (name) => {
    const tally: Tally = await SCENARIOS[name]!(faulty, ROUNDS[name]!);
    expect(tally.contradictions).toEqual([]);
    expect(tally.acknowledged).toBeGreaterThan(0);
    expect(tally.events).toBeGreaterThanOrEqual(tally.acknowledged);
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
