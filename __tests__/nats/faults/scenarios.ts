// What can happen to a cluster of three while a session is written, each as often as it is told. Every scenario ends
// with all servers up, and answers with the counts and with the contradictions of its history, of which there must be
// none.

import type { Session } from '../../../lib/nats/connection.ts';
import type { NatsStore } from '../../../lib/nats/nats-store.ts';
import type { NatsCluster } from '../../support/nats-cluster.ts';
import { startNatsCluster } from '../../support/nats-cluster.ts';
import { natsStore, newTenant } from '../../support/nats-store.ts';
import { contradictions, type Operation } from './history.ts';
import { readWhole, startWorkload, type Workload } from './workload.ts';

export interface Tally {
  readonly scenario: string;
  readonly rounds: number;
  readonly attempts: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly reopened: number;
  readonly events: number;
  readonly contradictions: readonly string[];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A cluster with a prepared tenant; `store()` is the store as another process has it. */
export class FaultyCluster {
  readonly cluster: NatsCluster;
  /** Is told how far it is. */
  tell: (progress: string) => void = () => {};
  readonly tenant = newTenant();
  readonly #stores: NatsStore[] = [];

  private constructor(cluster: NatsCluster) {
    this.cluster = cluster;
  }

  static async start(jetstream: readonly string[] = []): Promise<FaultyCluster> {
    const each = new FaultyCluster(await startNatsCluster({ jetstream }));
    const store = each.store();
    await untilDone(() => store.prepare(), 60_000);
    return each;
  }

  store(): NatsStore {
    const place = {
      servers: this.cluster.urls,
      tenant: this.tenant,
      replicas: 3,
      requestMs: 1_000,
      patienceMs: 60_000,
    };
    const store = natsStore(place);
    this.#stores.push(store);
    return store;
  }

  session(): Promise<Session> {
    return this.#stores[0]!.session();
  }

  async leader(): Promise<string> {
    return untilDone(async () => {
      const { streams, layout } = await this.#stores[0]!.session();
      const { cluster } = await streams.info(layout.stream);
      if (!cluster?.leader) throw new Error('no leader');
      return cluster.leader;
    }, 60_000);
  }

  /** Until there is a leader, and every replica has caught up or had time to. */
  async settled(): Promise<void> {
    const patientUntil = performance.now() + 15_000;
    await untilDone(async () => {
      const { streams, layout } = await this.#stores[0]!.session();
      const { cluster } = await streams.info(layout.stream);
      const replicas = cluster?.replicas ?? [];
      if (!cluster?.leader || replicas.length < 2) throw new Error('no leader');
      const isBehind = replicas.some(({ current }) => !current);
      if (isBehind && performance.now() < patientUntil) throw new Error('behind');
    }, 180_000);
  }

  async dispose(): Promise<void> {
    for (const store of this.#stores) await store.disconnect();
    await this.cluster.dispose();
  }
}

async function untilDone<Value>(work: () => Promise<Value>, withinMs: number): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

const storedBy = (workloads: readonly Workload[]) =>
  workloads.flatMap(({ operations }) => operations).filter(({ outcome }) => outcome.kind === 'stored').length;

/** Until an append has been acknowledged that was not before this call. */
async function writes(workloads: readonly Workload[]): Promise<void> {
  const before = storedBy(workloads);
  await untilDone(async () => {
    if (storedBy(workloads) === before) throw new Error('no append is acknowledged');
  }, 90_000);
}

let sessions = 0;

/** Writes a session while `round` does its harm so many times, and looks at the history. */
async function underFire(
  faulty: FaultyCluster,
  scenario: string,
  rounds: number,
  round: (attempt: number, id: string) => Promise<void>,
  writers = 1,
): Promise<Tally> {
  const id = `fire-${++sessions}`;
  const store = faulty.store();
  await (await store.create(id, { model: 'm', provider: 'p', ollm: '1' })).close();
  const workloads: Workload[] = Array.from({ length: writers }, (_, index) =>
    startWorkload(faulty.store(), id, { writer: `w${index}` }),
  );
  await writes(workloads);
  for (let attempt = 1; attempt <= rounds; attempt += 1) {
    await round(attempt, id);
    await faulty.settled();
    // The next harm comes only after the writers recovered from this one, however slow the machine is.
    await writes(workloads);
    faulty.tell(`${scenario}: round ${attempt} of ${rounds}`);
  }
  await Promise.all(workloads.map((each) => each.stop()));
  const events = await untilDone(() => readWhole(store, id), 60_000);
  const operations: Operation[] = workloads.flatMap((each) => each.operations);
  const countOf = (kind: Operation['outcome']['kind']) =>
    operations.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    scenario,
    rounds,
    attempts: operations.length,
    acknowledged: countOf('stored'),
    refused: countOf('refused'),
    unknown: countOf('unknown'),
    reopened: workloads.reduce((sum, each) => sum + each.reopened, 0),
    events: events.length,
    contradictions: contradictions(operations, events),
  };
}

export type Scenario = (faulty: FaultyCluster, rounds: number) => Promise<Tally>;

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'leader killed': (faulty, rounds) =>
    underFire(faulty, 'leader killed', rounds, async () => {
      const server = faulty.cluster.server(await faulty.leader());
      await server.kill('SIGKILL');
      await pause(300);
      await server.start();
    }),
  'follower paused': (faulty, rounds) =>
    underFire(faulty, 'follower paused', rounds, async (attempt) => {
      const leader = await faulty.leader();
      const followers = faulty.cluster.servers.filter(({ name }) => name !== leader);
      const server = followers[attempt % followers.length]!;
      server.signal('SIGSTOP');
      await pause(1_000);
      server.signal('SIGCONT');
    }),
  'leader paused': (faulty, rounds) =>
    underFire(faulty, 'leader paused', rounds, async () => {
      const server = faulty.cluster.server(await faulty.leader());
      server.signal('SIGSTOP');
      await pause(6_000);
      server.signal('SIGCONT');
    }),
  'leader cut off': (faulty, rounds) =>
    underFire(faulty, 'leader cut off', rounds, async (attempt) => {
      faulty.cluster.cut(await faulty.leader(), {
        alsoClients: attempt % 2 === 0,
      });
      await pause(8_000);
      faulty.cluster.heal();
    }),
  'two writers': (faulty, rounds) =>
    underFire(
      faulty,
      'two writers',
      rounds,
      async (_, id) => {
        // Without its lease a writer goes on, and the other one opens the session beside it.
        await (await faulty.session()).names.purge(`lease.${id}`);
        await pause(300);
      },
      2,
    ),
  'cluster stopped': (faulty, rounds) =>
    underFire(faulty, 'cluster stopped', rounds, async () => {
      await Promise.all(faulty.cluster.servers.map((server) => server.kill('SIGTERM')));
      await pause(300);
      await Promise.all(faulty.cluster.servers.map((server) => server.start()));
    }),
};
