// Three servers of NATS as one cluster on loopback. Each way between two of them, and from a client to each, goes
// through a proxy that can be cut.
import { freePort, type NatsServer, prepareNatsServer, type ServerOptions } from './nats-server.ts';
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

export async function startNatsCluster({ monitors, ...options }: ClusterOptions = {}): Promise<NatsCluster> {
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
