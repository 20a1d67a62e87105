// The address of the page: `/`, `/?project=&agent=&days=`, `/search?q=`, `/new`, `/cost?days=&by=&day=`,
// `/year?project=`, `/compare?a=&b=`, `/s/ADDRESS`, with `?at=SEQ`, `?tab=NAME`, `#SEQ`; and `/join#CODE`, by which a
// browser comes in; the place after the code is the one that it opens then.
import { inAddress } from '../api/in-address.ts';
import type { SessionFilter } from './session-lines.ts';

const TABS = ['conversation', 'changes', 'time', 'cost'] as const;
type SessionTab = (typeof TABS)[number];
const COST_BY = ['model', 'project', 'session', 'agent', 'tool'] as const;
export type CostBy = (typeof COST_BY)[number];

/** Which numbers of all sessions are shown. */
export interface CostPlace {
  readonly days: number;
  readonly by: CostBy;
  /** The table is of this day only, such as `2026-11-29`. */
  readonly day: string | undefined;
}

export type PagePlace =
  | ({ readonly view: 'sessions' } & SessionFilter)
  | { readonly view: 'search'; readonly query: string }
  | { readonly view: 'new' }
  | ({ readonly view: 'cost' } & CostPlace)
  | { readonly view: 'year'; readonly project: string | undefined }
  | { readonly view: 'compare'; readonly first: string | undefined; readonly second: string | undefined }
  | {
      readonly view: 'session';
      readonly address: string;
      readonly tab: SessionTab;
      readonly at: number | undefined;
      readonly jump: number | undefined;
    }
  | { readonly view: 'nowhere' };

export function placeOf(url: URL): PagePlace {
  const { pathname, searchParams, hash } = url;
  const number = (text: string | null | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);
  if (pathname === '/')
    return {
      view: 'sessions',
      project: searchParams.get('project') ?? undefined,
      agent: searchParams.get('agent') ?? undefined,
      days: number(searchParams.get('days')),
    };
  if (pathname === '/search') return { view: 'search', query: searchParams.get('q') ?? '' };
  if (pathname === '/new') return { view: 'new' };
  if (pathname === '/cost') {
    const by = COST_BY.find((each) => each === searchParams.get('by')) ?? 'model';
    const [date = ''] = /^\d{4}-\d\d-\d\d$/.exec(searchParams.get('day') ?? '') ?? [];
    const day = Number.isNaN(Date.parse(date)) ? undefined : date;
    return { view: 'cost', days: number(searchParams.get('days')) ?? 30, by, day };
  }
  if (pathname === '/year') return { view: 'year', project: searchParams.get('project') ?? undefined };
  if (pathname === '/compare') {
    const [first, second] = ['a', 'b'].map((name) => {
      const address = searchParams.get(name);
      return address === null ? undefined : plainAddress(address);
    });
    return { view: 'compare', first, second };
  }
  const address = decoded(/^\/s\/([^/]+)$/.exec(pathname)?.[1]);
  if (address === undefined) return { view: 'nowhere' };
  return {
    view: 'session',
    address: plainAddress(address),
    tab: TABS.find((each) => each === searchParams.get('tab')) ?? 'conversation',
    at: number(searchParams.get('at')),
    jump: number(hash.slice(1)),
  };
}

/** Undefined where it is not well-formed. */
function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The address of a list of sessions. */
export function sessionsLink({ project, agent, days }: Partial<SessionFilter>): string {
  const query = new URLSearchParams();
  if (project !== undefined) query.set('project', project);
  if (agent !== undefined) query.set('agent', agent);
  if (days !== undefined) query.set('days', String(days));
  return query.size === 0 ? '/' : `/?${query}`;
}

export function costLink({ days, by, day }: CostPlace): string {
  return `/cost?days=${days}&by=${by}${day === undefined ? '' : `&day=${day}`}`;
}

/** The address of two sessions side by side; with one, that of choosing the other. */
export function compareLink(first: string, second?: string): string {
  const [a, b] = [first, second].map((each) => each && inAddress(plainAddress(each)));
  return `/compare?a=${a}${b === undefined ? '' : `&b=${b}`}`;
}

/** The address of a session's view. */
export function sessionLink(address: string, rest = ''): string {
  return `/s/${inAddress(plainAddress(address))}${rest}`;
}

/** A session of ollm's own has only its id in the page: a `:` tells the sessions of other programs. */
export function plainAddress(address: string): string {
  return address.replace(/^ollm:/, '');
}

/**
 * The code of a link to come in by, and where the page goes then: `/join#CODE/s/oak`, or what `?to=` says. A place that
 * is not of this server is not gone to.
 */
export function entryOf(url: URL): { readonly code: string; readonly goesTo: string } {
  const text = url.hash.slice(1);
  const end = /\/|$/.exec(text)!.index;
  const wanted = text.slice(end) || (url.searchParams.get('to') ?? '/');
  const place = URL.parse(wanted, url.origin);
  const isHere = wanted.startsWith('/') && place?.origin === url.origin;
  return { code: text.slice(0, end), goesTo: isHere ? `${place.pathname}${place.search}${place.hash}` : '/' };
}
