// Whether this tab is a guest's: the link of one session let it in, to read or to take part.
import { sessionPath } from '../api/request.ts';

const KEY = 'guest-of';

interface TabGuest {
  readonly sessionId: string;
  readonly takesPart: boolean;
}

export function tabGuest(): TabGuest | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as TabGuest | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where an image or a kept output is asked for: a guest gets those of the one session. */
export function assetPath(hash: string, rest = ''): string {
  const guest = tabGuest();
  return `${guest === undefined ? '' : sessionPath(guest.sessionId)}/assets/${hash}${rest}`;
}

/** Undefined: the owner. */
export function rememberGuest(guest: TabGuest | undefined): void {
  if (guest === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(guest));
}
