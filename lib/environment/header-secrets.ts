// Finds secrets of HTTP other than named values: credentials after a scheme (`Bearer …`, `Authorization: token …`),
// cookies, signatures of URLs, and the passwords and cookies of a curl command. Each place reads a bounded number of
// characters.
import { isKeyLike, isPlaceholder, isVaried } from './secret-likeness.ts';

export interface Part {
  readonly start: number;
  readonly end: number;
}

const BEARER = /[Bb]earer[ \t]{1,4}([\w.~+/-]{16,4096}={0,2})/y;
const BASIC = /[Bb]asic[ \t]{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![\w+/])/y;
/** After the name of the header: with any other scheme, or without one. */
const AUTHORIZATION =
  /\\{0,15}["']?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,15}["'`]?(?:(?!(?:[Bb]earer|[Bb]asic)\b)[A-Za-z][\w-]{1,24}[ \t]{1,4}(?:token=\\{0,15}["']?)?)?([\w.~+/=-]{16,4096})/y;
const SIGNATURE = /sig=([\w%+/=-]{40,200})/y;

const COOKIES = /[Ss]?\\{0,15}["']?[ \t]{0,4}[ :=,][ \t]{0,4}\\{0,15}["'`]?(?=[\w.-]{1,100}=)/y;
const COOKIE = /(?:^|;[ \t]{0,4})([\w.-]{1,100})=([^\s;,"'`\\<>(){}[\]]{16,4096})/g;
const COOKIE_ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|priority)$/i;
const MAX_COOKIES = 4096;
const HEADER_END = /[\r\n"'`]|\\[rn]/;

const CURL_USER = /[ \t](?:-u|--user|--proxy-user)[ =]?["']?([^\s:"']{1,100}):([^\s"']{3,200})/g;
const CURL_COOKIE = /[ \t]-b[ =]?["']?(?=[\w.-]{1,100}=)/g;
const MAX_CURL_LINE = 500;
const LINE_END = /\n/;

export function bearerValue(text: string, at: number): readonly Part[] {
  return valueAt(text, at, BEARER, (value) => isVaried(value) && !isPlaceholder(value));
}

export function basicValue(text: string, at: number): readonly Part[] {
  return valueAt(text, at, BASIC, isUserAndPassword);
}

export function authorizationValue(text: string, at: number): readonly Part[] {
  return valueAt(text, at, AUTHORIZATION, isKeyLike);
}

export function signatureValue(text: string, at: number): readonly Part[] {
  return /[?&;"']/.test(text[at - 1] ?? '') ? valueAt(text, at, SIGNATURE, isVaried) : [];
}

/** Secrets found in a piece of text up to `end`, which need not be read again. */
interface FoundHeaderSecrets {
  readonly parts: readonly Part[];
  readonly end: number;
}

/** Values of the header whose name ends at `at`, up to the end of its line or its quotation mark. */
export function cookieValues(text: string, at: number): FoundHeaderSecrets {
  COOKIES.lastIndex = at;
  return COOKIES.test(text) ? cookiesFrom(text, COOKIES.lastIndex) : { parts: [], end: at };
}

/** Values of the command that begins at `at`. */
export function curlValues(text: string, at: number): FoundHeaderSecrets {
  const line = textUntil(LINE_END, text, at, MAX_CURL_LINE);
  const passwords = [...line.matchAll(CURL_USER)].flatMap((match) => {
    const password = match[2]!;
    if (isPlaceholder(password) || /^(?:pass(?:word)?|secret|token)$/i.test(password)) return [];
    const end = at + match.index + match[0].length;
    return [{ start: end - password.length, end }];
  });
  const cookies = [...line.matchAll(CURL_COOKIE)].flatMap(
    ({ index, 0: option }) => cookiesFrom(text, at + index + option.length).parts,
  );
  return { parts: [...passwords, ...cookies], end: at + line.length };
}

function cookiesFrom(text: string, from: number): FoundHeaderSecrets {
  const parts: Part[] = [];
  const header = textUntil(HEADER_END, text, from, MAX_COOKIES);
  for (const match of header.matchAll(COOKIE)) {
    const [whole, name = '', value = ''] = match;
    if (COOKIE_ATTRIBUTE.test(name) || !isKeyLike(value)) continue;
    const end = from + match.index + whole.length;
    parts.push({ start: end - value.length, end });
  }
  return { parts, end: from + header.length };
}

function valueAt(text: string, at: number, pattern: RegExp, isSecret: (value: string) => boolean): Part[] {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const value = match?.[1]?.replace(/\.+$/, '');
  if (match === null || value === undefined || !isSecret(value)) return [];
  const start = at + match[0].length - match[1]!.length;
  return [{ start, end: start + value.length }];
}

/** `name:password` in base64, of characters that one can type. */
function isUserAndPassword(value: string): boolean {
  return /^[^\0-\x1f\x7f\ufffd]+:[^\0-\x1f\x7f\ufffd]+$/.test(Buffer.from(value, 'base64').toString('utf8'));
}

function textUntil(stop: RegExp, text: string, at: number, most: number): string {
  const piece = text.slice(at, at + most);
  const end = piece.search(stop);
  return end === -1 ? piece : piece.slice(0, end);
}
