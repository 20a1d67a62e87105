// Whether this tab is a guest's: the link of one session let it in, to read or to take part.
import { linkTo, server } from '../api/server.ts';
import type { KeptText } from '../api/types.ts';
import { store, storedJson } from './stored.ts';

const KEY = 'guest-of';

interface TabGuest {
  readonly sessionId: string;
  readonly takesPart: boolean;
}

export function tabGuest(): TabGuest | undefined {
  return storedJson<TabGuest>(sessionStorage, KEY);
}

/** Where an image is: a guest gets those of the one session. */
export function assetLink(hash: string): string {
  const id = tabGuest()?.sessionId;
  return id === undefined
    ? linkTo('getAsset', { parameters: { hash } })
    : linkTo('getSessionAsset', { parameters: { id, hash } });
}

/** A piece of an output that was kept whole, in the same way. */
export function keptText(hash: string, query: { readonly from: number; readonly limit: number }): Promise<KeptText> {
  const id = tabGuest()?.sessionId;
  return id === undefined
    ? server.getAssetText({ parameters: { hash }, query })
    : server.getSessionAssetText({ parameters: { id, hash }, query });
}

/** Undefined: the owner. */
export function rememberGuest(guest: TabGuest | undefined): void {
  store(sessionStorage, KEY, guest && JSON.stringify(guest));
}
