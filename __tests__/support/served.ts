// A running `ollm serve` in a process of its own, on a port of its own, and requests to it as its clients make them.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Home, RunOptions } from './cli.ts';
import { inTime, until } from './until.ts';

/** The answer of a server, with the type that a test expects. */
// biome-ignore lint/suspicious/noExplicitAny: any member may be looked at
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body of a JSON answer. */
  readonly body: Json;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends no token. */
  readonly isStranger?: boolean;
}

export interface Served extends AsyncDisposable {
  readonly address: string;
  readonly token: string;
  readonly child: ReturnType<Home['start']>;
  /** The output on standard error. */
  readonly stderr: () => string;
  /** As the path is, without making it simpler. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** `data` of a good answer. */
  data(path: string, options?: AskOptions): Promise<Json>;
  post(path: string, body?: object, options?: AskOptions): Promise<Answer>;
  /** Asks it to end, and waits. */
  end(signal?: NodeJS.Signals): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

export async function serve(
  home: Pick<Home, 'start'>,
  args: readonly string[] = [],
  options?: RunOptions,
): Promise<Served> {
  const child = home.start(['serve', '--port', '0', '--json', ...args], options);
  let stderr = '';
  let stdout = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.on('close', (...how) => resolve(how)),
  );
  const begun = new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('\n')) resolve(stdout);
    });
    child.on('close', (code) => reject(new Error(`ollm serve ended with ${code}: ${stderr}`)));
  });
  const line = await inTime(begun, 'The start of ollm serve');
  const { address, tokenFile } = JSON.parse(line.split('\n')[0]!) as { address: string; tokenFile: string };
  const token = readFileSync(tokenFile, 'utf8').trim();
  const served: Served = {
    address,
    token,
    child,
    stderr: () => stderr,
    ask: (path, { isStranger, headers, ...rest } = {}) =>
      send(address, path, {
        ...rest,
        headers: { ...(!isStranger && { authorization: `Bearer ${token}` }), ...headers },
      }),
    async data(path, asked) {
      const { status, body, text } = await served.ask(path, asked);
      if (body?.success !== true) throw new Error(`${path} answered ${status}: ${text.slice(0, 500)}`);
      return body.data;
    },
    post: (path, body, asked) =>
      served.ask(path, {
        method: 'POST',
        ...asked,
        headers: { 'content-type': 'application/json', ...asked?.headers },
        body: JSON.stringify(body ?? {}),
      }),
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return inTime(ended, 'The end of ollm serve');
    },
    async [Symbol.asyncDispose]() {
      await served.end('SIGKILL');
    },
  };
  return served;
}

/** Waits until no turn of a session runs and none waits: a prompt is accepted before its turn begins. */
export function atRest(server: Pick<Served, 'data'>, id: string): Promise<void> {
  return until(async () => {
    const { activity, queue } = await server.data(`/api/llm/sessions/${id}/activity`);
    return ['free', 'not-held'].includes(activity.kind) && queue.length === 0;
  });
}

function send(address: string, path: string, { method = 'GET', headers = {}, body }: AskOptions): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const answered = new Promise<Answer>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        // It would never end.
        answer.on('error', () => {});
        sent.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: '', body: undefined });
        return;
      }
      const pieces: Uint8Array[] = [];
      answer.on('data', (piece: Uint8Array) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const isJson = answer.headers['content-type']?.startsWith('application/json');
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          body: isJson && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
  return inTime(answered, `The answer to ${method} ${path}`);
}

/** A stream of events. Resolves once its first bytes came. */
export function follow(
  { address, token }: Pick<Served, 'address' | 'token'>,
  path: string,
  onText: (text: string) => void = () => {},
): Promise<{ readonly text: string; leave(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(address + path, { headers, agent: false }, (answer) => {
      const client = { text: '', leave: () => void asked.destroy() };
      answer.setEncoding('utf8').on('data', (text: string) => {
        client.text += text;
        onText(text);
        if (answer.statusCode === 200) resolve(client);
        else reject(new Error(`${path} answered ${answer.statusCode}: ${text}`));
      });
      answer.on('error', () => {});
    });
    asked.on('error', reject);
    asked.end();
  });
}
