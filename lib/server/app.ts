// The table of routes as a hono app: each request is refused or let in, checked by its route, given to its
// handler, and answered in the envelope. Nothing of a request gets further than it fits.
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { API_ERRORS } from '../api/errors.ts';
import type { Route } from '../api/route.ts';
import { type ApiRoute, ROUTES } from '../api/routes.ts';
import type { GuestLink } from '../host/guest-links.ts';
import type { ReadyJson } from '../host/reading/ready-json.ts';
import type { Log } from '../platform/log.ts';
import { checkBody, checkLength, checkParameters, checkQuery } from './check-request.ts';
import type { Handler, Handlers, ServerContext } from './context.ts';
import {
  type EntryOptions,
  type EntryRefusal,
  guestWho,
  refuseCaller,
  refuseGuest,
  refuseStranger,
  refuseUnnamedOrigin,
} from './entry.ts';
import { ApiFailure, failureBody, failureOf } from './failure.ts';
import { MCP_PATH, mcpEndpoint } from './mcp.ts';
import type { PageFiles } from './page-files.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

interface ServerAppOptions {
  readonly context: ServerContext;
  readonly entry: EntryOptions;
  readonly handlers: Handlers;
  readonly page: PageFiles;
}

type Ask = Context<{ Bindings: HttpBindings }>;

const MAX_LOGGED_CHARACTERS = 200;

export function createServerApp({
  context,
  entry,
  handlers,
  page,
}: ServerAppOptions): Hono<{ Bindings: HttpBindings }> {
  const server = new Hono<{ Bindings: HttpBindings }>();
  const { log } = context.app;
  const loggable = (text: string) => entry.credentials.withoutToken(text).slice(0, MAX_LOGGED_CHARACTERS);

  const refuse = (ask: Ask, { code, message }: EntryRefusal): Response => {
    logRefusal(log, ask, code, loggable);
    return answer(API_ERRORS[code].status, failureBody({ code, message }));
  };

  /** The owner and, where the route is for guests of this session, a guest. */
  const letIn = (
    raw: Request,
    route?: Route,
    id?: string,
  ): { readonly refusal?: EntryRefusal | undefined; readonly link?: GuestLink } => {
    const refusal = refuseStranger(entry, raw);
    const link = refusal?.code === 'UNAUTHORIZED' ? guestWho(entry, raw) : undefined;
    return link === undefined ? { refusal } : { refusal: refuseGuest(entry, link, raw, { route, id }), link };
  };

  server.use('*', async (ask, next) => {
    const refusal = refuseCaller(entry, ask.req.raw);
    ask.res = refusal ? refuse(ask, refusal) : await next().then(() => ask.res);
    context.answered.set(ask.res.status, (context.answered.get(ask.res.status) ?? 0) + 1);
    for (const [name, value] of SECURITY_HEADERS) if (!ask.res.headers.has(name)) ask.res.headers.set(name, value);
  });

  const respond = async (ask: Ask, route: ApiRoute): Promise<Response> => {
    const isOpen = (route as Route).open === true;
    const { raw } = ask.req;
    const { refusal, link } = isOpen ? { refusal: refuseUnnamedOrigin(raw) } : letIn(raw, route, ask.req.param('id'));
    if (refusal) return refuse(ask, refusal);
    const headers = new Headers();
    const { outgoing } = ask.env;
    const guest = link && context.guests.visit(link);
    if (guest) outgoing.once('close', guest.leave);
    try {
      if (context.stopping.aborted) throw new ApiFailure('SHUTTING_DOWN', 'The server is being stopped.');
      checkLength(route, raw);
      const call = {
        parameters: checkParameters(route, ask.req.param() as Readonly<Record<string, string>>),
        query: await checkQuery(route, new URL(raw.url).searchParams),
        body: await checkBody(route, raw),
        request: raw,
        signal: AbortSignal.any([raw.signal, context.stopping, ...(guest ? [guest.ended] : [])]),
        context,
        by: { address: ask.env.incoming?.socket.remoteAddress },
        hasToken: raw.headers.has('authorization'),
        guest,
        outgoing: outgoing as ServerResponse,
        headers,
      };
      const handler = handlers[route.name] as Handler<never>;
      const result = await handler(call as never);
      if ((result as unknown) instanceof Response) return result as Response;
      const ready = (result as Partial<ReadyJson<unknown>>).json;
      const status = (route as Route).status ?? 200;
      const body = (route as Route).bare ? result : { success: true, data: result };
      const bytes = ready instanceof Uint8Array ? ready : Buffer.from(JSON.stringify(body));
      return answerBytes(status, await packed(bytes, raw, headers), headers);
    } catch (error) {
      return fail(ask, error);
    }
  };

  const fail = (ask: Ask, error: unknown): Response => {
    const failure = failureOf(error);
    if (failure.status === 401 || failure.status === 403) logRefusal(log, ask, failure.code, loggable);
    if (failure.status >= 500 && !ask.req.raw.signal.aborted) {
      const { method } = ask.req;
      const path = loggable(ask.req.path);
      log.error({ service: 'server', operation: 'answer', method, path, error }, 'A request failed');
    }
    const retryMs = (failure.details as { readonly retryAfterMs?: unknown } | undefined)?.retryAfterMs;
    const later = failure.status === 503 ? { 'retry-after': String(Math.ceil((Number(retryMs) || 1000) / 1000)) } : {};
    return answer(failure.status, failureBody(failure), new Headers(later));
  };

  for (const route of ROUTES) server.on(route.method, honoPath(route.path), (ask) => respond(ask, route));
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
    const allowed = routes.map(({ method }) => method).join(', ');
    server.all(honoPath(path), (ask) => {
      const refusal = routes.some((route) => (route as Route).open) ? undefined : letIn(ask.req.raw).refusal;
      if (refusal) return refuse(ask, refusal);
      const response = fail(ask, new ApiFailure('METHOD_NOT_ALLOWED', `This route takes ${allowed}.`));
      response.headers.set('allow', allowed);
      return response;
    });
  }
  const answerMcp = mcpEndpoint(context.app);
  server.all(MCP_PATH, (ask) => {
    const { refusal } = letIn(ask.req.raw);
    return refusal ? refuse(ask, refusal) : answerMcp(ask.req.raw);
  });
  server.notFound((ask) => {
    const { method, path } = ask.req;
    const request = { method, path, accepts: ask.req.header('accept-encoding') ?? '' };
    const file = page.find(request) ?? page.nothingAt({ ...request, wants: ask.req.header('accept') ?? '' });
    if (file !== undefined) return file;
    const { refusal } = letIn(ask.req.raw);
    return refusal ? refuse(ask, refusal) : fail(ask, new ApiFailure('NOT_FOUND', 'There is no such route.'));
  });
  server.onError((error, ask) => fail(ask, error));
  return server;
}

