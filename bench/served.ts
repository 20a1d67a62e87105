// `ollm serve` in a process of its own, and requests and streams from this one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environmentOf, SCRIPT } from './program.ts';

export const LATE = 'ollm_event_loop_delay_seconds{quantile="0.99"}';
export const MEMORY = 'ollm_resident_bytes';
export const PROCESSOR = 'ollm_processor_seconds_total';

export interface BenchServer extends AsyncDisposable {
  readonly startMs: number;
  /** Answers with the body; how long it took is the caller's. With a body of its own it is a POST. */
  ask(path: string, body?: object): Promise<string>;
  /** Calls back for each event of a stream with its text. Returns what ends it. */
  follow(path: string, onEvent: (text: string) => void): Promise<() => void>;
  /** A figure of `/metrics`. */
  figure(name: string): Promise<number>;
}

export function startServer(home: string): Promise<BenchServer> {
  return start([SCRIPT, 'serve', '--port', '0', '--json'], home);
}

/** What Node needs at least for it. `journal`: of which it makes pages. */
export function startBareServer(home: string, ...journal: readonly string[]): Promise<BenchServer> {
  return start([join(import.meta.dirname, 'bare-server.ts'), join(home, 'bare-token'), ...journal], home);
}

async function start(parameters: readonly string[], home: string): Promise<BenchServer> {
  const started = performance.now();
  const child = spawn(process.execPath, [...parameters], {
    cwd: home,
    env: environmentOf(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const failed = once(child, 'close').then(([code]) => Promise.reject(new Error(`The server ended with ${code}`)));
  const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
  const { address, tokenFile } = JSON.parse(String(line)) as { address: string; tokenFile: string };
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
  const answerOf = async (path: string, options: RequestOptions, body?: object): Promise<IncomingMessage> => {
    const type = body && { 'content-type': 'application/json' };
    const sent = request(address + path, { ...options, headers: { ...headers, ...type } });
    // An error that ends a stream arrives at the stream too.
    sent.on('error', () => {}).end(body && JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    if (answer.statusCode! >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${await text(answer)}`);
    return answer;
  };
  const ask = async (path: string, body?: object) =>
    text(await answerOf(path, { agent, method: body === undefined ? 'GET' : 'POST' }, body));
  await ask('/health');
  return {
    startMs: performance.now() - started,
    ask,
    async follow(path, onEvent) {
      const answer = await answerOf(path, { agent: false });
      answer.on('error', () => {});
      answer.setEncoding('utf8').on('data', onEvent);
      return () => void answer.destroy();
    },
    async figure(name) {
      const line = (await ask('/metrics')).split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length));
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.kill('SIGTERM');
      await failed.catch(() => {});
    },
  };
}

/** A Node that does nothing but see how late it is. Returns what asks it, in milliseconds, and ends it. */
export async function idleNode(): Promise<() => Promise<number>> {
  const script = `
    const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    process.on('message', () => process.send(delay.percentile(99) / 1e6, () => process.disconnect()));
    process.send('ready');`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(child, 'message');
  return async () => {
    child.send('now');
    const [late] = await once(child, 'message');
    return Number(late);
  };
}
