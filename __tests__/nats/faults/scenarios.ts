// What can happen to a cluster of three while a session is written, each as often as it is told. Every scenario ends
// with all servers up, and answers with the counts and with the contradictions of its history, of which there must be
// none.
import { type FaultyCluster, type FaultyOptions, pause, untilDone } from './faulty-cluster.ts';
import { contradictions, type Operation } from './history.ts';
import { readWhole, startWorkload, type Workload } from './workload.ts';
import { startWriterProcess } from './writer-process.ts';

export interface Tally {
  readonly scenario: string;
  readonly rounds: number;
  readonly attempts: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly reopened: number;
  /** How often the servers came to no leader by themselves, and all of them had to be started again. */
  readonly stuck: number;
  readonly events: number;
  readonly contradictions: readonly string[];
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

const ownWriter = (faulty: FaultyCluster, writer: string) => (id: string) =>
  startWorkload(faulty.store(), id, { writer });

let sessions = 0;

/** Writes a session while `round` does its harm that many times, and looks at the history. */
async function underFire(
  faulty: FaultyCluster,
  scenario: string,
  rounds: number,
  round: (attempt: number, id: string, workloads: readonly Workload[]) => Promise<void>,
  writers: readonly ((id: string) => Workload)[] = [ownWriter(faulty, 'w0')],
): Promise<Tally> {
  const id = `fire-${++sessions}`;
  const store = faulty.store();
  // Servers that were just started may elect their leaders for a while.
  await untilDone(() => store.session(), 60_000);
  await (await store.create(id, { model: 'm', provider: 'p', ollm: '1' })).close();
  const workloads = writers.map((start) => start(id));
  await writes(workloads);
  let done = 0;
  let stuck = 0;
  while (done < rounds && performance.now() < faulty.untilMs) {
    await round(done + 1, id, workloads);
    // The next harm comes only after the writers recovered from this one, however slow the machine is.
    const recovered = async () => {
      await faulty.settled();
      await writes(workloads);
    };
    try {
      await recovered();
    } catch (error) {
      stuck += 1;
      faulty.tell(`${scenario}: ${(error as Error).message}`);
      await allEnded(faulty, 'SIGTERM');
      await recovered();
    }
    done += 1;
    faulty.tell(`${scenario}: round ${done} of ${rounds}`);
  }
  await Promise.all(workloads.map((each) => each.stop()));
  const events = await untilDone(() => readWhole(store, id), 60_000);
  const operations: Operation[] = workloads.flatMap((each) => each.operations);
  const countOf = (kind: Operation['outcome']['kind']) =>
    operations.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    scenario,
    rounds: done,
    attempts: operations.length,
    acknowledged: countOf('stored'),
    refused: countOf('refused'),
    unknown: countOf('unknown'),
    reopened: workloads.reduce((sum, each) => sum + each.reopened, 0),
    stuck,
    events: events.length,
    contradictions: contradictions(operations, events),
  };
}

export interface Scenario {
  /** The servers that it is for. */
  readonly on?: FaultyOptions;
  run(faulty: FaultyCluster, rounds: number): Promise<Tally>;
}

async function leaderKilled(faulty: FaultyCluster): Promise<void> {
  const server = faulty.cluster.server(await faulty.leader());
  await server.kill('SIGKILL');
  await pause(300);
  await server.start();
}

async function allEnded(faulty: FaultyCluster, signal: NodeJS.Signals): Promise<void> {
  await Promise.all(faulty.cluster.servers.map((server) => server.kill(signal)));
  await pause(300);
  await Promise.all(faulty.cluster.servers.map((server) => server.start()));
}

/**
 * Until each server has all of each stream. A server of 2.10 may lag forever, after a restart and after the loss of a
 * disk (https://github.com/nats-io/nats-server/issues/6964); operators restart it then, so this does as well.
 */
async function whole(faulty: FaultyCluster): Promise<void> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await faulty.settled({ isWhole: true, withinMs: 60_000 });
    } catch (error) {
      const [behind] = await faulty.serversBehind();
      if (behind === undefined || restarts === 3) throw error;
      faulty.tell(`${(error as Error).message}: ${behind} is restarted`);
      const server = faulty.cluster.server(behind);
      await server.kill('SIGTERM');
      await server.start();
    }
  }
}

