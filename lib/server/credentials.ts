// What a request may come in with: the token of a program, or the cookie of a browser that brought a code. A cookie is
// bound to the token and to its own name, which has the port, by a checksum, so that it holds across restarts and ends
// when the token is changed; no list of them is kept.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

interface CredentialsOptions {
  readonly token: string;
  /** Part of the cookie's name: browsers send the cookies of a host to all its ports. */
  readonly port: number;
  /** Whether browsers come by TLS. */
  readonly isSecure: boolean;
  readonly now: () => number;
}

const COOKIE_MS = 30 * 86_400_000;
const CODE_MS = 5 * 60_000;
const MAX_CODES = 16;
const COOKIE_VALUE = /^([0-9a-z]{1,12})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export class Credentials {
  readonly cookieName: string;
  readonly #options: CredentialsOptions;
  /** The hashes of codes that were not used yet, with the time at which they end. */
  readonly #codes = new Map<string, number>();

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.cookieName = `${options.isSecure ? '__Host-' : ''}ollm-${options.port}`;
  }

  /** Whether an `Authorization` header has the token. */
  hasToken(header: string | undefined): boolean {
    const [, given] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '') ?? [];
    return given !== undefined && areSame(given, this.#options.token);
  }

  /** A text of a request for the log: the token is taken out, in whatever case and escaped or not. */
  withoutToken(text: string): string {
    const { token } = this.#options;
    const pattern = new RegExp(token, 'gi');
    const readable = unescaped(text);
    return (readable.search(pattern) < 0 ? text : readable).replace(pattern, '[token]');
  }

  /** Whether a `Cookie` header has a cookie of this server's. */
  hasCookie(header: string | undefined): boolean {
    const values = (header ?? '').split(';').flatMap((pair) => {
      const [name, value = ''] = pair.trim().split('=', 2);
      return name === this.cookieName ? [value] : [];
    });
    return values.some((value) => {
      const [, expires = '', nonce = '', mac = ''] = COOKIE_VALUE.exec(value) ?? [];
      if (!areSame(mac, this.#mac(expires, nonce))) return false;
      return Number.parseInt(expires, 36) > this.#options.now();
    });
  }

  /** A code that works once, for five minutes. */
  makeCode(): string {
    const code = randomBytes(32).toString('base64url');
    this.#forgetOldCodes();
    this.#codes.set(hashOf(code), this.#options.now() + CODE_MS);
    return code;
  }

  /** The `Set-Cookie` header for a code; undefined if it is not one, or not any more. */
  exchange(code: string): string | undefined {
    this.#forgetOldCodes();
    if (!this.#codes.delete(hashOf(code))) return undefined;
    const expires = (this.#options.now() + COOKIE_MS).toString(36);
    const nonce = randomBytes(16).toString('base64url');
    const secure = this.#options.isSecure ? '; Secure' : '';
    const attributes = `Path=/; Max-Age=${COOKIE_MS / 1000}; HttpOnly; SameSite=Strict${secure}`;
    return `${this.cookieName}=${expires}.${nonce}.${this.#mac(expires, nonce)}; ${attributes}`;
  }

  #mac(expires: string, nonce: string): string {
    return createHmac('sha256', this.#options.token)
      .update(`ollm cookie ${this.cookieName} ${expires} ${nonce}`)
      .digest('base64url');
  }

  #forgetOldCodes(): void {
    const now = this.#options.now();
    for (const [hash, endMs] of this.#codes) if (endMs <= now) this.#codes.delete(hash);
    for (const hash of [...this.#codes.keys()].slice(0, -MAX_CODES)) this.#codes.delete(hash);
  }
}

/** Each part that can be read: what is no escape stays. */
function unescaped(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Takes the same time whatever differs. */
function areSame(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** A new code, and where a browser goes with it. Behind `#` it is in no log and no `Referer`. */
export function linkTo({
  credentials,
  browserAddress,
}: LinkOptions): Readonly<Record<'code' | 'path' | 'link', string>> {
  const code = credentials.makeCode();
  const path = `/join#${code}`;
  return { code, path, link: `${browserAddress}${path}` };
}

interface LinkOptions {
  readonly credentials: Credentials;
  readonly browserAddress: string;
}
