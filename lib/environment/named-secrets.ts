// Finds secrets by what is said of them: `DB_PASSWORD=…`, `"client_secret": "…"`, `Authorization: Bearer …`, `curl -u
// name:…`. A name proves nothing, so the value must look like a secret too: code is full of `password: string` and
// `token = next()`. Each expression reads a bounded number of characters at each place, so the work is proportional to
// the text.

export type NamedKind = 'authorization' | 'named-secret';

export interface NamedSpan {
  readonly kind: NamedKind;
  readonly start: number;
  readonly end: number;
}

/**
 * Where a name or a header may be. Written out in the cases that occur: a flag for both cases takes three times as
 * long.
 */
const GATE =
  /(?:[Pp]ass(?:w|phr)|PASS(?:W|PHR)|[_-]?(?:pwd|PWD)|[Ss]ecret|SECRET|[Tt]oken|TOKEN|(?:[Aa]pi|API|[Aa]ccess|ACCESS|[Pp]rivate|PRIVATE|[Aa]ccount|ACCOUNT|[Aa]uth|AUTH|[Ee]ncryption|ENCRYPTION|[Ss]igning|SIGNING|[Mm]aster|MASTER)[_-]?(?:[Kk]ey|KEY)|[Cc]redential|CREDENTIAL|_auth=|[Bb]earer|BEARER|[Bb]asic |BASIC |curl |sig=)/g;

