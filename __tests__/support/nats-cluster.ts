// Three servers of NATS as one cluster on loopback. Each way between two of them, and from a client to each, goes
// through a proxy that can be cut.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadClient } from '../../lib/nats/client.ts';
import { CLIENT_FOLDER, freePort, type NatsServer, prepareNatsServer, type ServerOptions } from './nats-server.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface NatsCluster {
  readonly servers: readonly NatsServer[];
  /** Where clients connect. */
  readonly urls: readonly string[];
  server(name: string): NatsServer;
  /** Cuts a server from the other two, in both directions; clients still reach it unless `alsoClients`. */
  cut(name: string, options?: { readonly alsoClients?: boolean }): void;
  heal(): void;
  dispose(): Promise<void>;
}

const NAMES = ['n1', 'n2', 'n3'];

export interface ClusterOptions extends Pick<ServerOptions, 'jetstream'> {
  /** The monitoring port of each. */
  readonly monitors?: readonly number[];
}

const STARTS = 4;
/** Three copies usually have their servers after 6 seconds. */
const PLACED_WITHIN_MS = 20_000;

/**
 * About one cluster in twenty of 2.10 has its routes and its leader, and answers each request for three copies with "no
 * suitable peers for placement" as long as it runs. Another one is started then.
 */
export async function startNatsCluster(options: ClusterOptions = {}): Promise<NatsCluster> {
  for (let start = 1; ; start += 1) {
    const cluster = await startOnce(options);
    if (start === STARTS || (await takesCopies(cluster))) return cluster;
    await cluster.dispose();
  }
}

async function takesCopies({ urls }: NatsCluster): Promise<boolean> {
  const client = loadClient([CLIENT_FOLDER]);
  const connection = await client.connect({ servers: [...urls], name: 'a test' });
  const untilMs = performance.now() + PLACED_WITHIN_MS;
  try {
    const { streams } = (await client.manager(connection)) as unknown as {
      streams: { add(config: object): Promise<unknown>; delete(name: string): Promise<unknown> };
    };
    while (performance.now() < untilMs) {
      try {
        await streams.add({ name: 'placed', subjects: ['placed'], storage: 'memory', num_replicas: 3 });
        await streams.delete('placed');
        return true;
      } catch {
        await sleep(100);
      }
    }
    return false;
  } finally {
    await connection.close();
  }
}

async function startOnce({ monitors, ...options }: ClusterOptions): Promise<NatsCluster> {
  const clusterPorts = await Promise.all(NAMES.map(freePort));
  // A route that gossip proposes would go past the proxies, so it leads to ports where no program listens. Each two
  // servers have one route, and a server must be given two to know how many there are.
  const [nowhere = 0, elsewhere = 0] = await Promise.all([freePort(), freePort()]);
  const between = new Map<string, TcpProxy>();
  for (const [from, name] of NAMES.entries()) {
    for (const [to, other] of NAMES.entries()) {
      if (from > to) between.set(`${name}>${other}`, await startTcpProxy(() => clusterPorts[to]!));
    }
  }
  const servers: NatsServer[] = [];
  for (const [index, name] of NAMES.entries()) {
    const ports = NAMES.flatMap((other) => between.get(`${name}>${other}`)?.port ?? []);
    const routes = [...ports, nowhere, elsewhere].slice(0, 2).map((port) => `nats://127.0.0.1:${port}`);
    const cluster = { port: clusterPorts[index]!, routes, advertise: `127.0.0.1:${nowhere}` };
    const lines = monitors ? [`http: 127.0.0.1:${monitors[index]!}`] : [];
    servers.push(await prepareNatsServer({ ...options, lines, name, cluster }));
  }
  const doors = await Promise.all(servers.map(({ port }) => startTcpProxy(() => port)));
  await Promise.all(servers.map((server) => server.start()));
  return {
    servers,
    urls: doors.map(({ port }) => `nats://127.0.0.1:${port}`),
    server: (name) => servers.find((each) => each.name === name)!,
    cut(name, { alsoClients = false } = {}) {
      for (const [way, proxy] of between) if (way.split('>').includes(name)) proxy.cut();
      if (alsoClients) doors[NAMES.indexOf(name)]!.cut();
    },
    heal() {
      for (const proxy of [...between.values(), ...doors]) proxy.heal();
    },
    async dispose() {
      await Promise.all(servers.map((server) => server.dispose()));
      for (const proxy of [...between.values(), ...doors]) proxy.close();
    },
  };
}
