// What secrets look like in running text. A gate of plain keywords finds the places; a scanner per keyword then reads
// forward over one kind of character. No expression here backtracks, and no run of characters is read more than a fixed
// number of times: the work is proportional to the text, whatever the text is. `steps` counts it.

export type SecretKind =
  | 'anthropic-key'
  | 'aws-key'
  | 'github-token'
  | 'gitlab-token'
  | 'google-key'
  | 'huggingface-token'
  | 'jwt'
  | 'npm-token'
  | 'openai-key'
  | 'private-key'
  | 'slack-token'
  | 'stripe-key'
  | 'url-password';

export interface SecretSpan {
  readonly kind: SecretKind;
  readonly start: number;
  readonly end: number;
}

export interface ShapeFindings {
  /** In the order of the text; they do not overlap. */
  readonly spans: readonly SecretSpan[];
  /** Characters that the scanners looked at. */
  readonly steps: number;
}

// Each keyword is looked for by its last character, which is rarer in running text than its first: the gate then hardly
// ever stops. It looks back no further than a keyword is long.
const GATE =
  /-(?<=(sk-|glpat-|xapp-|xox[abeoprs]-))|_(?<=([sr]k_live_|gh[oprsu]_|github_pat_|hf_|npm_))|A(?<=(AKIA|ASIA))|z(?<=(AIz))(?=a)|J(?<=(eyJ))|N(?<=(-----BEGIN))(?= )|:(?=\/\/)/g;

/** Name, password and host of a URL fit into this many characters. */
const MAX_USERINFO_CHARACTERS = 512;

/** What a key is judged by stands in so many of its first characters. */
const MAX_JUDGED_CHARACTERS = 256;

/** Finds everything in `text` that has the shape of a secret. */
export function findSecretShapes(text: string): ShapeFindings {
  const reader = createReader(text);
  const spans: SecretSpan[] = [];
  let free = 0;
  for (const gate of text.matchAll(GATE)) {
    const keyword = gate.slice(1).find((found) => found !== undefined) ?? '://';
    const at = keyword === '://' ? gate.index : gate.index + 1 - keyword.length;
    if (at < free) continue;
    const span = scan(reader, keyword, at);
    if (!span) continue;
    spans.push(span);
    free = span.end;
  }
  return { spans, steps: reader.steps() };
}

function scan(reader: Reader, keyword: string, at: number): SecretSpan | undefined {
  if (keyword === '://') return urlPassword(reader, at);
  if (keyword === '-----BEGIN') return privateKey(reader, at);
  if (isWord(reader.text.charCodeAt(at - 1)) && !endsEscape(reader.text, at)) return undefined;
  switch (keyword) {
    case 'sk-':
      return modelKey(reader, at);
    case 'sk_live_':
    case 'rk_live_':
      return token(reader, at, 'stripe-key', keyword, isWord, 20);
    case 'hf_':
      return token(reader, at, 'huggingface-token', keyword, isAlphanumeric, 30);
    case 'npm_':
      return token(reader, at, 'npm-token', keyword, isAlphanumeric, 36);
    case 'github_pat_':
      return token(reader, at, 'github-token', keyword, isWord, 22);
    case 'glpat-':
      return token(reader, at, 'gitlab-token', keyword, isWordOrDash, 20);
    case 'AIz':
      return fixedLength(reader, at, 'google-key', isWordOrDash, 39);
    case 'AKIA':
    case 'ASIA':
      return fixedLength(reader, at, 'aws-key', isUpperOrDigit, 20);
    case 'eyJ':
      return jsonWebToken(reader, at);
    default:
      return keyword.startsWith('x')
        ? token(reader, at, 'slack-token', keyword, isWordOrDash, 16)
        : token(reader, at, 'github-token', keyword, isAlphanumeric, 36);
  }
}