/** The rest of a name, with its quotation mark, then what assigns. */
const ASSIGNMENT = /([\w-]{0,40})(\\?["'])?([ \t]{0,4})(:=|=>|=|:)([ \t]{0,4})(\\?["'`])?/y;
/** Characters of a name before its keyword. */
const MAX_NAME_BEFORE = 64;
const QUOTED = /[^"'`\\\s]{8,512}/y;
const UNQUOTED = /[^\s"'`,;&|<>(){}[\]\\]{8,512}/y;
const LINE_BEFORE = /(?:^|\n)[ \t]*(?:-[ \t]+|export[ \t]+)?["']?$/;

const PASSWORD_NAME = /(?:password|passwd|passphrase|pwd)$/;
const KEY_NAME =
  /(?:secret|token|credentials?|(?:api|access|secret|private|account|auth|encryption|signing|master)key|secretkeybase)$/;
/** Written in lower case without quotation marks in settings files: those of AWS, npm, Azure. */
const SETTING_NAME = /^(?:aws)?(?:secretaccesskey|sessiontoken|accountkey|sharedaccesskey|authtoken|auth|password)$/;
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;

/** What is written where a secret would be. */
const PLACEHOLDER =
  /^(?:[$<{%*#@]|x{3,}|\.{3}|0x0+$)|example|placeholder|change.?me|redacted|dummy|sample|your[-_]|[-_]your|insert|todo|\*{3}|\.\.\.|…|^(?:null|undefined|none|true|false)/i;
/** A path of members, a call, a type: code that computes the value. */
const CODE = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|[({[<]|=>|^(?:process|import|os|env|config|self|this)\./;

const HEADER_VALUE = /[Bb]earer[ \t]{1,4}([\w.~+/-]{16,4096}={0,2})/y;
const BASIC_VALUE = /[Bb]asic[ \t]{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![\w+/])/y;
const CURL_USER = /[ \t](?:-u|--user|--proxy-user)[ =]?["']?([^\s:"']{1,100}):([^\s"']{3,200})/g;
const MAX_CURL_LINE = 500;
const SIGNATURE = /sig=([\w%+/=-]{40,200})/y;

/** Finds them in `text`, in its order. */
export function findNamedSecrets(text: string): NamedSpan[] {
  const spans: NamedSpan[] = [];
  let free = 0;
  let curlEnd = 0;
  GATE.lastIndex = 0;
  for (let match = GATE.exec(text); match !== null; match = GATE.exec(text)) {
    const { index, 0: keyword } = match;
    if (index < free) continue;
    if (keyword === 'curl ') {
      // The line of one command is read once, also where its name is in it again.
      if (index < curlEnd) continue;
      curlEnd = index + lineAt(text, index).length;
    }
    for (const span of spansAt(text, index, keyword)) {
      spans.push(span);
      free = span.end;
    }
  }
  return spans;
}

function spansAt(text: string, at: number, keyword: string): readonly NamedSpan[] {
  switch (keyword.toLowerCase()) {
    case 'bearer':
      return headerValue(text, at, HEADER_VALUE, isTokenLike);
    case 'basic ':
      return headerValue(text, at, BASIC_VALUE, isUserAndPassword);
    case 'curl ':
      return curlPasswords(text, at);
    case 'sig=':
      return /[?&;"']/.test(text[at - 1] ?? '') ? headerValue(text, at, SIGNATURE, isTokenLike, 'named-secret') : [];
    default:
      return assigned(text, at, keyword);
  }
}

function headerValue(
  text: string,
  at: number,
  pattern: RegExp,
  isSecret: (value: string) => boolean,
  kind: NamedKind = 'authorization',
): NamedSpan[] {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const value = match?.[1]?.replace(/\.+$/, '');
  if (match === null || value === undefined || !isSecret(value)) return [];
  const start = at + match[0].length - match[1]!.length;
  return [{ kind, start, end: start + value.length }];
}

function isTokenLike(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !PLACEHOLDER.test(value) && !CODE.test(value);
}

/** `name:password` in base64, of characters that one can type. */
function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

function curlPasswords(text: string, at: number): NamedSpan[] {
  return [...lineAt(text, at).matchAll(CURL_USER)].flatMap((match) => {
    const password = match[2]!;
    if (PLACEHOLDER.test(password) || /^(?:pass(?:word)?|secret|token)$/i.test(password)) return [];
    const end = at + match.index + match[0].length;
    return [{ kind: 'named-secret' as const, start: end - password.length, end }];
  });
}

function lineAt(text: string, at: number): string {
  const line = text.slice(at, at + MAX_CURL_LINE);
  const end = line.indexOf('\n');
  return end === -1 ? line : line.slice(0, end);
}

function assigned(text: string, at: number, keyword: string): NamedSpan[] {
  ASSIGNMENT.lastIndex = at + keyword.replace(/=$/, '').length;
  const match = ASSIGNMENT.exec(text);
  if (match === null) return [];
  const [whole, rest = '', nameQuote, before = '', sign = '', after = '', quote] = match;
  const start = ASSIGNMENT.lastIndex;
  const head = text.slice(nameStart(text, at), at);
  const name = `${head}${text.slice(at, start - whole.length)}${rest}`;
  const plain = name.toLowerCase().replace(/[_-]/g, '');
  const isPassword = PASSWORD_NAME.test(plain);
  if (!isPassword && !KEY_NAME.test(plain) && plain !== 'auth') return [];
  const value = quote === undefined ? unquotedValue() : quotedValue(text, start, quote);
  if (value === undefined || PLACEHOLDER.test(value) || CODE.test(value) || !isSecretLike(value, isPassword)) return [];
  return [{ kind: 'named-secret', start, end: start + value.length }];

  /** In settings files and shells; in code what follows is an expression. */
  function unquotedValue(): string | undefined {
    if (nameQuote !== undefined) return undefined;
    UNQUOTED.lastIndex = start;
    const found = UNQUOTED.exec(text)?.[0];
    if (found === undefined) return undefined;
    const next = text[start + found.length] ?? '\n';
    if (sign === '=' && before === '' && after === '' && (CONSTANT_NAME.test(name) || SETTING_NAME.test(plain)))
      return /[\s"'`,;&|)\\}\]]/.test(next) ? found : undefined;
    const isSetting = sign === ':' ? isPassword && after !== '' : sign === '=' && SETTING_NAME.test(plain);
    const lineBefore = text.slice(Math.max(0, at - head.length - MAX_NAME_BEFORE), at - head.length);
    return isSetting && LINE_BEFORE.test(lineBefore) && /[\r\n\\]/.test(next) ? found : undefined;
  }
}

function nameStart(text: string, at: number): number {
  return at - /[\w-]*$/.exec(text.slice(Math.max(0, at - MAX_NAME_BEFORE), at))![0].length;
}

function quotedValue(text: string, start: number, quote: string): string | undefined {
  QUOTED.lastIndex = start;
  const found = QUOTED.exec(text)?.[0];
  return found !== undefined && text.startsWith(quote, start + found.length) ? found : undefined;
}

/** A password has letters and digits; a key has many of both, so that no name of a thing is taken for one. */
function isSecretLike(value: string, isPassword: boolean): boolean {
  const digits = value.match(/\d/g)?.length ?? 0;
  if (digits === 0 || !/[A-Za-z]/.test(value)) return false;
  if (isPassword) return !/^[\w-]+\.\w{1,5}$/.test(value);
  return value.length >= 16 && digits >= 3 && !/^(?:https?|file|[a-z]+):\/\//.test(value) && !/^[./~]/.test(value);
}
