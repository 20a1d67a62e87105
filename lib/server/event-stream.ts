// Server-sent events to one client. No more is requested than the client takes: missed events wait for it. A client
// that does not keep up with live events is disconnected, and if all clients together hold too much memory, so are
// those that hold most: they return with their last id.
import type { ServerResponse } from 'node:http';
import type { Delivery } from '../host/port/followers.ts';
import { kept } from '../platform/once.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** The clients that follow events. */
export interface Clients {
  open: number;
  evicted: number;
  readonly unread: UnreadBytes;
}

export interface EventStreamOptions {
  /**
   * The `id:` of a stored event of a session, or of the place that a client has at the beginning; the same client hands
   * it back as `Last-Event-ID`.
   */
  readonly idOf: (sessionId: string, eventId: string) => string;
  readonly clients: Clients;
  readonly heartbeatMs?: number | undefined;
  readonly patienceMs?: number | undefined;
}

const HEARTBEAT_MS = 15_000;
/** How long a client may take none of its missed events, or of a single long event. */
const PATIENCE_MS = 30_000;
/** Bytes that a client may have in its socket. */
const SOCKET_BYTES = 256 * 1024;
/** A piece above that is a single event. */
const PIECE_BYTES = 128 * 1024;

/** A subscription of a client. */
export interface FollowedSession {
  readonly sessionId: string;
  /** The id of the last event that the client has, or `start`. */
  readonly place: string;
  readonly deliveries: AsyncIterable<readonly Delivery[]>;
}

/** Resolves when the last subscription has ended, or the client is gone; `abort` then ends all of them. */
export async function sendEvents(
  outgoing: ServerResponse,
  followed: readonly FollowedSession[],
  abort: AbortController,
  { idOf, clients, heartbeatMs = HEARTBEAT_MS, patienceMs = PATIENCE_MS }: EventStreamOptions,
): Promise<void> {
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    ...Object.fromEntries(SECURITY_HEADERS),
  });
  outgoing.flushHeaders();
  clients.open += 1;
  const leave = () => abort.abort();
  outgoing.once('close', leave);
  const beat = setInterval(() => {
    if (outgoing.writableLength === 0) outgoing.write(': still here\n\n');
  }, heartbeatMs);
  beat.unref();
  let drained: Promise<boolean> | undefined;
  let lastBytes = 0;
  const letGo = (): boolean => {
    if (!outgoing.destroyed) clients.evicted += 1;
    outgoing.destroy();
    return false;
  };
  clients.unread.add(outgoing, letGo);
  /** `isLive`: it has all that there was. */
  const room = async (isLive: boolean): Promise<boolean> => {
    if (abort.signal.aborted || outgoing.destroyed) return false;
    if (outgoing.writableLength <= SOCKET_BYTES) return true;
    if (isLive && lastBytes <= PIECE_BYTES) return letGo();
    drained ??= hasDrained(outgoing, patienceMs).finally(() => {
      drained = undefined;
    });
    return (await drained) || letGo();
  };
  const send = async ({ sessionId, place, deliveries }: FollowedSession): Promise<void> => {
    let head = Number.POSITIVE_INFINITY;
    let isLive = false;
    for await (const batch of deliveries) {
      for (const delivery of batch) {
        if (delivery.kind === 'hello') head = placeOf(delivery.head);
        isLive ||= delivery.kind === 'signal' || (delivery.kind === 'event' && placeOf(delivery.id) > head);
      }
      if (!(await room(isLive))) return;
      const text = batch.map((delivery) => eventText({ sessionId, place }, delivery, idOf)).join('');
      lastBytes = Buffer.byteLength(text);
      clients.unread.makeRoom(lastBytes);
      if (outgoing.destroyed) return;
      outgoing.write(text);
      clients.unread.note(outgoing);
    }
  };
  try {
    await Promise.all(followed.map(send));
  } finally {
    clearInterval(beat);
    clients.open -= 1;
    clients.unread.remove(outgoing);
    outgoing.off('close', leave);
    abort.abort();
    outgoing.end();
  }
}

/** The number in the id of an event: `41`, or `1a2b3c4d-0.41`. */
function placeOf(id: string | undefined): number {
  return id === undefined ? -1 : Number(id.slice(id.lastIndexOf('.') + 1));
}

/** Whether the client took the sent bytes in time. */
function hasDrained(outgoing: ServerResponse, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isDrained: boolean) => () => {
      clearTimeout(timer);
      outgoing.off('drain', drain);
      outgoing.off('close', close);
      resolve(isDrained);
    };
    const [drain, close] = [finish(true), finish(false)];
    const timer = setTimeout(close, patienceMs);
    outgoing.once('drain', drain);
    outgoing.once('close', close);
  });
}

/** Items of a live session are the same object for all its clients: their text is made once. */
const texts = new WeakMap<Delivery, string>();

function eventText(
  { sessionId, place }: Omit<FollowedSession, 'deliveries'>,
  delivery: Delivery,
  idOf: EventStreamOptions['idOf'],
): string {
  const made = () => `${eventLine(delivery)}data: ${withSession(sessionId, delivery.data)}\n\n`;
  const body = kept(texts, delivery, made);
  // With its place, a client that leaves before the first event gets missed events when it returns.
  if (delivery.kind === 'hello') return `id: ${idOf(sessionId, place)}\n${body}`;
  return delivery.kind === 'event' ? `id: ${idOf(sessionId, delivery.id)}\n${body}` : body;
}

/** Stored events have no name, which is what `onmessage` of a browser hears. */
function eventLine(delivery: Delivery): string {
  return delivery.kind === 'event' ? '' : `event: ${delivery.kind}\n`;
}

/** Every `data` says which session it is of. JSON of one line holds no line feed. */
function withSession(sessionId: string, data: string): string {
  // Changes of the list belong to several sessions.
  if (sessionId === '' || data.startsWith('{"sessionId"')) return data;
  const rest = data.startsWith('{') ? data.slice(1) : `"value":${data}}`;
  return `{"sessionId":${JSON.stringify(sessionId)}${rest === '}' ? '' : ','}${rest}`;
}
