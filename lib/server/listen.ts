// A hono app on a port: HTTP, or HTTPS with a certificate. Slow and endless requests are ended by Node's own limits.
// Connections are counted; one that has not sent a whole request yet makes room for a newer one.
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { OllmError, systemErrorCode } from '../errors/index.ts';

export interface Certificate {
  /** PEM. */
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

interface Listening {
  readonly port: number;
  /** Resolves once no connection is left; `endMs` after the call those that are left are cut. */
  close(endMs: number): Promise<void>;
}

export type Answering = (request: Request, env: HttpBindings) => Response | Promise<Response>;

const LIMITS = {
  /** The most sessions that are followed on one connection, with the longest ids, and the id of their last event. */
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 10_000,
  /** How often Node looks for requests that are too slow. */
  connectionsCheckingInterval: 5_000,
};
/** A client that has not said hello by then. */
const HANDSHAKE_MS = 10_000;

interface ConnectionLimits {
  /** Connections of the server: those that follow events, and others. Further ones are closed at once. */
  readonly connections: number;
  /** Connections that have not sent the head of a request yet. The oldest is closed for a newer one. */
  readonly silent: number;
}

const CONNECTIONS: ConnectionLimits = { connections: 5_120, silent: 1_024 };

/**
 * `answering`: called with the port first, because port 0 is any free one.
 *
 * @throws OllmError IO_FAILED, CONFIG_INVALID
 */
export async function listen(
  {
    host,
    port,
    certificate,
    limits = CONNECTIONS,
  }: {
    readonly host: string;
    readonly port: number;
    readonly certificate?: Certificate | undefined;
    readonly limits?: ConnectionLimits;
  },
  answering: (port: number) => Answering,
): Promise<Listening> {
  let answer: Answering | undefined;
  const fetch: Answering = (request, env) => answer!(request, env);
  const server = makeServer(fetch, certificate);
  server.maxConnections = limits.connections;
  limitSilent(server, certificate ? 'secureConnection' : 'connection', limits.silent);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  answer = answering(taken);
  return {
    port: taken,
    close: (endMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), endMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function makeServer(fetch: Answering, certificate: Certificate | undefined): Server {
  const common = { fetch: fetch as never, overrideGlobalObjects: false };
  try {
    const made = certificate
      ? createAdaptorServer({
          ...common,
          createServer: createSecureServer,
          serverOptions: { ...LIMITS, ...certificate, handshakeTimeout: HANDSHAKE_MS } as object,
        })
      : createAdaptorServer({ ...common, createServer, serverOptions: LIMITS });
    return made as Server;
  } catch (cause) {
    throw new OllmError('CONFIG_INVALID', `The certificate cannot be used: ${(cause as Error).message}`, {
      hint: '--cert and --key name files in PEM that belong together.',
      cause,
    });
  }
}

function limitSilent(server: Server, connected: 'connection' | 'secureConnection', most: number): void {
  const silent = new Set<Socket>();
  server.on(connected, (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    if (silent.size <= most) return;
    for (const oldest of silent) return void oldest.destroy();
  });
  server.on('request', ({ socket }) => silent.delete(socket));
}

function cannotListen(error: Error, host: string, port: number): OllmError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'that needs more rights',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host',
  };
  const reason = reasons[systemErrorCode(error) ?? ''] ?? error.message;
  return new OllmError('IO_FAILED', `Nothing can be served at ${host}:${port}: ${reason}.`, {
    hint: '"ollm serve --port 0" takes any free port.',
    cause: error,
  });
}