/** What stands for another character, or for a colour: `\n`, `\u0022`, `%3D`, `ESC[31m`, and that with ESC written out. */
const ESCAPE =
  /(?:\\(?:[abefnrtv0]|x[\da-f]{2}|u[\da-f]{4}|[0-3][0-7]{2})|%[\da-f]{2}|(?:\x1b|\\(?:e|033|x1b|u001b))\[[\d;]*[a-z])$/i;
const MAX_ESCAPE_CHARACTERS = 32;

/** Whether the letter before a keyword is none of a word: in JSON the end of a line stands as two characters. */
function endsEscape(text: string, at: number): boolean {
  return ESCAPE.test(text.slice(Math.max(0, at - MAX_ESCAPE_CHARACTERS), at));
}

function token(
  reader: Reader,
  start: number,
  kind: SecretKind,
  prefix: string,
  isPart: CharacterClass,
  minBodyCharacters: number,
): SecretSpan | undefined {
  const body = start + prefix.length;
  const end = reader.runEnd(body, isPart);
  return end - body >= minBodyCharacters && reader.hasDigit(body, end) ? { kind, start, end } : undefined;
}

/** Keys of one exact length and no separator: only their neighbours tell them from a piece of base64. */
function fixedLength(reader: Reader, start: number, kind: SecretKind, isPart: CharacterClass, length: number) {
  if (isBase64Only(reader.text.charCodeAt(start - 1))) return undefined;
  const end = reader.runEnd(start, isPart);
  if (end - start !== length || isBase64Only(reader.text.charCodeAt(end))) return undefined;
  return isWord(reader.text.charCodeAt(end)) ? undefined : { kind, start, end };
}

/** `sk-…` is also the beginning of many a CSS class: a bare one must hold a long piece without a dash. */
function modelKey(reader: Reader, start: number): SecretSpan | undefined {
  const { text } = reader;
  const end = reader.runEnd(start + 3, isWordOrDash);
  const length = end - start;
  if (length < 23 || !reader.hasDigit(start, end)) return undefined;
  if (text.startsWith('sk-ant-', start)) return { kind: 'anthropic-key', start, end };
  const isNamed = ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-'].some((prefix) => text.startsWith(prefix, start));
  return isNamed || reader.longestRun(start + 3, Math.min(end, start + MAX_JUDGED_CHARACTERS), isWord) >= 16
    ? { kind: 'openai-key', start, end }
    : undefined;
}

/** Three base64url parts; the first two begin with `{"`. */
function jsonWebToken(reader: Reader, start: number): SecretSpan | undefined {
  if (reader.text[start - 1] === '-') return undefined;
  const header = reader.runEnd(start, isWordOrDash);
  if (!reader.text.startsWith('.eyJ', header)) return undefined;
  const payload = reader.runEnd(header + 1, isWordOrDash);
  if (reader.text[payload] !== '.') return undefined;
  const end = reader.runEnd(payload + 1, isWordOrDash);
  return end - payload > 16 ? { kind: 'jwt', start, end } : undefined;
}

/** From BEGIN to END; where END was cut off, as far as lines of base64 follow. */
function privateKey(reader: Reader, start: number): SecretSpan | undefined {
  const { text } = reader;
  const body = reader.endOf('-----', start + '-----BEGIN '.length);
  if (body === undefined || body - start > 64) return undefined;
  if (!/PRIVATE KEY(?: BLOCK)?-----$/.test(text.slice(start, body))) return undefined;
  const next = reader.endOf('-----', body);
  const bodyEnd = next === undefined ? text.length : next - '-----'.length;
  if (reader.longestRun(body, bodyEnd, isBase64) < 40) return undefined;
  if (next !== undefined && text.startsWith('-----END ', bodyEnd)) {
    const end = reader.endOf('-----', next);
    if (end !== undefined && end - bodyEnd <= 64) return { kind: 'private-key', start, end };
  }
  return { kind: 'private-key', start, end: reader.runEnd(body, isBase64OrSpace) };
}

/** The password of `scheme://user:password@host`; a placeholder such as `${PASSWORD}`, `<password>` or `password` is none. */
function urlPassword(reader: Reader, at: number): SecretSpan | undefined {
  const { text } = reader;
  if (!isAlphanumeric(text.charCodeAt(at - 1))) return undefined;
  const from = at + 3;
  const authority = text.slice(from, reader.runEnd(from, isAuthority, from + MAX_USERINFO_CHARACTERS));
  const colon = authority.indexOf(':');
  const end = from + authority.lastIndexOf('@');
  if (colon === -1 || end < from + colon) return undefined;
  const start = from + colon + 1;
  if (start === end || '$<{[%*'.includes(text[start]!) || /^password$/i.test(text.slice(start, end))) return undefined;
  return { kind: 'url-password', start, end };
}

type CharacterClass = (code: number) => boolean;

interface Reader {
  readonly text: string;
  /** Where the run of such characters that holds `from` ends. A run that was read before is not read again. */
  runEnd(from: number, isPart: CharacterClass, limit?: number): number;
  /** The index behind the next occurrence of `needle`, which must always be the same; undefined if there is none. */
  endOf(needle: string, from: number): number | undefined;
  longestRun(from: number, to: number, isPart: CharacterClass): number;
  /** Looks at the first MAX_JUDGED_CHARACTERS. */
  hasDigit(from: number, to: number): boolean;
  steps(): number;
}

function createReader(text: string): Reader {
  const runs = new Map<CharacterClass, { from: number; end: number }>();
  let steps = 0;
  let needleAt = -1;

  return {
    text,
    runEnd(from, isPart, limit = text.length) {
      const known = runs.get(isPart);
      if (known && from >= known.from && from < known.end) return Math.min(known.end, limit);
      let end = from;
      const last = Math.min(limit, text.length);
      while (end < last && isPart(text.charCodeAt(end))) end += 1;
      steps += end - from + 1;
      if (end < limit || limit >= text.length) runs.set(isPart, { from, end });
      return end;
    },
    endOf(needle, from) {
      if (needleAt < from && needleAt !== Number.POSITIVE_INFINITY) {
        const found = text.indexOf(needle, from);
        needleAt = found === -1 ? Number.POSITIVE_INFINITY : found;
        steps += Math.min(needleAt, text.length) - from + needle.length;
      }
      return needleAt === Number.POSITIVE_INFINITY ? undefined : needleAt + needle.length;
    },
    longestRun(from, to, isPart) {
      let longest = 0;
      let length = 0;
      for (let index = from; index < to; index++) {
        length = isPart(text.charCodeAt(index)) ? length + 1 : 0;
        if (length > longest) longest = length;
      }
      steps += to - from;
      return longest;
    },
    hasDigit(from, to) {
      for (let index = from; index < Math.min(to, from + MAX_JUDGED_CHARACTERS); index++) {
        steps += 1;
        if (isDigit(text.charCodeAt(index))) return true;
      }
      return false;
    },
    steps: () => steps,
  };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isUpperOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90);
}

function isAlphanumeric(code: number): boolean {
  return isUpperOrDigit(code) || (code >= 97 && code <= 122);
}

function isWord(code: number): boolean {
  return isAlphanumeric(code) || code === 95;
}

function isWordOrDash(code: number): boolean {
  return isWord(code) || code === 45;
}

/** `+` and `/` */
function isBase64Only(code: number): boolean {
  return code === 43 || code === 47;
}

function isBase64(code: number): boolean {
  return isAlphanumeric(code) || isBase64Only(code) || code === 61;
}

/** Lines of base64, also with their ends escaped as `\n` or `\r`. */
function isBase64OrSpace(code: number): boolean {
  return isBase64(code) || code === 10 || code === 13 || code === 32 || code === 9 || code === 92;
}

/** Neither white space, nor what ends the host part of a URL, nor quotes. */
function isAuthority(code: number): boolean {
  return code > 32 && !'/?#"\'`\\'.includes(String.fromCharCode(code));
}
