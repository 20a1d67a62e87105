// A server on 127.0.0.1 that says exactly the bytes it is told to, in the pieces it is told to, and breaks off as told.
// For what a well-behaved mock cannot do: half a frame, a split character, a socket that stalls or resets.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { endWithTests } from './end-with-tests.ts';
import { until } from './until.ts';

/**
 * Bytes go out as one piece each; `stall` says nothing more, `cut` closes and `reset` resets the connection; what
 * follows `until` waits for that.
 */
export type Step =
  | string
  | Uint8Array
  | { readonly fault: 'stall' | 'cut' | 'reset' }
  | { readonly until: Promise<unknown> };

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed, where it was JSON. */
  readonly body: unknown;
}

export interface FaultServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Resolves when no connection is open any more. */
  allClosed(): Promise<void>;
}

/**
 * Answers by path; a path without an answer gets a plain 404. Of several answers each is given once, the last forever.
 */
export async function startFaultServer(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
): Promise<FaultServer> {
  const requests: SeenRequest[] = [];
  const given = new Map<string, number>();
  const nextAnswer = (path: string): Answer => {
    const answer = answers[path] ?? { status: 404, type: 'text/plain', steps: ['404 page not found'] };
    if (!isSeveral(answer)) return answer;
    const index = given.get(path) ?? 0;
    given.set(path, index + 1);
    return answer[Math.min(index, answer.length - 1)]!;
  };
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    requests.push({
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: await bodyOf(request),
    });
    await play(nextAnswer(request.url!), response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<unknown>((resolve) => server.close(resolve));
  };
  endWithTests(() => void end());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async allClosed() {
      await until(() => sockets.size === 0);
    },
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}

function isSeveral(answer: Answer | readonly Answer[]): answer is readonly Answer[] {
  return Array.isArray(answer);
}

/** An address on which nothing listens. */
export async function deadUrl(): Promise<string> {
  await using server = await startFaultServer({});
  return server.url;
}

async function play(
  { status = 200, type = 'application/x-ndjson', headers, steps = [] }: Answer,
  response: ServerResponse,
) {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.flushHeaders();
  for (const step of steps) {
    // A piece of its own on the wire: the one before it has left.
    await wait(2);
    if (typeof step === 'object' && 'until' in step) {
      await step.until;
      continue;
    }
    if (typeof step === 'object' && 'fault' in step) {
      if (step.fault === 'cut') response.socket?.destroy();
      if (step.fault === 'reset') response.socket?.resetAndDestroy();
      return;
    }
    response.write(step);
  }
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = (await request.toArray()).join('');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
