// The id of an event on a connection of several sessions: the place in each of them.
import { hash } from 'node:crypto';
import { PARAMETERS } from '../api/parameters.ts';

const ADDRESS = new RegExp(PARAMETERS.id.pattern);

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Characters of an id that stand for themselves; a longer one is named by its hash, so that all fit into a header. */
const MOST_NAME_CHARACTERS = 64;

/**
 * The places of these sessions in `walk=41,claude%3A5f3c=1a2b3c4d-0.12`; parts of other sessions or of another form are
 * left out.
 */
export function placesIn(text: string, ids: readonly string[]): Map<string, string> {
  const byName = new Map(
    text.split(',').flatMap((pair) => {
      const [, name, place] = /^([^=]+)=([A-Za-z0-9.-]{1,64})$/.exec(pair) ?? [];
      return name === undefined || place === undefined ? [] : [[name, place] as const];
    }),
  );
  return new Map(
    ids.flatMap((id) => {
      const place = byName.get(nameOf(id));
      return place === undefined ? [] : [[id, place] as const];
    }),
  );
}

export function textOf(places: ReadonlyMap<string, string>): string {
  return [...places].map(([id, place]) => `${nameOf(id)}=${place}`).join(',');
}

/** Without a comma or an equals sign, which `encodeURIComponent` takes out. */
function nameOf(id: string): string {
  const name = encodeURIComponent(id.toWellFormed());
  return name.length <= MOST_NAME_CHARACTERS ? name : `~${hash('sha256', id, 'base64url')}`;
}
