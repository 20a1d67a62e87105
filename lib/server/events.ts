// The events of sessions, sent to any number of clients as they happen. A client that returns with the last id that it
// saw has missed nothing and sees nothing twice.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type EVENT_ROUTES, MOST_FOLLOWED_SESSIONS } from '../api/events.ts';
import { exactSession } from '../app/find/exact-session.ts';
import type { Followers } from '../host/following/followers.ts';
import type { Delivery } from '../host/port/followers.ts';
import type { Handlers, NamesOf, RouteCall, ServerContext } from './context.ts';
import { isAddress, placesIn, textOf } from './event-places.ts';
import { type EventStreamOptions, type FollowedSession, sendEvents } from './event-stream.ts';
import { ApiFailure } from './failure.ts';
import { readSession } from './read-session.ts';

/** The limit of the whole server. */
const MOST_CLIENTS = 4_096;
/** An event id of the most sessions has less than 5,000, and all headers of a request at most 32 KiB. */
const MOST_ID_CHARACTERS = 8_192;

export const eventHandlers: Handlers<NamesOf<typeof EVENT_ROUTES>> = {
  async followSession({ parameters, query, request, context, guest, outgoing }) {
    requireRoom(context);
    const { id, kind } = await readSession(context, parameters.id);
    const abort = new AbortController();
    const last = lastId(request);
    const { followers } = context.host;
    const after = last ?? (await placeBefore(followers, { id, isForeign: kind === 'foreign', from: query.from }));
    const followed = await begun(followers, id, after, abort);
    if (request.method === 'HEAD') return headOnly(abort);
    if (guest === undefined) send(context, outgoing, [followed], abort, (_, eventId) => eventId);
    else {
      guest.ended.addEventListener('abort', () => outgoing.destroy(), { signal: abort.signal });
      send(context, outgoing, [forGuest(followed)], abort, (_, eventId) => eventId);
      // It may have ended while the session was looked for.
      if (guest.ended.aborted) outgoing.destroy();
    }
    return RESPONSE_ALREADY_SENT;
  },

  async followList({ request, context, outgoing }) {
    requireRoom(context);
    const abort = new AbortController();
    if (request.method === 'HEAD') return headOnly(abort);
    const followed = { sessionId: '', place: 'start', deliveries: context.feed.follow(abort.signal) };
    send(context, outgoing, [followed], abort, (_, eventId) => eventId);
    return RESPONSE_ALREADY_SENT;
  },

  async followSessions({ query, request, context, outgoing }) {
    requireRoom(context);
    const ids = await sessionsIn(context, query.sessions);
    const places = placesIn(lastId(request) ?? '', ids);
    const abort = new AbortController();
    const { followers } = context.host;
    const followed = await Promise.all(ids.map((id) => begun(followers, id, places.get(id), abort))).catch((error) => {
      abort.abort();
      throw error;
    });
    // Includes sessions in which nothing happens before the client leaves.
    for (const { sessionId, place } of followed) places.set(sessionId, place);
    if (request.method === 'HEAD') return headOnly(abort);
    const idOf = (sessionId: string, eventId: string) => {
      places.set(sessionId, eventId);
      return textOf(places);
    };
    send(context, outgoing, followed, abort, idOf);
    return RESPONSE_ALREADY_SENT;
  },
};

/** A stream that fails does not end the server. */
function send(
  { app, clients }: ServerContext,
  outgoing: RouteCall<'followSession'>['outgoing'],
  followed: readonly FollowedSession[],
  abort: AbortController,
  idOf: EventStreamOptions['idOf'],
): void {
  sendEvents(outgoing, followed, abort, { idOf, clients }).catch((error: unknown) => {
    app.log.error({ service: 'server', operation: 'follow', error }, 'A stream of events failed');
  });
}

/** The owner answers questions; a prompt in the queue is not in the session yet. */
const FOR_OWNER: ReadonlySet<string> = new Set(['question', 'question-end', 'queue']);

function forGuest({ deliveries, ...followed }: FollowedSession): FollowedSession {
  async function* shown(): AsyncGenerator<readonly Delivery[], void, void> {
    for await (const batch of deliveries) {
      yield batch.filter((delivery) => delivery.kind !== 'signal' || !FOR_OWNER.has(delivery.type));
    }
  }
  return { ...followed, deliveries: shown() };
}

/** Begins to follow a session: one that cannot be followed is refused before the answer begins. */
async function begun(
  followers: Followers,
  id: string,
  after: string | undefined,
  abort: AbortController,
): Promise<FollowedSession> {
  const deliveries = followers.subscribe(id, { after, signal: abort.signal })[Symbol.asyncIterator]();
  const first = await deliveries.next();
  async function* all(): AsyncGenerator<readonly Delivery[], void, void> {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => deliveries };
  }
  const [hello] = first.done ? [] : first.value;
  const head = hello?.kind === 'hello' ? hello.head : undefined;
  return { sessionId: id, place: after ?? head ?? 'start', deliveries: all() };
}

/**
 * The id of the event before `from`; undefined where that is not there yet. That of a session of another program also
 * names its generation.
 */
async function placeBefore(
  followers: Followers,
  { id, isForeign, from }: { readonly id: string; readonly isForeign: boolean; readonly from: number | undefined },
): Promise<string | undefined> {
  if (from === undefined) return undefined;
  if (from === 0) return 'start';
  const abort = new AbortController();
  try {
    for await (const [hello] of followers.subscribe(id, { signal: abort.signal })) {
      if (hello?.kind !== 'hello' || hello.head === undefined) return 'start';
      const dot = hello.head.lastIndexOf('.');
      const head = Number(hello.head.slice(dot + 1));
      if (from > head + 1) return undefined;
      return isForeign ? `${hello.head.slice(0, dot)}.${from - 1}` : String(from - 1);
    }
    return undefined;
  } finally {
    abort.abort();
  }
}

function requireRoom({ clients }: ServerContext): void {
  if (clients.open < MOST_CLIENTS) return;
  throw new ApiFailure('BUSY', `${MOST_CLIENTS} clients follow events, and no more are taken on.`, {
    retryAfterMs: 10_000,
  });
}

function lastId(request: Request): string | undefined {
  const id = request.headers.get('last-event-id');
  if (id !== null && id.length > MOST_ID_CHARACTERS)
    throw new ApiFailure('INVALID_QUERY', '“Last-Event-ID” is too long.');
  return id || undefined;
}

/** @throws ApiFailure INVALID_QUERY; OllmError SESSION_NOT_FOUND */
async function sessionsIn({ app }: ServerContext, text: string): Promise<readonly string[]> {
  const named = [...new Set(text.split(','))];
  if (named.length > MOST_FOLLOWED_SESSIONS || !named.every(isAddress)) {
    throw new ApiFailure(
      'INVALID_QUERY',
      `“sessions” is a list of at most ${MOST_FOLLOWED_SESSIONS} ids, with commas.`,
    );
  }
  const found = await Promise.all(named.map((each) => exactSession(app, each)));
  return [...new Set(found.map(({ id }) => id))];
}

function headOnly(abort: AbortController): Response {
  abort.abort();
  return new Response(null, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}
