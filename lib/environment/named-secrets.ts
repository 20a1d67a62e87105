// Finds secrets by their names: `DB_PASSWORD=…`, `"client_secret": "…"`, `x-api-key: …`, `?token=…`, `--password …`,
// `<secret>…</secret>`, `IDENTIFIED BY '…'`. A name proves nothing, so the value must look like a secret too: code is
// full of `password: string` and `token = next()`. Each expression reads a bounded number of characters at each place,
// so the work is proportional to the text.
import {
  authorizationValue,
  basicValue,
  bearerValue,
  cookieValues,
  curlValues,
  type Part,
  signatureValue,
} from './header-secrets.ts';
import { isDrawn, isSecretLike } from './secret-likeness.ts';

export type NamedKind = 'authorization' | 'named-secret';

interface NamedSpan extends Part {
  readonly kind: NamedKind;
}

/**
 * Where a name or a header may be. Written out in the cases that occur: a flag for both cases takes three times as
 * long. What begins alike is together, which takes a third off.
 */
const GATE =
  /(?:[Pp](?:ass(?:w|phr)|wd)|P(?:ASS(?:W|PHR)|WD)|_(?:pass\b|PASS\b|auth=)|[Ss]ecret|SECRET|[Tt]oken|TOKEN|(?:[Aa](?:pi|ccess|ccount|uth)|A(?:PI|CCESS|CCOUNT|UTH)|[Pp]rivate|PRIVATE|[Ee]ncryption|ENCRYPTION|[Ss]igning|SIGNING|[Mm]aster|MASTER)[ _-]?(?:[Kk]ey|KEY)|[Aa]uthorization|AUTHORIZATION|[Bb](?:earer|asic )|B(?:EARER|ASIC )|[Cc](?:ookie|redential)|C(?:OOKIE|REDENTIAL)|curl |sig=|[?&]key=|[Ii]dentified |IDENTIFIED )/g;

