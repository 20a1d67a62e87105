// Servers with a prepared tenant, for harm. `store()` is the store as another process has it.
import type { NatsSession } from '../../../lib/nats/connection.ts';
import type { NatsStore } from '../../../lib/nats/nats-store.ts';
import { type NatsCluster, startNatsCluster } from '../../support/nats-cluster.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import { natsStore, newTenant } from '../../support/nats-store.ts';

export interface FaultyOptions {
  /** Default: 3, with as many replicas. */
  readonly servers?: 1 | 3;
  /** Lines of the `jetstream` block of each. */
  readonly jetstream?: readonly string[];
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export class FaultyCluster {
  readonly cluster: NatsCluster;
  readonly tenant = newTenant();
  /** Is told how far it is. */
  tell: (progress: string) => void = () => {};
  /** No round begins after that, by `performance.now()`. */
  untilMs = Number.POSITIVE_INFINITY;
  readonly #stores: NatsStore[] = [];

  private constructor(cluster: NatsCluster) {
    this.cluster = cluster;
  }

  static async start({ servers = 3, jetstream = [] }: FaultyOptions = {}): Promise<FaultyCluster> {
    const each = new FaultyCluster(await (servers === 1 ? oneServer : startNatsCluster)({ jetstream }));
    const store = each.store();
    await untilDone(() => store.prepare(), 60_000);
    return each;
  }

  get replicas(): number {
    return this.cluster.servers.length;
  }

  /** For `natsStore`, here or in another process. */
  get place() {
    const { tenant, replicas } = this;
    return { servers: this.cluster.urls, tenant, replicas, requestMs: 1_000, patienceMs: 60_000 };
  }

  store(): NatsStore {
    const store = natsStore(this.place);
    this.#stores.push(store);
    return store;
  }

  session(): Promise<NatsSession> {
    return this.#stores[0]!.session();
  }

  async leader(): Promise<string> {
    const { servers } = this.cluster;
    if (servers.length === 1) return servers[0]!.name;
    return untilDone(async () => {
      const { streams, layout } = await this.session();
      const { cluster } = await streams.info(layout.stream);
      if (!cluster?.leader) throw new Error('no leader');
      return cluster.leader;
    }, 60_000);
  }

  /** Until there is a leader, and every replica has caught up or had time to; with `isWhole` each of each stream. */
  async settled({ isWhole = false, withinMs = 180_000 } = {}): Promise<void> {
    const patientUntil = isWhole ? Number.POSITIVE_INFINITY : performance.now() + 15_000;
    await untilDone(async () => {
      const { streams, layout } = await this.session();
      const names = isWhole ? allOf(layout) : [layout.stream];
      for (const name of names) {
        const { cluster } = await streams.info(name);
        const replicas = cluster?.replicas ?? [];
        if (this.replicas > 1 && !cluster?.leader) throw new Error('no leader');
        if (replicas.length < this.replicas - 1) throw new Error('replicas are missing');
        if (replicas.some(({ current }) => !current) && performance.now() < patientUntil)
          throw new Error(`${name} is behind`);
      }
    }, withinMs);
  }

  /** Names of the servers that do not have all of each stream. */
  async serversBehind(): Promise<readonly string[]> {
    const { streams, layout } = await this.session();
    const infos = await Promise.all(allOf(layout).map((name) => streams.info(name)));
    const replicas = infos.flatMap(({ cluster }) => cluster?.replicas ?? []);
    return [...new Set(replicas.filter(({ current }) => !current).map(({ name }) => name))];
  }

  async dispose(): Promise<void> {
    for (const store of this.#stores) await store.disconnect();
    await this.cluster.dispose();
  }
}

const allOf = ({ stream, namesStream, objectsStream }: NatsSession['layout']) => [stream, namesStream, objectsStream];

async function oneServer({ jetstream }: { readonly jetstream: readonly string[] }): Promise<NatsCluster> {
  const server = await startNatsServer({ jetstream });
  return {
    servers: [server],
    urls: [server.url],
    server: () => server,
    cut: () => {},
    heal: () => {},
    dispose: () => server.dispose(),
  };
}

/** Tries until it does not fail, or throws the last failure. */
export async function untilDone<Value>(work: () => Promise<Value>, withinMs: number): Promise<Value> {
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
