// Servers of NATS on loopback, each with a free port and a temporary directory, ended by their pid with the tests.
// Neither the server nor the client is among what `npm ci` installs: .ci/get-nats-server brings both.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

const FOLDER = process.env.TEST_NATS_DIR ?? firstThere(join(homedir(), '.cache/ollm-nats'), '/var/cache/ollm-nats');
/** nats-server itself. */
export const PROGRAM = join(FOLDER, 'bin/nats-server');
/** The folder with the client's packages. */
export const CLIENT_FOLDER = join(FOLDER, 'client');

function firstThere(...folders: string[]): string {
  return folders.find((folder) => existsSync(folder)) ?? folders[0]!;
}

/** Puts the client's packages where ollm looks for them in this home. */
export function linkClient(home: string): void {
  symlinkSync(CLIENT_FOLDER, join(home, 'nats'));
}

/** Why the tests with a server cannot run; undefined if they can. */
export function missingServer(): string | undefined {
  if (!existsSync(PROGRAM)) return `there is no ${PROGRAM}: run .ci/get-nats-server`;
  if (!existsSync(join(CLIENT_FOLDER, 'node_modules'))) return `there is no client in ${CLIENT_FOLDER}`;
  return undefined;
}

/** `describe` where a server can be started; where not, one skipped test says why. */
export function describeWithServer(name: string, tests: () => void): void {
  const missing = missingServer();
  if (missing === undefined) describe(name, tests);
  else describe(name, () => it.skip(`needs a server of NATS, and ${missing}`, () => {}));
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly name: string;
  readonly pid: number | undefined;
  /** Ends it with a signal, and waits. */
  kill(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Starts it again, with the data on its disk. */
  start(): Promise<void>;
  /** Removes the data on its disk. It must have ended. */
  loseDisk(): void;
  /** Ends it and removes its directory. */
  dispose(): Promise<void>;
}

export interface ServerOptions {
  readonly name?: string;
  /** More lines of its configuration. */
  readonly lines?: readonly string[];
  readonly jetstream?: readonly string[];
  readonly cluster?: { readonly port: number; readonly routes: readonly string[]; readonly advertise?: string };
}

/** Starts one and waits until it can be reached. */
export async function startNatsServer(options: ServerOptions = {}): Promise<NatsServer> {
  const server = await prepareNatsServer(options);
  await server.start();
  return server;
}

export async function prepareNatsServer({
  name = 'one',
  lines = [],
  jetstream = [],
  cluster,
}: ServerOptions): Promise<NatsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-nats-'));
  const port = await freePort();
  const file = join(directory, 'server.conf');
  const own = [
    `server_name: ${name}`,
    `listen: 127.0.0.1:${port}`,
    `jetstream { store_dir: "${directory}/data"\n ${['max_memory_store: 64MB', ...jetstream].join('\n ')} }`,
    `pid_file: "${directory}/pid"`,
    ...lines,
  ];
  if (cluster) {
    own.push(`cluster { name: tests, listen: 127.0.0.1:${cluster.port}, no_advertise: true, pool_size: -1`);
    if (cluster.advertise) own.push(`  advertise: "${cluster.advertise}"`);
    own.push(`  routes: [${cluster.routes.map((route) => `"${route}"`).join(', ')}] }`);
  }
  writeFileSync(file, own.join('\n'));
  let child: ChildProcess | undefined;
  const ended = () =>
    new Promise<void>((resolve) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    name,
    get pid() {
      return child?.pid;
    },
    signal: (signal) => void child?.kill(signal),
    async kill(signal) {
      child?.kill(signal);
      await ended();
    },
    async start() {
      child = spawn(PROGRAM, ['-c', file, '-l', join(directory, 'log')], { stdio: 'ignore' });
      const begun = child;
      await until(async () => {
        if (begun.exitCode !== null) throw new Error(`nats-server ended with ${begun.exitCode}: see ${directory}/log`);
        return answers(port);
      });
    },
    loseDisk: () => rmSync(join(directory, 'data'), { recursive: true }),
    async dispose() {
      child?.kill('SIGKILL');
      await ended();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  running.add(server);
  return server;
}

/** The servers that are left when the process of the tests ends. */
const running = new Set<NatsServer>();
process.once('exit', () => {
  for (const server of running) server.signal('SIGKILL');
});

const given = new Set<number>();

/** A port that no program has, below those that the system gives to outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (given.has(port)) continue;
    given.add(port);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Whether a server answers there. */
export async function answers(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
