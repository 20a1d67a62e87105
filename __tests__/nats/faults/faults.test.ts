import { describeWithServer } from '../../support/nats-server.ts';
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
});
