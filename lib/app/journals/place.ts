// Where the sessions are, in one word. Loads nothing, because each list asks.
import type { App } from '../app.ts';

/** The catalogue's name for the place of the sessions: the directory, or the address. */
export function placeOf({ servers, paths }: Partial<Pick<App, 'servers'>> & Pick<App, 'paths'>): string {
  return servers?.location ?? paths.sessions;
}

/** Whether a place is one on servers. */
export function isServerAddress(place: string): boolean {
  return /^(?:nats|tls):\/\//.test(place);
}
