// The client of NATS, as far as this folder uses it, and how it is found. The packages are optional: they are not among
// what ollm installs, so they are described here by the few calls that are made, and loaded only when a store on NATS
// is opened. Each version of the packages that has these calls will do.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OllmError } from '../errors/index.ts';

/** What must be installed, with the version that this was tried with. */
const CLIENT_PACKAGES = ['transport-node', 'jetstream', 'kv', 'obj'].map((name) => `@nats-io/${name}@3`);

export interface Headers {
  get(name: string): string;
  set(name: string, value: string): void;
}

export interface NatsConnection {
  readonly info?: { readonly version: string; readonly max_payload: number } | undefined;
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: ReceivedMessage) => void },
  ): { unsubscribe(): void };
  publish(subject: string, data: string | Uint8Array, options: { reply?: string; headers?: Headers }): void;
  getServer(): string;
  close(): Promise<void>;
  isClosed(): boolean;
  /** Leaves this server for another one. */
  reconnect(): Promise<void>;
}

interface NatsConnectOptions {
  readonly servers: readonly string[];
  readonly name: string;
  readonly user?: string | undefined;
  readonly pass?: string | undefined;
  readonly token?: string | undefined;
  readonly authenticator?: Authenticator | undefined;
  readonly tls?: object | undefined;
  readonly timeout?: number;
  readonly reconnect?: boolean;
  readonly maxReconnectAttempts?: number;
  readonly reconnectTimeWait?: number;
  readonly pingInterval?: number;
  readonly maxPingOut?: number;
  /** Makes no stack of the caller for each request, which takes longer than the request itself. */
  readonly noAsyncTraces?: boolean;
}

/** Answers what a server asks at the beginning. Throws where its credentials cannot be read. */
export type Authenticator = (nonce: string) => unknown;

/** A message as a subscription gives it. */
export interface ReceivedMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** For a message of a stream: its place there. */
  readonly reply?: string | undefined;
  /** `code`: that of a status of the server itself, not of a message in a stream; otherwise 0. */
  readonly headers?: (Headers & { readonly code: number }) | undefined;
}

/** A message as the stream has it. */
interface NatsMessage {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
  readonly header: Headers;
  readonly time: Date;
}

/** Makes and ends consumers without an answer to each message. */
export interface Consumers {
  /** `num_pending`: how many messages it has to send. */
  add(stream: string, config: object): Promise<{ readonly name: string; readonly num_pending: number }>;
  delete(stream: string, name: string): Promise<boolean>;
}

export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly storage: string;
  readonly retention: string;
  readonly discard: string;
  readonly num_replicas: number;
  readonly max_age: number;
  readonly max_msgs: number;
  readonly max_bytes: number;
  readonly max_msgs_per_subject: number;
  readonly max_msg_size: number;
}

export interface StreamInfo {
  /** RFC 3339: the time by the clock of the server that answers. */
  readonly ts?: string | undefined;
  /** RFC 3339, and so is `first_ts`: the time of the first message that is there. */
  readonly created?: string | undefined;
  readonly config: StreamConfig;
  readonly state: {
    readonly messages: number;
    readonly bytes: number;
    readonly last_seq: number;
    readonly first_ts?: string | undefined;
  };
  readonly cluster?: {
    readonly leader?: string;
    readonly replicas?: readonly { readonly name: string; readonly current: boolean }[];
  };
}

export interface Streams {
  info(stream: string): Promise<StreamInfo>;
  add(config: object): Promise<StreamInfo>;
  /** `seq`: only messages before it; without it, all. */
  purge(stream: string, options: { filter: string; seq?: number }): Promise<{ readonly purged: number }>;
  getMessage(stream: string, query: object): Promise<NatsMessage | null>;
}

interface PublishAcknowledgement {
  readonly seq: number;
}