function logRefusal(log: Log, { req, env }: Ask, code: string, loggable: (text: string) => string): void {
  const [host, origin] = ['host', 'origin'].map((name) => {
    const value = req.header(name);
    return value && loggable(value);
  });
  const fields = { method: loggable(req.method), path: loggable(req.path), from: env.incoming?.socket.remoteAddress };
  log.warn(
    { service: 'server', operation: 'refuse', reason: code, ...fields, host, origin },
    'A request was not let in',
  );
}

function answer(status: number, body: unknown, headers = new Headers()): Response {
  // Bytes: a text would be checked and encoded by the Response, which takes longer than the rest of it for a long page.
  return answerBytes(status, Buffer.from(JSON.stringify(body)), headers);
}

function answerBytes(status: number, body: Uint8Array<ArrayBuffer>, headers: Headers): Response {
  headers.set('content-type', 'application/json; charset=utf-8');
  headers.set('cache-control', 'no-store');
  return new Response(body, { status, headers });
}

/** Shorter answers gain nothing. */
const LEAST_PACKED_BYTES = 4 * 1024;
const pack = promisify(gzip);

/** The bytes as the client takes them; packed in another thread. */
async function packed(
  bytes: Uint8Array<ArrayBuffer>,
  request: Request,
  headers: Headers,
): Promise<Uint8Array<ArrayBuffer>> {
  headers.set('vary', 'accept-encoding');
  const takesGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (!takesGzip || bytes.length < LEAST_PACKED_BYTES) return bytes;
  headers.set('content-encoding', 'gzip');
  return new Uint8Array(await pack(bytes, { level: constants.Z_BEST_SPEED }));
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
