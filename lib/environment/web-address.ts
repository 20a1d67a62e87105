// The web addresses of settings: which can be called, and why another cannot.
import { endsHostInUser } from './shown-words.ts';

/** For an address that a person and a parser read differently. */
export const READ_TWO_WAYS =
  'its "@" after a slash, a "?" or a "#" could end a password or belong to what comes after the host; ' +
  'write %2F, %3F or %23 for that sign, or %40 for that "@"';

/**
 * The address, or the reason why it cannot be called: the end of a sentence, which quotes nothing of it.
 *
 * @example
 * webAddress('https://example.org/v1').href; // 'https://example.org/v1'
 * webAddress('https://me:word@example.org'); // 'it holds a name or a password'
 */
export function webAddress(text: string, { mayHoldUser = false } = {}): URL | string {
  if (endsHostInUser(text)) return READ_TWO_WAYS;
  const url = URL.parse(text);
  if (url === null) return 'it is not an address';
  if (!mayHoldUser && (url.username !== '' || url.password !== '')) return 'it holds a name or a password';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http and https addresses are known';
  return url;
}