/** Characters that are read before a keyword, and before a name. */
const MAX_BEFORE = 96;
/** The beginning of a name, after an escape, a colour, or the dashes of an option or of a diff. */
const HEAD =
  /(?:\\(?:[nrtbf]|u[\da-f]{4}|x[\da-f]{2})|%[\da-f]{2}|(?:\x1b|\\(?:e|033|x1b|u001b))\[[\d;]{0,12}m)?-{0,4}([\w-]{0,64})$/i;
const REST = /[\w-]{0,40}/y;
/** A quotation mark, also in JSON in JSON, where each level doubles the backslashes. */
const QUOTE = String.raw`\\{0,15}["'\x60]`;
/** The rest of a name, with its quotation mark, then what assigns. */
const ASSIGNED = sticky(
  String.raw`([\w-]{0,40})(${QUOTE}|%22)?[ \t]{0,20}(:=|=>|=|:|%3[AaDd])([ \t]{0,20})(${QUOTE}|%22)?`,
);
/** `--token …`, `IDENTIFIED BY '…'`, `password …` of netrc, `ENV API_KEY …`. */
const SPACED = sticky(String.raw`([\w-]{0,40})[ \t]{1,4}((?:BY|by)[ \t]{1,4})?(${QUOTE})?`);
/** `<password>…`, also as CDATA. */
const ELEMENT = sticky(String.raw`([\w-]{0,40})>(?:<!\[CDATA\[)?`);
/** `"name": "API_KEY", "value": "…"`, `key="API_KEY" value="…"`, `define('API_KEY', '…')`, `["x-api-key","…"]`. */
const PAIRED = sticky(
  String.raw`([\w-]{0,40})(${QUOTE})?(?:,|\s|\\[nrt])(?:\s|\\[nrt]){0,20}(?:(?:${QUOTE})?[Vv]alue(?:${QUOTE})?[ \t]{0,4}[:=][ \t]{0,4})?(${QUOTE})?`,
);

const QUOTED = /[^"'`\\\s\0-\x1f]{8,512}/y;
const UNQUOTED = /[^\s"'`,;&|<>(){}[\]\\\0-\x1f]{8,512}/y;
/** What may follow a value that has no quotation marks. */
const DELIMITER = /^(?:[\s"'`,;&|<)\\}\]\x1b]|$)/;
const LINE_END = /^[ \t]*(?:(?:#|\/\/)[^\n]*)?(?:[\r\n"'`\\\x1b]|$)/;

const PASSWORD_NAME = /(?:password|passwd|passphrase|pwd|pass)$/;
const KEY_NAME =
  /(?:secret|token|credentials?|(?:api|access|secret|private|account|auth|encryption|signing|master)key|secretkeybase)$/;
const NAME_END = new RegExp(`${PASSWORD_NAME.source}|${KEY_NAME.source}|^auth$`);
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;
const ASSIGNMENT = /^[A-Z][A-Z0-9_]*=/;
/** Written in lower case without quotation marks in settings files: those of AWS, npm, Azure. */
const SETTING_NAME = /^(?:aws)?(?:secretaccesskey|sessiontoken|accountkey|sharedaccesskey|authtoken|auth|password)$/;
/** The directory of a shell; in other cases it is a password too. */
const DIRECTORY_NAME = /^(?:OLD)?PWD$/;
const ABSOLUTE_PATH = /^(?:[/~]|[A-Za-z]:)/;
/** A member of code that holds the directory: `Pwd: "/srv/garden/beds"`. */
const PATH_OF_WORDS = /^~?(?:\/[a-z\d.][\w.-]{0,15}){2,20}\/?$/;

/** Before a name that begins its line: also in a diff, a quotation, a comment, a list, or what curl prints. */
const LINE_BEFORE =
  /(?:^|[\r\n]|\\[nr])[ \t]*(?:(?:[-+<>*#;|]|\/\/|\d{1,7}[:|→]|@@ [^@]{1,40} @@)[ \t]*){0,3}(?:(?:export|set)[ \t]+)?(?:[\w-]+\.){0,6}["']?-{0,2}$/;
const OPTION_BEFORE = /(?:^|[\s"'`=(,[])--?$/;
const QUERY_BEFORE = /(?:[?&;]|%26|\\u0026|%3[Ff])$/;
const QUOTE_BEFORE = /["'`]$/;
const LOGIN_BEFORE = /(?:^|\s)login[ \t\r\n]+\S{1,64}\s+$/;
const VARIABLE_BEFORE = /(?:^|\W|\\[nr]|\[[\d;]{0,12}m)(?:ENV|ARG|setx|setenv|set -[a-zA-Z]{1,3})[ \t]+$/;
const PAIR_BEFORE =
  /[([]\s{0,4}\\{0,15}["'`]-{0,2}$|,\s{0,4}\\{0,15}["'`]--$|(?:name|key)\\{0,15}["']?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,15}["'])?$/i;

/** Finds them in `text`. Those of one command may overlap with others. */
export function findNamedSecrets(text: string): NamedSpan[] {
  const spans: NamedSpan[] = [];
  let free = 0;
  /** A command and a header are read once, also where their names are in them again. */
  let curlEnd = 0;
  let cookieEnd = 0;
  GATE.lastIndex = 0;
  for (let match = GATE.exec(text); match !== null; match = GATE.exec(text)) {
    const { index, 0: keyword } = match;
    if (index < free) continue;
    let found: readonly NamedSpan[];
    if (keyword === 'curl ') {
      if (index < curlEnd) continue;
      const { parts, end } = curlValues(text, index);
      for (const part of parts) spans.push({ kind: 'named-secret', ...part });
      curlEnd = end;
      continue;
    }
    if (/^cookie$/i.test(keyword)) {
      if (index < cookieEnd) continue;
      const { parts, end } = cookieValues(text, index + keyword.length);
      found = parts.map((part) => ({ kind: 'named-secret', ...part }));
      cookieEnd = end;
    } else found = spansAt(text, index, keyword);
    spans.push(...found);
    free = found.at(-1)?.end ?? free;
  }
  return spans;
}

function spansAt(text: string, at: number, keyword: string): readonly NamedSpan[] {
  switch (keyword.toLowerCase()) {
    case 'bearer':
      return bearerValue(text, at).map((part) => ({ kind: 'authorization', ...part }));
    case 'basic ':
      return basicValue(text, at).map((part) => ({ kind: 'authorization', ...part }));
    case 'authorization':
      return authorizationValue(text, at + keyword.length).map((part) => ({ kind: 'authorization', ...part }));
    case 'sig=':
      return signatureValue(text, at).map((part) => ({ kind: 'named-secret', ...part }));
    default:
      return named(text, at, keyword).map((part) => ({ kind: 'named-secret', ...part }));
  }
}

/** A name with what would be its value. */
interface SecretPlace {
  readonly form: 'assigned' | 'spaced' | 'element' | 'paired';
  readonly name: string;
  /** The text before the name. */
  readonly before: string;
  readonly sign: string;
  /** Whether no blank is next to the sign. */
  readonly isTight: boolean;
  readonly isNameQuoted: boolean;
  readonly quote: string | undefined;
  /** Where the value begins. */
  readonly start: number;
}

function named(text: string, at: number, keyword: string): readonly Part[] {
  if (!mayName(text, at, keyword)) return [];
  const place = placeOf(text, at, keyword);
  if (place === undefined) return [];
  const plain = place.name.toLowerCase().replace(/[ _-]/g, '');
  const isPassword = PASSWORD_NAME.test(plain);
  const value = place.quote === undefined ? unquotedValue(text, place, plain) : quotedValue(text, place);
  if (value === undefined || !isSecretLike(value, isPassword)) return [];
  const directory = DIRECTORY_NAME.test(place.name) ? ABSOLUTE_PATH : PATH_OF_WORDS;
  if (/^(?:OLD)?PWD$/i.test(place.name) && directory.test(value)) return [];
  return [{ start: place.start, end: place.start + value.length }];
}

/** Most places end here: a word of prose, or a name that goes on otherwise. */
function mayName(text: string, at: number, keyword: string): boolean {
  if (/[= ]$/.test(keyword)) return true;
  const rest = matchAt(REST, text, at + keyword.length)![0];
  return NAME_END.test(`${keyword}${rest}`.toLowerCase().replace(/[ _-]/g, ''));
}

function placeOf(text: string, at: number, keyword: string): SecretPlace | undefined {
  const isStatement = /^identified /i.test(keyword);
  const word = keyword.replace(/[= ]$/, '');
  const end = at + word.length;
  const head = headBefore(text, at);
  const nameAt = at - head.length;
  const place = (form: SecretPlace['form'], rest: string, more: Partial<SecretPlace>): SecretPlace => ({
    form,
    name: isStatement ? 'password' : `${head}${word.replace(/^[?&]/, '')}${rest}`,
    before: text.slice(Math.max(0, nameAt - MAX_BEFORE), nameAt) + (/^[?&]/.exec(word)?.[0] ?? ''),
    sign: '',
    isTight: false,
    isNameQuoted: false,
    quote: undefined,
    start: 0,
    ...more,
  });
  const assigned = isStatement ? null : matchAt(ASSIGNED, text, end);
  if (assigned !== null) {
    const [whole, rest = '', nameQuote, sign = '', blank, quote] = assigned;
    const isTight = blank === '' && whole.length === rest.length + sign.length + (quote?.length ?? 0);
    const start = ASSIGNED.lastIndex;
    return place('assigned', rest, { isNameQuoted: nameQuote !== undefined, sign, isTight, quote, start });
  }
  const before = text.slice(Math.max(0, nameAt - MAX_BEFORE), nameAt);
  const element = /[<:]$/.test(before) ? matchAt(ELEMENT, text, end) : null;
  if (element !== null) return place('element', element[1]!, { start: ELEMENT.lastIndex });
  const paired = PAIR_BEFORE.test(before) ? matchAt(PAIRED, text, end) : null;
  if (paired !== null) {
    const [, rest = '', nameQuote, quote] = paired;
    return place('paired', rest, { isNameQuoted: nameQuote !== undefined, quote, start: PAIRED.lastIndex });
  }
  const spaced = matchAt(SPACED, text, end);
  if (spaced === null) return undefined;
  const [, rest = '', by, quote] = spaced;
  const found = place('spaced', rest, { quote, start: SPACED.lastIndex });
  const isMeant =
    isStatement || by !== undefined
      ? by !== undefined && quote !== undefined
      : OPTION_BEFORE.test(before) ||
        VARIABLE_BEFORE.test(before) ||
        (/(?:^|\s)password$/i.test(found.name) && (quote?.endsWith("'") || LOGIN_BEFORE.test(before))) ||
        (found.name === 'password' && LINE_BEFORE.test(before));
  return isMeant ? found : undefined;
}

function headBefore(text: string, at: number): string {
  const least = Math.max(0, at - MAX_BEFORE);
  let start = at;
  while (start > least && /[\w-]/.test(text[start - 1]!)) start -= 1;
  if (/[\\%[;]/.test(text[start - 1] ?? '')) return HEAD.exec(text.slice(least, at))![1]!;
  while (text[start] === '-') start += 1;
  return text.slice(start, at);
}

/** In settings, shells, headers and queries. In code an expression follows, so that only a drawn value counts. */
function unquotedValue(text: string, place: SecretPlace, plain: string): string | undefined {
  const { form, name, before, sign, isTight, start } = place;
  const found = matchAt(UNQUOTED, text, start)?.[0].split(/%2[26]/)[0];
  if (found === undefined) return undefined;
  const after = text.slice(start + found.length, start + found.length + MAX_BEFORE);
  const endsHere = DELIMITER.test(after) || /^%2[26]/.test(after);
  const endsLine = LINE_END.test(after);
  switch (form) {
    case 'element':
      return /^(?:<\/|\]\]>)/.test(after) ? found : undefined;
    case 'paired':
      // After `API_KEY=your_api_key` a line with another variable follows, and no value.
      return endsLine && !place.isNameQuoted && !ASSIGNMENT.test(found) ? found : undefined;
    case 'spaced':
      return (OPTION_BEFORE.test(before) || LOGIN_BEFORE.test(before) ? endsHere : endsLine) ? found : undefined;
    case 'assigned': {
      if (place.isNameQuoted && !sign.startsWith('%')) return undefined;
      const isGiven =
        (sign === '=' && isTight && (CONSTANT_NAME.test(name) || SETTING_NAME.test(plain))) ||
        (/^[=%]/.test(sign) && (QUERY_BEFORE.test(before) || OPTION_BEFORE.test(before)));
      if (isGiven) return endsHere ? found : undefined;
      const isLine = (sign === '=' || (sign === ':' && !isTight)) && endsLine && LINE_BEFORE.test(before);
      const isQuotedHeader = sign === ':' && QUOTE_BEFORE.test(before) && /^[\\"'`]/.test(after);
      return isLine || isQuotedHeader || (endsHere && isDrawn(found)) ? found : undefined;
    }
  }
}

function quotedValue(text: string, { quote, start }: SecretPlace): string | undefined {
  const found = matchAt(QUOTED, text, start)?.[0];
  if (quote === '%22') return found?.split('%22')[0];
  return found !== undefined && text.startsWith(quote!, start + found.length) ? found : undefined;
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'y');
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
