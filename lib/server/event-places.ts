// The id of an event on a connection of several sessions: the place in each of them.
import { PARAMETERS } from '../api/parameters.ts';

const ADDRESS = new RegExp(PARAMETERS.id.pattern);

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** `walk=41,claude%3A5f3c=1a2b3c4d-0.12`; parts of another form are left out. */
export function placesIn(text: string): Map<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, encoded = '', place] = /^([A-Za-z0-9._~%!'()*-]+)=([A-Za-z0-9.-]{1,64})$/.exec(pair) ?? [];
    const id = unescaped(encoded);
    return place !== undefined && isAddress(id) ? [[id, place] as const] : [];
  });
  return new Map(pairs);
}

export function textOf(places: ReadonlyMap<string, string>): string {
  return [...places].map(([id, place]) => `${encodeURIComponent(id)}=${place}`).join(',');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
