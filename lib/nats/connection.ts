// The connection to the servers of a store, made at the first use and checked once: the version of the server, and the
// guarantees of the tenant's stream and buckets. The client restores a lost connection.
import { OllmError } from '../errors/index.ts';
import type {
  Authenticator,
  Bucket,
  Consumers,
  JetStream,
  NatsClient,
  NatsConnection,
  Objects,
  Streams,
} from './client.ts';
import { connectingError } from './connecting-error.ts';
import { asked } from './errors.ts';
import type { Layout } from './layout.ts';
import { requireStreams } from './requirements.ts';
import { identityCheckFor } from './server-identity.ts';

/** Credentials as they were read from files. At most one of the kinds. */
export interface NatsCredentials {
  readonly credentials?: Uint8Array | undefined;
  readonly nkey?: Uint8Array | undefined;
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  readonly token?: string | undefined;
}

export interface NatsPlace {
  /** `nats://host:port`, or `tls://…`; several, of one cluster, in any order. */
  readonly servers: readonly string[];
  readonly tenant: string;
  readonly credentials?: NatsCredentials | undefined;
  /** PEM, as text. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Refuse a stream with fewer copies. Default: 1. */
  readonly replicas?: number | undefined;
  /** How long the outcome of an append is looked for before the writer gives up. Default: 30,000. */
  readonly patienceMs?: number | undefined;
  /** How long one answer is waited for. Default: 3,000. */
  readonly requestMs?: number | undefined;
}

/** The state that the parts of a store share. */
export interface NatsSession {
  readonly layout: Layout;
  readonly js: JetStream;
  readonly streams: Streams;
  readonly consumers: Consumers;
  readonly names: Bucket;
  readonly objects: Objects;
  readonly connection: NatsConnection;
  readonly maxPayload: number;
  readonly patienceMs: number;
  readonly requestMs: number;
  readonly headers: NatsClient['headers'];
  readonly inbox: NatsClient['inbox'];
}

/** Now, in milliseconds since 1970, by the clock that dates leases. */
export async function serverTime({ streams, layout }: NatsSession): Promise<number> {
  const { ts } = await asked('Cannot ask the server for the time', () => streams.info(layout.namesStream));
  return Date.parse(ts ?? '') || 0;
}

/** The first version with `sync_interval: always`. */
const OLDEST = [2, 10] as const;
/** The maximum size that NATS recommends for a message, and the room for its headers. */
export const HEADER_BYTES = 4096;

/** @throws OllmError STORE_UNREACHABLE, STORE_REFUSED, CONFIG_INVALID */
export async function connectTo(client: NatsClient, place: NatsPlace, name: string): Promise<NatsConnection> {
  const { servers, credentials, tls, requestMs = 3_000 } = place;
  const { user, token } = credentials ?? {};
  const authenticator = authenticatorOf(client, credentials);
  try {
    return await client.connect({
      servers,
      name,
      ...(user ? { user: user.name, pass: user.password } : {}),
      ...(token === undefined ? {} : { token }),
      ...(authenticator ? { authenticator } : {}),
      ...(tls ? { tls: { ...tls, checkServerIdentity: identityCheckFor(servers) } } : {}),
      timeout: requestMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      // A cut that closes nothing is noticed after this.
      pingInterval: 5_000,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
  } catch (error) {
    throw connectingError(place, error);
  }
}

function authenticatorOf(client: NatsClient, credentials: NatsCredentials | undefined): Authenticator | undefined {
  const { credentials: contents, nkey } = credentials ?? {};
  const authenticator = contents ? client.credentials(contents) : nkey && client.nkey(nkey);
  try {
    // The client would ask for it in the middle of a connection, and report a server that does not answer.
    authenticator?.('');
    return authenticator;
  } catch (error) {
    throw new OllmError('CONFIG_INVALID', `The credentials of "store" cannot be used: ${(error as Error).message}.`, {
      hint: 'Put the file that was made for this user, as it was made, where nats.credentialsFile points.',
      cause: error,
    });
  }
}

/** @throws OllmError STORE_NOT_READY, and what requests throw */
export async function openSession(
  client: NatsClient,
  connection: NatsConnection,
  place: NatsPlace,
  layout: Layout,
): Promise<NatsSession> {
  requireVersion(connection);
  const { requestMs = 3_000, patienceMs = 30_000 } = place;
  const js = client.jetstream(connection, { timeout: requestMs });
  const { streams, consumers } = await client.manager(connection);
  const info = await requireStreams(streams, layout, place.replicas ?? 1);
  const [names, objects] = await asked('Cannot open the store', () =>
    Promise.all([client.bucket(js, layout.bucket), client.objects(js, layout.objects)]),
  );
  const { max_msg_size: most } = info.config;
  const maxPayload = Math.min(connection.info?.max_payload ?? 1024 * 1024, most > 0 ? most : Number.POSITIVE_INFINITY);
  const { headers, inbox } = client;
  const of = { layout, js, streams, consumers, names, objects, connection };
  return { ...of, maxPayload, patienceMs, requestMs, headers, inbox };
}

/** @throws OllmError STORE_NOT_READY */
export function requireVersion(connection: NatsConnection): void {
  const version = connection.info?.version ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new OllmError('STORE_NOT_READY', `The server is nats-server ${version}, which is too old.`, {
    hint: `Get ${OLDEST.join('.')} or newer: older ones ignore what ollm asks of them.`,
    data: { version },
  });
}
