// `ollm serve` in a process of its own, and requests and streams from this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BenchServer {
  readonly port: number;
  readonly startMs: number;
  /** Answers with the body; how long it took is the caller's. */
  get(path: string): Promise<string>;
  post(path: string, body: object): Promise<string>;
  /** Calls back for each event of a stream with its text. */
  follow(path: string, onEvent: (text: string) => void): Promise<() => void>;
  /** Some of the figures of `/metrics`, of the same moment. */
  figures<Name extends string>(...names: readonly Name[]): Promise<Record<Name, number>>;
  end(): Promise<void>;
}

const BARE = fileURLToPath(new URL('bare-server.ts', import.meta.url));

/** `script`: the program. */
export function startServer(script: string, home: string): Promise<BenchServer> {
  return start([script, 'serve', '--port', '0', '--json'], home);
}

/** What Node needs at least for it. `journal`: of which it makes pages. */
export function startBareServer(home: string, journal?: string): Promise<BenchServer> {
  return start([BARE, join(home, 'bare-token'), ...(journal === undefined ? [] : [journal])], home);
}

async function start(parameters: readonly string[], home: string): Promise<BenchServer> {
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, [...parameters], {
    cwd: home,
    env: { ...process.env, HOME: home, OLLM_HOME: home, OLLAMA_HOST: 'http://127.0.0.1:9' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').once('data', resolve);
    child.once('close', (code) => reject(new Error(`ollm serve ended with ${code}`)));
  });
  const { address, tokenFile } = JSON.parse(line) as { address: string; tokenFile: string };
  const port = Number(new URL(address).port);
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const send = (method: string, path: string, body?: object) =>
    new Promise<string>((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(
        { port, host: '127.0.0.1', method, path, agent, headers: { ...headers, ...type } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          answer.on('end', () => {
            if ((answer.statusCode ?? 500) < 300) resolve(text);
            else reject(new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
          });
        },
      );
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  const server: BenchServer = {
    port,
    startMs: 0,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    follow: (path, onEvent) =>
      new Promise((resolve, reject) => {
        const sent: ClientRequest = request({ port, host: '127.0.0.1', path, headers, agent: false }, (answer) => {
          answer.setEncoding('utf8').on('data', onEvent);
          answer.on('error', () => {});
          if (answer.statusCode === 200) resolve(() => void sent.destroy());
          else reject(new Error(`${path} answered ${answer.statusCode}`));
        });
        sent.on('error', reject);
        sent.end();
      }),
    async figures(...names) {
      const lines = (await server.get('/metrics')).split('\n');
      const textOf = (name: string) => lines.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1);
      return Object.fromEntries(names.map((name) => [name, Number(textOf(name))])) as never;
    },
    async end() {
      agent.destroy();
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
  await server.get('/health');
  return { ...server, startMs: performance.now() - started };
}

/** A Node that does nothing but see how late it is. */
export async function idleNode(): Promise<{ late(): Promise<number> }> {
  const script = `
    const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    process.on('message', () => process.send(delay.percentile(99) / 1e6, () => process.disconnect()));
    process.send('ready');`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const next = () => new Promise<unknown>((resolve) => child.once('message', resolve));
  await next();
  return {
    async late() {
      const late = next();
      child.send('now');
      return Number(await late);
    },
  };
}