export interface JetStream {
  publish(
    subject: string,
    data: Uint8Array,
    options: { headers: Headers; msgID: string; timeout: number; retries: number },
  ): Promise<PublishAcknowledgement>;
}

export interface KvEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  readonly created: Date;
  readonly operation: 'PUT' | 'DEL' | 'PURGE';
}

export interface Bucket {
  get(key: string): Promise<KvEntry | null>;
  put(key: string, value: Uint8Array, options?: { previousSeq?: number }): Promise<number>;
  delete(key: string, options?: { previousSeq?: number }): Promise<void>;
  purge(key: string): Promise<void>;
  history(options: { key: string }): Promise<AsyncIterable<KvEntry>>;
}

interface ObjectInfo {
  readonly name: string;
  readonly size: number;
  readonly deleted: boolean;
}

export interface Objects {
  info(name: string): Promise<ObjectInfo | null>;
  list(): Promise<readonly ObjectInfo[]>;
  get(
    name: string,
  ): Promise<{ readonly data: ReadableStream<Uint8Array>; readonly error: Promise<Error | null> } | null>;
  getBlob(name: string): Promise<Uint8Array | null>;
  putBlob(meta: { name: string }, data: Uint8Array): Promise<ObjectInfo>;
  delete(name: string): Promise<unknown>;
}

/** The packages, put together. */
export interface NatsClient {
  connect(options: NatsConnectOptions): Promise<NatsConnection>;
  headers(): Headers;
  /** A subject that no other program listens to. */
  inbox(): string;
  credentials(contents: Uint8Array): Authenticator;
  nkey(seed: Uint8Array): Authenticator;
  jetstream(connection: NatsConnection, options?: { timeout?: number }): JetStream;
  manager(connection: NatsConnection): Promise<{ readonly streams: Streams; readonly consumers: Consumers }>;
  bucket(jetstream: JetStream, name: string): Promise<Bucket>;
  createBucket(jetstream: JetStream, name: string, options: object): Promise<Bucket>;
  objects(jetstream: JetStream, name: string): Promise<Objects>;
  createObjects(jetstream: JetStream, name: string, options: object): Promise<Objects>;
}

/**
 * Loads the packages from the first of these folders that has them; the last resort is what ollm itself was installed
 * with.
 * @throws OllmError STORE_CLIENT_MISSING
 */
export function loadClient(folders: readonly string[]): NatsClient {
  const places = [...folders.map((folder) => join(folder, 'package.json')), import.meta.url];
  for (const place of places) {
    const require = createRequire(place);
    if (!has(require, '@nats-io/transport-node')) continue;
    return assembled(require);
  }
  const [folder = '.'] = folders;
  throw new OllmError('STORE_CLIENT_MISSING', 'The client of NATS is not installed, which a store on NATS needs.', {
    hint: `Install it with: npm install --prefix ${folder} ${CLIENT_PACKAGES.join(' ')}`,
    data: { folders },
  });
}

function has(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function assembled(require: NodeJS.Require): NatsClient {
  const { connect, headers, createInbox, credsAuthenticator, nkeyAuthenticator } = require('@nats-io/transport-node');
  const { jetstream, jetstreamManager } = require('@nats-io/jetstream');
  const { Kvm } = require('@nats-io/kv');
  const { Objm } = require('@nats-io/obj');
  return {
    connect,
    headers,
    inbox: createInbox,
    credentials: credsAuthenticator,
    nkey: nkeyAuthenticator,
    jetstream,
    manager: (connection) => jetstreamManager(connection, { checkAPI: false }),
    // The read value may decide something, so the leader is asked and not any replica.
    bucket: (js, name) => new Kvm(js).open(name, { allow_direct: false, bindOnly: true }),
    createBucket: (js, name, options) => new Kvm(js).create(name, { ...options, allow_direct: false }),
    objects: (js, name) => new Objm(js).open(name),
    createObjects: (js, name, options) => new Objm(js).create(name, options),
  };
}
