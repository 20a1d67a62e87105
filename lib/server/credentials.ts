// The credentials of a request: the token of a program, or the cookie of a browser that brought a code. A cookie is
// bound to the token and to its own name, which has the port, by a checksum, so that it holds across restarts and ends
// when the token is changed; no list of them is kept.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { GUEST_TOKEN } from '../host/guest-links.ts';
import { sha256Of } from '../session/identify.ts';

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
    const given = tokenIn(header);
    return given !== undefined && areSame(given, this.#options.token);
  }

  /** The text in the place of a guest's token: that of a program wins over the cookie of a browser. */
  guestTokenIn({ headers }: Pick<Request, 'headers'>): string | undefined {
    const authorization = headers.get('authorization');
    if (authorization !== null) return tokenIn(authorization);
    return cookiesNamed(this.#guestCookieName, headers.get('cookie') ?? undefined)[0];
  }

  /** The `Set-Cookie` header by which a browser comes as a guest. */
  guestCookie(token: string, holdsMs: number): string {
    return `${this.#guestCookieName}=${token}; ${this.#attributes(holdsMs)}`;
  }

  /** A text of a request for the log, without the tokens of programs and guests, in whatever case, escaped or not. */
  withoutToken(text: string): string {
    const { token } = this.#options;
    const pattern = new RegExp(`${token}|${GUEST_TOKEN.source}`, 'gi');
    const readable = unescaped(text);
    return (readable.search(pattern) < 0 ? text : readable).replace(pattern, '[token]');
  }

  /** Whether a `Cookie` header has a cookie of this server's. */
  hasCookie(header: string | undefined): boolean {
    return cookiesNamed(this.cookieName, header).some((value) => {
      const [, expires = '', nonce = '', mac = ''] = COOKIE_VALUE.exec(value) ?? [];
      if (!areSame(mac, this.#mac(expires, nonce))) return false;
      return Number.parseInt(expires, 36) > this.#options.now();
    });
  }

  /** A code that works once, for five minutes. */
  makeCode(): string {
    const code = randomBytes(32).toString('base64url');
    this.#forgetOldCodes();
    this.#codes.set(sha256Of(code), this.#options.now() + CODE_MS);
    return code;
  }

  /** The `Set-Cookie` header for a code; undefined if it is not one, or not any more. */
  exchange(code: string): string | undefined {
    this.#forgetOldCodes();
    if (!this.#codes.delete(sha256Of(code))) return undefined;
    const expires = (this.#options.now() + COOKIE_MS).toString(36);
    const nonce = randomBytes(16).toString('base64url');
    return `${this.cookieName}=${expires}.${nonce}.${this.#mac(expires, nonce)}; ${this.#attributes(COOKIE_MS)}`;
  }

  get #guestCookieName(): string {
    return `${this.cookieName}-guest`;
  }

  #attributes(holdsMs: number): string {
    const secure = this.#options.isSecure ? '; Secure' : '';
    return `Path=/; Max-Age=${Math.floor(holdsMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
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

/** In an `Authorization` header. */
function tokenIn(header: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
}

/** The values of one name in a `Cookie` header. */
function cookiesNamed(wanted: string, header: string | undefined): readonly string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const [name, value = ''] = pair.trim().split('=', 2);
    return name === wanted ? [value] : [];
  });
}

/** Decodes each part that can be read: a text that is not an escape stays. */
function unescaped(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Takes the same time whatever differs. */
function areSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

/** A new code, and the page that a browser opens with it. After `#` it is in no log and no `Referer`. */
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