/** Without its lease a writer continues, and the other one opens the session alongside it. */
async function loseLease(faulty: FaultyCluster, id: string): Promise<void> {
  await (await faulty.session()).names.purge(`lease.${id}`);
}

const SYNCED = { jetstream: ['sync_interval: always'] };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'leader killed': {
    run: (faulty, rounds) => underFire(faulty, 'leader killed', rounds, () => leaderKilled(faulty)),
  },
  'leader killed, synced': {
    on: SYNCED,
    run: (faulty, rounds) => underFire(faulty, 'leader killed, synced', rounds, () => leaderKilled(faulty)),
  },
  'follower paused': {
    run: (faulty, rounds) =>
      underFire(faulty, 'follower paused', rounds, async (attempt) => {
        const leader = await faulty.leader();
        const followers = faulty.cluster.servers.filter(({ name }) => name !== leader);
        const server = followers[attempt % followers.length]!;
        server.signal('SIGSTOP');
        await pause(1_000);
        server.signal('SIGCONT');
      }),
  },
  'leader paused': {
    run: (faulty, rounds) =>
      underFire(faulty, 'leader paused', rounds, async () => {
        const server = faulty.cluster.server(await faulty.leader());
        server.signal('SIGSTOP');
        await pause(6_000);
        server.signal('SIGCONT');
      }),
  },
  'leader cut off': {
    run: (faulty, rounds) =>
      underFire(faulty, 'leader cut off', rounds, async (attempt) => {
        faulty.cluster.cut(await faulty.leader(), { alsoClients: attempt % 2 === 0 });
        await pause(8_000);
        faulty.cluster.heal();
      }),
  },
  'disk lost': {
    // A cluster with a missing copy must not be the start of the next scenario, or of a second try.
    on: {},
    run: (faulty, rounds) =>
      underFire(faulty, 'disk lost', rounds, async (attempt) => {
        // A disk at a time: the copies are whole again before the next one is lost.
        await whole(faulty);
        const leader = await faulty.leader();
        const others = faulty.cluster.servers.filter(({ name }) => name !== leader);
        const server = attempt % 2 === 1 ? faulty.cluster.server(leader) : others[0]!;
        await server.kill('SIGKILL');
        // A server that forgot its votes must not take part in the election that its end causes.
        await untilDone(async () => {
          if ((await faulty.leader()) === server.name) throw new Error('no other leader yet');
        }, 60_000);
        server.loseDisk();
        await server.start();
        await whole(faulty);
      }),
  },
  'cluster stopped': {
    run: (faulty, rounds) => underFire(faulty, 'cluster stopped', rounds, () => allEnded(faulty, 'SIGTERM')),
  },
  'cluster killed': {
    run: (faulty, rounds) => underFire(faulty, 'cluster killed', rounds, () => allEnded(faulty, 'SIGKILL')),
  },
  'one server killed': {
    on: { servers: 1 },
    run: (faulty, rounds) => underFire(faulty, 'one server killed', rounds, () => allEnded(faulty, 'SIGKILL')),
  },
  'two writers': {
    run: (faulty, rounds) =>
      underFire(
        faulty,
        'two writers',
        rounds,
        async (_, id) => {
          await loseLease(faulty, id);
          await pause(300);
        },
        [ownWriter(faulty, 'w0'), ownWriter(faulty, 'w1')],
      ),
  },
  'two processes': {
    run: (faulty, rounds) =>
      underFire(
        faulty,
        'two processes',
        rounds,
        async (attempt, id, workloads) => {
          const sleeper = workloads[attempt % workloads.length]!;
          sleeper.signal?.('SIGSTOP');
          await loseLease(faulty, id);
          await pause(300);
          sleeper.signal?.('SIGCONT');
        },
        ['p0', 'p1'].map((writer) => (id: string) => startWriterProcess(faulty.place, id, writer)),
      ),
  },
};
