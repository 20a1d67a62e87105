// Which session a person means: an id, a unique prefix of one, a title, or @last. Whatever else they type never becomes a path.
import type { App } from './app.ts';

/**
 * The id of the session that `reference` stands for.
 * @throws OllmError SESSION_ID_INVALID, SESSION_NOT_FOUND (with near matches), SESSION_AMBIGUOUS (with the candidates)
 */
export function resolveId(_app: App, _reference: string): string {
  throw new TypeError('not there yet');
}
