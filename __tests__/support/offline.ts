// Programs of other makers, run so that they reach only a model server of the test: in a network namespace of their own
// that has only loopback, or, if this user may not make one, with every proxy pointing at a closed port. They get an
// emptied environment and a home of their own. The processes that they leave running are ended, by their ids.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from './cli.ts';
import { endWithTests } from './end-with-tests.ts';
import type { ScriptedTurn } from './scripted-turn.ts';
import { KEEP_COMPILED } from './source-child.ts';
import { createTree } from './tree.ts';

export interface Offline extends AsyncDisposable {
  /** The url of the model server. */
  readonly url: string;
  readonly home: string;
  /** The command and the environment that run this one there: for a terminal. */
  inside(command: readonly string[]): { readonly argv: readonly string[]; readonly env: Record<string, string> };
  /** Runs a program to its end, and gives its output. */
  run(command: readonly string[], options: OfflineOptions): Promise<string>;
  /** The messages of each request that the model server answered. */
  requests(): readonly unknown[];
  /** Ends the processes that the programs have left running. */
  endLeftovers(): void;
}

export interface OfflineOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends it as Ctrl+C does, as soon as a slow answer has begun. */
  readonly isInterrupted?: boolean | undefined;
  /** Kills only the program then. */
  readonly isKilled?: boolean | undefined;
}

const PATIENCE_MS = 300_000;
/** Until a program has taken in the first words of a slow answer. */
const FIRST_WORDS_MS = 1500;
/** After the end of a program, until all that it printed is here. */
const LAST_WORDS_MS = 1000;
const SERVER = join(import.meta.dirname, 'model-server.ts');
const CLOSED = 'http://127.0.0.1:9';

/** Where programs run, with these files in their home. */
export async function goOffline(
  turns: readonly ScriptedTurn[],
  files: (url: string) => Readonly<Record<string, string>>,
): Promise<Offline> {
  const tree = createTree();
  // Not in the home: tests look there for texts that the programs stored.
  const asked = createTree();
  const log = join(asked.root, 'requests.jsonl');
  const isIsolated = canIsolate();
  const alone = isIsolated ? ['unshare', ...NAMESPACES, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] : [];
  const serve = [process.execPath, '--no-warnings', SERVER, JSON.stringify(turns), log];
  const server = start([...alone, ...serve], { cwd: ROOT, env: { PATH: process.env.PATH } });
  const beside = isIsolated ? ['nsenter', `--target=${server.pid}`, ...NAMESPACES_OF_TARGET] : [];
  const lines = createInterface(server.stdout!);
  const url = await nextLine(lines);
  tree.write({ 'tmp/': '', ...files(url) });
  return {
    url,
    home: tree.root,
    inside: (command) => ({ argv: [...beside, ...command], env: environment(tree.root, isIsolated) }),
    async run(command, { cwd, env, isInterrupted = false, isKilled = false }) {
      const all = { ...environment(tree.root, isIsolated), ...env };
      const child = start([...beside, ...command], { cwd, env: all, detached: true });
      // The server prints a line when a slow answer begins.
      const end = () => (isKilled ? child.kill('SIGKILL') : signalGroup(child, 'SIGINT'));
      const interrupt = () => setTimeout(end, FIRST_WORDS_MS);
      if (isInterrupted || isKilled) lines.once('line', interrupt);
      const output = await outputOf(child, isKilled);
      lines.off('line', interrupt);
      return output;
    },
    requests: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    endLeftovers: () => endThoseOf(tree.root),
    async [Symbol.asyncDispose]() {
      endThoseOf(tree.root);
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'close');
      tree[Symbol.dispose]();
      asked[Symbol.dispose]();
    },
  };
}

const NAMESPACES = ['--net', '--user', '--map-root-user'];
const NAMESPACES_OF_TARGET = ['--net', '--user', '--preserve-credentials'];

function canIsolate(): boolean {
  return spawnSync('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
}

function start([command = '', ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, stdio: [options.detached ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  endWithTests(() => child.kill('SIGKILL'));
  return child;
}

/** Nothing of the machine's own: no key, no proxy, no setting. */
function environment(home: string, isIsolated: boolean): Record<string, string> {
  const own = { HOME: home, TMPDIR: join(home, 'tmp'), LANG: 'C.UTF-8', TERM: 'dumb', USER: 'me' };
  // Most of them are large scripts, which are compiled once then, for all homes.
  const node = { ...KEEP_COMPILED, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const proxies = { HTTP_PROXY: CLOSED, HTTPS_PROXY: CLOSED, ALL_PROXY: CLOSED, NO_PROXY: '127.0.0.1,localhost' };
  const lower = Object.fromEntries(Object.entries(proxies).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...own, ...node, ...(isIsolated ? {} : { ...proxies, ...lower }) };
}

async function nextLine(lines: Interface): Promise<string> {
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(PATIENCE_MS) })) as [string];
  return line;
}

async function outputOf(child: ChildProcess, isKilled = false): Promise<string> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const patience = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS);
  const closed = once(child, 'close');
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(patience);
  // A process that it has left running may hold its output open.
  await Promise.race([closed, wait(LAST_WORDS_MS, undefined, { ref: false })]);
  if (signal === 'SIGKILL' && !isKilled)
    throw new Error(`${child.spawnargs.join(' ')} did not end. It printed:\n${output}`);
  return output;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // It has ended.
  }
}

/** Ends each process that was given this home, also one that left its group. */
function endThoseOf(home: string): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (readFileSync(`/proc/${name}/environ`, 'utf8').includes(`HOME=${home}\0`))
        process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
