// Guests of this server: they come with the token of a link, and their visits end with it. A link is looked up at each
// request, and several times a second while a request of its guest is open: at its end, also by another process,
// streams end.
import type { App } from '../app/app.ts';
import { GUEST_TOKEN, type GuestLink, guestLinkOf, guestLinks } from '../host/guest-links.ts';

/** A guest, for the time of one request. */
export interface Guest {
  readonly link: GuestLink;
  /** Aborted once the link is revoked or has expired. */
  readonly ended: AbortSignal;
  /** Called when the request is over. */
  leave(): void;
}

export interface Guests {
  /** The link of the guest that a token lets in; undefined if it holds no longer. */
  find(token: string): GuestLink | undefined;
  visit(link: GuestLink): Guest;
}

const WHOLE_TOKEN = new RegExp(`^${GUEST_TOKEN.source}$`);
/** Between two looks, in milliseconds. */
const LOOKS_EACH_MS = 250;

/** `stopping`: ends the looks. */
export function createGuests(app: App, stopping: AbortSignal): Guests {
  const visits = new Map<AbortController, string>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const holding = new Set(guestLinks(app).map(({ hash }) => hash));
    for (const [visit, hash] of visits) if (!holding.has(hash)) visit.abort();
  };
  const rest = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  stopping.addEventListener('abort', rest, { once: true });
  return {
    find: (token) => (WHOLE_TOKEN.test(token) ? guestLinkOf(app, token) : undefined),
    visit(link) {
      const visit = new AbortController();
      visits.set(visit, link.hash);
      timer ??= setInterval(look, LOOKS_EACH_MS).unref();
      return {
        link,
        ended: visit.signal,
        leave() {
          visits.delete(visit);
          if (visits.size === 0) rest();
        },
      };
    },
  };
}
