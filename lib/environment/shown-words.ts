// The words of a command, and an address, as they are shown to a person: without the values that their names or their
// places make a secret. A value without either is found by its shape: see redact.ts.
import { isKeyLike } from './secret-likeness.ts';
import { withoutVariables } from './text-variables.ts';

/** In the place of a value that is there and is not shown. */
export const HIDDEN_VALUE = '[hidden]';

/** A flag, a variable or a header that is a secret by its name. */
const SECRET_NAME = String.raw`-{0,2}[\w-]*(?:(?:key|token|secret|credential|cookie)s?|passw(?:or)?d|passphrase|(?<![a-z])(?:pass|pat|pwd)|auth|authorization|bearer)`;
const SECRET_FLAG = new RegExp(`^(?=-)${SECRET_NAME}$`, 'i');
const SECRET_WORD = new RegExp(`^(${SECRET_NAME}(?:=|:\\s*))[^]+$`, 'i');
const HEADER = /^((?:--header=)?[\w-]+:\s*).+$/s;
const VARIABLE = /^((?:--env=)?\w+=).+$/s;
/** A key of a provider, which a program may take without a name. `sk-` is also how users begin a key of their own. */
const MODEL_KEY = /^(sk[-_])[\w-]{10,}$/;
/** These are only drawn, so that words after them are a name, such as `pk-docs-server`. */
const DRAWN_KEY = /^([pr]k[-_])([\w-]{10,})$/;
/** The word after it is a program, of which nothing is hidden that a shell or a language would run. */
const PROGRAM_FLAG = /^(?:-\w*[ce]|\/[ck]|--?(?:eval|print|command))$/i;
/** In a text: names with values, and addresses. */
const SECRET_PAIR = new RegExp(
  String.raw`(?<![\w-])(${SECRET_NAME}["']?(?:=|:\s*|\s+(?<=--[\w-]+\s+))["']?(?:(?:bearer|basic)\s+)?)[^\s"'\x60$;&|<>()]+`,
  'gi',
);
const ADDRESS = /\b[\w+.-]{1,30}:\/\/(?:[^\s"'`$;&|<>()]|&(?=[\w-]+=))+/g;

/**
 * Arguments of a program.
 *
 * @example
 * shownWords(['--token', 'q7Hd82jL', '--verbose']); // ['--token', '[hidden]', '--verbose']
 */
export function shownWords(words: readonly string[]): string[] {
  return words.map((word, index) => shownWord(word, words[index - 1] ?? ''));
}

/** The value is in the same word as its name, or in the one after its flag. */
function shownWord(word: string, before: string): string {
  if (SECRET_FLAG.test(before) && !word.startsWith('--')) return HIDDEN_VALUE;
  const forms = [
    MODEL_KEY,
    ...(isMadeOfWords(DRAWN_KEY.exec(word)?.[2] ?? '') ? [] : [DRAWN_KEY]),
    ...(PROGRAM_FLAG.test(before) ? [] : [SECRET_WORD]),
    ...(/^(?:-H|--header)$/.test(before) || word.startsWith('--header=') ? [HEADER] : []),
    ...(before === '--env' || word.startsWith('--env=') ? [VARIABLE] : []),
  ];
  const form = forms.find((each) => each.test(word));
  return form === undefined ? shownText(word) : word.replace(form, `$1${HIDDEN_VALUE}`);
}

/** A text with names and addresses in it, such as the line of a command. */
export function shownText(text: string): string {
  return text.replace(ADDRESS, shownAddress).replace(SECRET_PAIR, `$1${HIDDEN_VALUE}`);
}

/** A part of a path that is hardly a word: some servers have the key of their user there. */
const KEY_IN_PATH = /(?<!\/)\/(?=[^/?#]*\d)(?=[^/?#]*[a-z])([^/?#]{16,})/gi;

/**
 * The part before the host, to the last `@`, also where the scheme is missing or lacks its colon. A password may have
 * any sign in it, but an `@` right after a slash, or after a host with a dot and a slash, is one of the path.
 */
const SCHEME = String.raw`(?=(\s*(?:[\w+.-]+:?[\\/]{2,}|[\w+.-]+:[\\/]|[\\/]*)))\1`;
const HOST_WITH_PATH = String.raw`(?<=[\\/])[\w-]+(?:\.[\w-]+)+[\\/]`;
const NO_PORT = String.raw`[^\\/@]*:(?!\d*[\\/])`;
const USER = new RegExp(String.raw`^${SCHEME}(?!${HOST_WITH_PATH})(?:[^]*[^\\/]|${NO_PORT}[^]*)@`);

/** Without its user, the values of its query and its fragment, and keys in its path. */
export function shownAddress(url: string): string {
  const place = (url.includes('@') ? url.replace(USER, `$1${HIDDEN_VALUE}@`) : url).replace(
    /([?#]).+$/s,
    `$1${HIDDEN_VALUE}`,
  );
  return place.replace(KEY_IN_PATH, (part, name: string) => (isMadeOfWords(name) ? part : `/${HIDDEN_VALUE}`));
}

/** The part before the host as a person reads it, whether a parser finds it or not; empty where there is none. */
export function userOf(url: string): string {
  // Without a look, a long text of colons would take quadratic time.
  const [before = '', scheme = ''] = (url.includes('@') && USER.exec(url)) || [];
  return before.slice(scheme.length, -1);
}

/** A query after a path: an `@` in it ends no user. */
const QUERY_OF_PATH = /^[^?#]*[\\/][^?#]*[?#]/;

/** Whether a name or a password may be before its host, in any form that such an address is typed in. */
export function holdsUser(url: string): boolean {
  const user = userOf(url);
  return user !== '' && !QUERY_OF_PATH.test(user);
}

/** Whether a password is there, in any of these forms. The colon of a host with its port begins none. */
export function holdsPassword(url: string): boolean {
  return /^[^\\/@]*:(?!\d*[\\/])./s.test(userOf(url));
}

/**
 * Whether a sign is in that part with which a parser ends the host: a person means a password.
 *
 * @example
 * endsHostInUser('https://me:pa/ss@host'); // true
 */
export function endsHostInUser(url: string): boolean {
  return holdsUser(url) && /[\\/?#]/.test(userOf(url));
}

const KEY_NAME =
  /(?:^|[^a-z]|api|app|access|auth|client|user)(?:key|token|secret|password|passwd|passphrase|credential)s?$|(?:^|[^a-z])(?:pass|pwd|pat)$/;
/** Values that are none under any name: a sign of a template, a switch, a number such as that of tokens. */
const NO_KEY = /^(?:[<{*]|(?:true|false|yes|no|on|off|none|null)?$|\d{1,5}$)/i;

/**
 * Whether the last word of a name says that its value is a key.
 *
 * @example
 * ['api_key', 'accessToken', 'key', 'monkey'].map(isKeyName); // [true, true, true, false]
 */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase());
}

/** Whether a name in the query or the fragment makes its value a key. The variable `${NAME}` is not a value. */
export function holdsKeyInQuery(url: string): boolean {
  const [, query = ''] = /[?#](.*)$/s.exec(url) ?? [];
  return query.split(/[&;?#]/).some((pair) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const written = withoutVariables(value);
    // A key of Azure is a code, and so is much else.
    return name === 'code' ? isKeyLike(written) : isKeyName(name) && !NO_KEY.test(written);
  });
}

/**
 * The place where an address has a key as text: the end of a sentence about it. Undefined without one.
 *
 * @example
 * keyInAddress('https://example.org/mcp?token=q7Hd82jL'); // 'has a key in its query'
 */
export function keyInAddress(url: string): string | undefined {
  const written = withoutVariables(url);
  if (holdsUser(written)) return 'has a name or a password';
  if (holdsKeyInQuery(url)) return 'has a key in its query';
  const [place = ''] = written.split(/[?#]/);
  return shownAddress(place) === place ? undefined : 'may have a key in its path';
}

const MOST_PIECES = 12;
/** In one case, as a drawn value of that length hardly is; or a version, or a year. */
const PIECE = /^(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,15}|v?\d{1,4})$/;
const UNSPEAKABLE = /[bcdfghjklmnpqrstvwxz]{5}|^[bcdfghjklmnpqrstvwxz]{4}/i;

/** Whether each piece between hyphens, dots and underscores is one, as in the name of a thing. */
function isMadeOfWords(name: string): boolean {
  const pieces = name.split(/[-_.]/, MOST_PIECES + 1);
  return pieces.length <= MOST_PIECES && pieces.every((piece) => PIECE.test(piece) && !UNSPEAKABLE.test(piece));
}
