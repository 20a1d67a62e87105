// The refusals at the door. `Host` must be one of the server's (a page of another site may have its name resolve to
// this machine), `Origin` too if there is one, and a request with a cookie must come from the server's own page.
import type { ApiErrorCode } from '../api/errors.ts';
import { parametersIn } from '../api/parameters-in.ts';
import type { Route } from '../api/route.ts';
import type { GuestLink } from '../host/guest-links.ts';
import type { Credentials } from './credentials.ts';
import type { Guests } from './guests.ts';

export interface EntryOptions {
  readonly credentials: Credentials;
  readonly guests: Guests;
  /** Whether links may let their guests take part. */
  readonly guestsMayWrite: boolean;
  /** As `Host` names them, in lower case: `127.0.0.1:4700`. */
  readonly hosts: ReadonlySet<string>;
  /** As `Origin` names them: `http://127.0.0.1:4700`. */
  readonly origins: ReadonlySet<string>;
}

export interface EntryRefusal {
  readonly code: Extract<
    ApiErrorCode,
    'UNAUTHORIZED' | 'HOST_NOT_ALLOWED' | 'ORIGIN_NOT_ALLOWED' | 'GUEST_NOT_ALLOWED' | 'SESSION_NOT_FOUND'
  >;
  readonly message: string;
}

const READING = ['GET', 'HEAD'];

/** Why the request is refused before its route is looked at; undefined if it is not. */
export function refuseCaller(
  { hosts, origins }: EntryOptions,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
): EntryRefusal | undefined {
  const host = headers.get('host')?.toLowerCase();
  if (host === undefined || !hosts.has(host)) {
    return { code: 'HOST_NOT_ALLOWED', message: 'This server does not answer to the host that the request names.' };
  }
  const origin = headers.get('origin');
  if (origin !== null && !origins.has(origin)) return foreignOrigin();
  // A request of an image or a script of another page has no `Origin`; browsers then say so here.
  const site = headers.get('sec-fetch-site');
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && READING.includes(method);
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isNavigation) return foreignOrigin();
  return undefined;
}

/** Why the request may not use a route that needs a token. */
export function refuseStranger(
  { credentials }: EntryOptions,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
): EntryRefusal | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== null) return credentials.hasToken(authorization) ? undefined : unauthorized();
  if (!credentials.hasCookie(headers.get('cookie') ?? undefined)) return unauthorized();
  // A browser names the origin of whatever changes something.
  return READING.includes(method) || headers.has('origin') ? undefined : foreignOrigin();
}

/** The link of a guest. Only for a request that is not the owner's: the owner, too, may have followed a link. */
export function guestWho(
  { credentials, guests }: EntryOptions,
  request: Pick<Request, 'headers'>,
): GuestLink | undefined {
  const token = credentials.guestTokenIn(request);
  return token === undefined ? undefined : guests.find(token);
}

/**
 * Why a guest may not use a route. Any session but that of the link is as one that does not exist.
 * `route`: undefined for a path outside of the table.
 */
export function refuseGuest(
  { guestsMayWrite }: EntryOptions,
  link: GuestLink,
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  { route, id }: { readonly route?: Pick<Route, 'guests' | 'path'> | undefined; readonly id?: string | undefined },
): EntryRefusal | undefined {
  const isFor = route?.guests === 'who take part' ? guestsMayWrite && link.mayWrite === true : route?.guests === 'all';
  if (!isFor || !parametersIn(route!.path).includes('id')) {
    return { code: 'GUEST_NOT_ALLOWED', message: 'The link is for one session, and not for this.' };
  }
  if (id !== link.sessionId) return { code: 'SESSION_NOT_FOUND', message: 'The link is for another session.' };
  // A browser names the origin of whatever changes something.
  const isOrigin = READING.includes(method) || headers.has('authorization') || headers.has('origin');
  return isOrigin ? undefined : foreignOrigin();
}

/** Why a browser may not exchange a code: only the server's own page does that. */
export function refuseUnnamedOrigin({ headers }: Pick<Request, 'headers'>): EntryRefusal | undefined {
  return headers.has('origin') ? undefined : foreignOrigin();
}

function unauthorized(): EntryRefusal {
  return {
    code: 'UNAUTHORIZED',
    message: 'The request needs the token, as “Authorization: Bearer …”, or the cookie of a browser that was let in.',
  };
}

function foreignOrigin(): EntryRefusal {
  return { code: 'ORIGIN_NOT_ALLOWED', message: 'The request does not come from a page of this server.' };
}
