// The links by which guests read one session of a server, in `guest-links.json` of the home (0600). The
// token of a link is in none of our files: only its hash, by which it is known again. Every server of the home and the
// command line read and change the same file, so that a link that is revoked is revoked for all of them.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { changeOwnDocument, readOwnDocument } from '../app/start/own-document.ts';
import { countOf } from '../display/quantities.ts';
import { OllmError } from '../errors/index.ts';
import { sha256Of } from '../session/identify.ts';

export interface GuestLink {
  /** The beginning of the hash: names the link where its token must not be. */
  readonly name: string;
  /** sha256 of the token, in hexadecimal digits. */
  readonly hash: string;
  /** Id or address of the session, as routes take it. */
  readonly sessionId: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** Whether its guest may take turns, where `server.guestsMayWrite` is set. */
  readonly mayWrite?: boolean | undefined;
  /** Turns that its guest has taken. */
  readonly turns?: number | undefined;
  /** The bound on them. Default: 50. */
  readonly mostTurns?: number | undefined;
  /** US dollars: the bound on the cost of the session since the link was made, for another turn to begin. */
  readonly mostCost?: number | undefined;
}

type LinksPlace = Pick<App, 'paths' | 'fileSystem' | 'ids' | 'process' | 'log' | 'clock'>;

const FILE = 'guest-links.json';
const TOKEN_BYTES = 32;
const NAME_CHARACTERS = 12;
/** The bound on links that hold at once. */
const MOST_GUEST_LINKS = 100;
/** In milliseconds: 90 days. */
const LONGEST_GUEST_LINK = 90 * 86_400_000;
/** The bound on turns that the guest of one link takes. */
export const MOST_GUEST_TURNS = 50;
/** Where a text has the token of a link. */
export const GUEST_TOKEN = /guest-[A-Za-z0-9_-]{43}/;

interface LinkRequest extends Pick<GuestLink, 'sessionId' | 'mayWrite' | 'mostTurns' | 'mostCost'> {
  readonly holdsMs: number;
}

/**
 * Makes a link that holds for `holdsMs` milliseconds. Expired links are forgotten.
 * @returns the link, and its token, which cannot be had again
 * @throws OllmError USAGE: it would hold for too long, or there are too many; IO_FAILED
 * @example
 * const { link, token } = await makeGuestLink(app, { sessionId: 'walk', holdsMs: 7 * 86_400_000 });
 */
export async function makeGuestLink(
  place: LinksPlace,
  { sessionId, holdsMs, mayWrite, mostTurns, mostCost }: LinkRequest,
): Promise<{ readonly link: GuestLink; readonly token: string }> {
  if (holdsMs <= 0 || holdsMs > LONGEST_GUEST_LINK) {
    throw new OllmError('USAGE', 'A link holds for a while, and at most 90 days.', { hint: 'Such as --expires 7d.' });
  }
  if (mostTurns !== undefined && (mostTurns < 1 || mostTurns > MOST_GUEST_TURNS)) {
    throw new OllmError('USAGE', `A guest takes between 1 and ${MOST_GUEST_TURNS} turns by one link.`, {
      hint: 'Such as --turns 10.',
    });
  }
  const token = `guest-${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const now = place.clock.now();
  const hash = sha256Of(token);
  const link: GuestLink = {
    name: hash.slice(0, NAME_CHARACTERS),
    hash,
    sessionId,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + holdsMs).toISOString(),
    ...(mayWrite && { mayWrite, mostTurns, mostCost }),
  };
  await change(place, (links) => {
    if (links.length >= MOST_GUEST_LINKS) {
      throw new OllmError('USAGE', `There are ${MOST_GUEST_LINKS} links already.`, {
        hint: '"ollm share --list" names them, "ollm share --revoke NAME" ends one.',
      });
    }
    return [...links, link];
  });
  return { link, token };
}

/**
 * Counts one more turn of a guest.
 * @throws OllmError QUEUE_FULL: it has had as many as a link allows; IO_FAILED
 */
export async function countGuestTurn(place: LinksPlace, { hash }: GuestLink): Promise<void> {
  await change(place, (links) =>
    links.map((link) => {
      if (link.hash !== hash) return link;
      const { turns = 0, mostTurns = MOST_GUEST_TURNS } = link;
      if (turns < mostTurns) return { ...link, turns: turns + 1 };
      throw new OllmError('QUEUE_FULL', `This link has had its ${countOf(mostTurns, 'turn')}.`, {
        hint: 'The owner makes another one with "ollm share ID --take-part".',
      });
    }),
  );
}

/** The links that hold now, the oldest first. */
export function guestLinks(place: LinksPlace): readonly GuestLink[] {
  const now = place.clock.now();
  return linksIn(readOwnDocument(place, FILE)).filter(({ expiresAt }) => Date.parse(expiresAt) > now);
}

/** The link that a token is of. Undefined: there is none, it was revoked, or it has expired. */
export function guestLinkOf(place: LinksPlace, token: string): GuestLink | undefined {
  const hash = sha256Of(token);
  return guestLinks(place).find((link) => link.hash === hash);
}

/**
 * Ends a link for all servers of the home. `given`: the link itself, its token, or its name.
 * @returns undefined: no link that holds is meant
 * @throws OllmError IO_FAILED
 */
export async function revokeGuestLink(place: LinksPlace, given: string): Promise<GuestLink | undefined> {
  const [token] = GUEST_TOKEN.exec(given) ?? [];
  const hash = token && sha256Of(token);
  const isMeant = (link: GuestLink) => link.hash === hash || link.name === given;
  const revoked = guestLinks(place).find(isMeant);
  if (revoked !== undefined) await change(place, (links) => links.filter((link) => !isMeant(link)));
  return revoked;
}

/** The file of the links. */
function guestLinksPath({ paths }: Pick<App, 'paths'>): string {
  return join(paths.home, FILE);
}

async function change(place: LinksPlace, edit: (links: readonly GuestLink[]) => readonly GuestLink[]): Promise<void> {
  try {
    await changeOwnDocument(place, FILE, () => ({ format: 1, links: edit(guestLinks(place)) }));
  } catch (error) {
    if (error instanceof OllmError) throw error;
    throw new OllmError('IO_FAILED', `The links of guests cannot be stored: ${(error as Error).message}`, {
      hint: `They are in ${guestLinksPath(place)}.`,
      cause: error,
    });
  }
}

function linksIn(stored: unknown): readonly GuestLink[] {
  const { format, links } = (stored ?? {}) as { readonly format?: unknown; readonly links?: unknown };
  return format === 1 && Array.isArray(links) ? links.filter(isLink) : [];
}

function isLink(value: unknown): value is GuestLink {
  const { name, hash, sessionId, createdAt, expiresAt } = (value ?? {}) as Record<string, unknown>;
  const isHash = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  const areTexts = [name, sessionId, createdAt, expiresAt].every((each) => typeof each === 'string');
  return isHash && areTexts && !Number.isNaN(Date.parse(expiresAt as string));
}
