// A server from its start to its end: token, port, app; and at the end streams are closed and requests answered.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { OllmError } from '../errors/index.ts';
import type { Host } from '../host/open-host.ts';
import { createServerApp } from './app.ts';
import type { ServerContext } from './context.ts';
import { Credentials, linkTo } from './credentials.ts';
import { firstSync } from './first-sync.ts';
import { createGuests } from './guests.ts';
import { HANDLERS } from './handlers.ts';
import { type Certificate, listen } from './listen.ts';
import { readPageFiles } from './page-files.ts';
import { pruneAssets } from './prune-assets.ts';
import { SessionFeed } from './session-feed.ts';
import { listedSessions } from './sessions.ts';
import { readOrMakeToken, usualTokenFile } from './token.ts';
import { UnreadBytes } from './unread-bytes.ts';

export interface ServeOptions {
  /** Where it listens. Default: `server.host`, 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: `server.port`. 0: any that is free. */
  readonly port?: number | undefined;
  /** Default: `server.tokenFile`, `$OLLM_HOME/server-token`. */
  readonly tokenFile?: string | undefined;
  readonly certificate?: Certificate | undefined;
  /** Whether a proxy before it does TLS and sends the host that browsers see, one of `server.hosts`. */
  readonly isBehindProxy?: boolean | undefined;
  /** The built page. */
  readonly pageDirectory: string;
}

export interface RunningServer {
  /** Where programs of this machine reach it: `http://127.0.0.1:4700`. */
  readonly address: string;
  readonly tokenFile: string;
  /** A link for a browser, which works once. */
  makeLink(): string;
  /** Ends turns and streams, answers requests under way, and closes the port and the host. */
  close(): Promise<void>;
}

const DELAY_RESOLUTION_MS = 5;
/** Bytes that streams of events hold for clients that do not read, all of them together. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** After the start, so that the first requests do not wait for it. */
const FIRST_SYNC_MS = 1_000;
/** How long a request that is under way may take once the server is being stopped. */
const CLOSING_MS = 2_000;

/**
 * The host is closed with the server; if this throws, the caller closes it.
 * @throws OllmError CONFIG_INVALID (the address needs TLS, the token file), IO_FAILED (the port is taken)
 */
export async function startServer(host: Host, options: ServeOptions): Promise<RunningServer> {
  const { app } = host;
  const settings = app.config.server;
  const { host: address = settings.host, port = settings.port, certificate, isBehindProxy = false } = options;
  if (!isLoopback(address) && certificate === undefined && !isBehindProxy) throw needsTls(address);
  if (isBehindProxy && settings.hosts.length === 0) throw needsHosts();
  const tokenFile = resolve(options.tokenFile ?? usualTokenFile(app));
  const token = await readOrMakeToken(app, tokenFile);
  pruneAssets(app);
  const stopping = new AbortController();
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const isSecure = certificate !== undefined || isBehindProxy;
  const addressOf = (taken: number) => `${certificate ? 'https' : 'http'}://${reachable(address)}:${taken}`;
  const browserAddressOf = (taken: number) =>
    isSecure && settings.hosts[0] !== undefined ? `https://${settings.hosts[0].toLowerCase()}` : addressOf(taken);
  const guests = createGuests(app, stopping.signal);
  let context: ServerContext | undefined;
  const listening = await listen({ host: address, port, certificate }, (taken) => {
    const credentials = new Credentials({ token, port: taken, isSecure, now: () => app.clock.now() });
    context = {
      host,
      app,
      work: host.work,
      credentials,
      guests,
      browserAddress: browserAddressOf(taken),
      delay,
      feed: new SessionFeed({
        newest: (limit) => listedSessions({ host, work: host.work }, { limit }, stopping.signal),
        counts: () => host.work.run('counts', {}, { signal: stopping.signal }),
        stopping: stopping.signal,
        onProblem: (error) =>
          app.log.warn({ service: 'server', operation: 'list', error }, 'The sessions could not be listed'),
      }),
      clients: { open: 0, evicted: 0, unread: new UnreadBytes(MOST_UNREAD_BYTES) },
      catalog: { isSyncing: false, tookMs: 0, sessions: 0, left: 0, wholeAtMs: performance.now() },
      answered: new Map(),
      instance: host.instance,
      startedAt: new Date(app.clock.now()).toISOString(),
      stopping: stopping.signal,
    };
    const entry = {
      credentials,
      guests,
      guestsMayWrite: settings.guestsMayWrite,
      ...namesOf({ host: address, port: taken, isSecure, others: settings.hosts }),
    };
    const server = createServerApp({ context, entry, handlers: HANDLERS, page: readPageFiles(options.pageDirectory) });
    return (request, env) => server.fetch(request, env);
  });
  const syncTimer = setTimeout(() => void firstSync(context!), FIRST_SYNC_MS).unref();
  const url = addressOf(listening.port);
  await host.announce(url, {
    tokenFile,
    browserAddress: browserAddressOf(listening.port),
    certificate: certificate && Buffer.from(certificate.cert).toString('latin1'),
  });
  return {
    address: url,
    tokenFile,
    makeLink: () => linkTo(context!).link,
    async close() {
      stopping.abort();
      clearTimeout(syncTimer);
      delay.disable();
      // Turns end in order, and with the host the streams of events.
      await host.close();
      await listening.close(CLOSING_MS);
    },
  };
}

/** The values that `Host` and `Origin` may have. */
function namesOf({
  host,
  port,
  isSecure,
  others,
}: {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly others: readonly string[];
}): { readonly hosts: ReadonlySet<string>; readonly origins: ReadonlySet<string> } {
  const own = ['127.0.0.1', 'localhost', '[::1]', ...(isUnspecified(host) ? [] : [inUrl(host)])];
  const named = others.map((name) => name.toLowerCase());
  const hosts = new Set([...own.map((name) => `${name}:${port}`), ...named]);
  // A proxy may speak TLS to the browser and plain text to this server.
  const schemes = isSecure ? ['https'] : ['http'];
  const origins = new Set([...hosts].flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`)));
  return { hosts, origins };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function reachable(host: string): string {
  return isUnspecified(host) ? '127.0.0.1' : inUrl(host);
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

function needsTls(host: string): OllmError {
  return new OllmError(
    'CONFIG_INVALID',
    `${host} can be reached from other machines, and without TLS all can read along.`,
    {
      hint: 'Give --cert and --key, or --behind-proxy if a proxy in front of it does TLS.',
      data: { host },
    },
  );
}

function needsHosts(): OllmError {
  return new OllmError('CONFIG_INVALID', 'Behind a proxy the server must know the name that browsers use.', {
    hint: 'Name it in your configuration, such as "server: { hosts: [ollm.example.org] }".',
  });
}
