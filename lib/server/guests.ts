// Guests of this server: who comes with the token of a link, and the end of their visit. A link is looked up at each
// request, and several times a second while guests follow a session: at its end, also by another process, streams end.
import type { App } from '../app/app.ts';
import { GUEST_TOKEN, type GuestLink, guestLinkOf, guestLinks } from '../host/guest-links.ts';

/** A guest, for the time of one request. */
export interface Guest {
  readonly link: GuestLink;
  /** Aborted once the link is revoked or has expired. */
  readonly ended: AbortSignal;
}

export interface Guests {
  /** The guest that a token lets in; undefined if its link holds no longer. */
  find(token: string): Guest | undefined;
}

const WHOLE_TOKEN = new RegExp(`^${GUEST_TOKEN.source}$`);
/** Between two looks, in milliseconds. */
const LOOKS_EACH_MS = 250;

/** `stopping`: ends the looks. */
export function createGuests(app: App, stopping: AbortSignal): Guests {
  const visits = new Map<string, AbortController>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const holding = new Set(guestLinks(app).map(({ hash }) => hash));
    for (const [hash, visit] of visits) {
      if (holding.has(hash)) continue;
      visits.delete(hash);
      visit.abort();
    }
    if (visits.size === 0) rest();
  };
  const rest = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  stopping.addEventListener('abort', rest, { once: true });
  return {
    find(token) {
      const link = WHOLE_TOKEN.test(token) ? guestLinkOf(app, token) : undefined;
      if (link === undefined) return undefined;
      const visit = visits.get(link.hash) ?? new AbortController();
      visits.set(link.hash, visit);
      timer ??= setInterval(look, LOOKS_EACH_MS).unref();
      return { link, ended: visit.signal };
    },
  };
}
