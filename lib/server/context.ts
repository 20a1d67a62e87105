// The context of every route: the app, its credentials and guests, and the state of this run of the server.
import type { ServerResponse } from 'node:http';
import type { monitorEventLoopDelay } from 'node:perf_hooks';
import type { AnswerOf, BodyOf, ParametersOf, QueryOf } from '../api/route.ts';
import type { ApiRoute, RouteName, RouteNamed } from '../api/routes.ts';
import type { App } from '../app/app.ts';
import type { Host } from '../host/open-host.ts';
import type { Actor } from '../host/port/prompts.ts';
import type { ReadyJson } from '../host/reading/ready-json.ts';
import type { WorkerPool } from '../host/types.ts';
import type { Credentials } from './credentials.ts';
import type { Clients } from './event-stream.ts';
import type { Guest, Guests } from './guests.ts';
import type { SessionFeed } from './session-feed.ts';

export interface ServerContext {
  readonly host: Host;
  readonly app: App;
  /** Threads for work that would hold up the one that serves. */
  readonly work: WorkerPool;
  readonly credentials: Credentials;
  readonly guests: Guests;
  /** Where browsers reach it: `https://ollm.example.org`. */
  readonly browserAddress: string;
  readonly instance: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** How late the thread that serves is. */
  readonly delay: ReturnType<typeof monitorEventLoopDelay>;
  /** Event streams, counted. */
  readonly clients: Clients;
  /** Changes of the list of sessions. */
  readonly feed: SessionFeed;
  /** The figures of this server's last sync of the catalogue. */
  readonly catalog: CatalogFigures;
  /** Requests that were answered, by status. */
  readonly answered: Map<number, number>;
  /** Aborted once the server is being stopped. */
  readonly stopping: AbortSignal;
}

interface CatalogFigures {
  /** Whether the sync of the start goes on. */
  isSyncing: boolean;
  tookMs: number;
  /** Sessions that there are, as far as a sync has seen. */
  sessions: number;
  /** Sessions that it left for another time. */
  left: number;
  /** When it last had all that there was, by the clock that never steps back. At first: the start of the server. */
  wholeAtMs: number;
}

/** A request to a route, checked by the table. */
export interface RouteCall<Name extends RouteName> {
  readonly parameters: ParametersOf<RouteNamed<Name>>;
  readonly query: QueryOf<RouteNamed<Name>>;
  readonly body: BodyOf<RouteNamed<Name>>;
  readonly request: Request;
  /** Aborted when the client leaves or the server is being stopped. */
  readonly signal: AbortSignal;
  readonly context: ServerContext;
  /** The user, at the other end of the connection. */
  readonly by: Actor;
  /** Whether it came with the token, and not as a browser. */
  readonly hasToken: boolean;
  /** Absent: the owner. */
  readonly guest: Guest | undefined;
  /** Node's response, for streams that write to it themselves. */
  readonly outgoing: ServerResponse;
  /** For headers in addition to those of every answer. */
  readonly headers: Headers;
}

/** The answer, its text as another thread made it, or a stream that has the same shape. */
export type Handler<Name extends RouteName> = (
  call: RouteCall<Name>,
) => Promise<AnswerOf<RouteNamed<Name>> | ReadyJson<AnswerOf<RouteNamed<Name>>> | Response>;

/** A handler for each route of the table. */
export type Handlers<Name extends RouteName = RouteName> = { readonly [Each in Name]: Handler<Each> };

/** The directory that a request names, where this server may work. @throws OllmError WORKSPACE_NOT_ALLOWED */
export async function workspaceOf({ host, app }: ServerContext, path: string | undefined): Promise<string> {
  return path === undefined ? app.cwd : host.workspaces.resolve(path);
}

/** The routes of one list of the table. */
export type NamesOf<Routes extends readonly ApiRoute[]> = Routes[number]['name'];
