// Finds secrets by their shape in running text. A gate of plain keywords finds the places; a scanner then reads forward
// over one kind of character. No expression here backtracks, and no run of characters is read more than a fixed number
// of times: the work is proportional to the text, for any text.
import { KEY_FORMATS, type KeyFormat, type KeyKind } from './key-formats.ts';
import { isDrawn, isVaried } from './secret-likeness.ts';
import { MAX_JUDGED_CHARACTERS, RUNS, TextRuns } from './text-runs.ts';

export type ShapeKind =
  | KeyKind
  | 'anthropic-key'
  | 'jwt'
  | 'openai-key'
  | 'private-key'
  | 'telegram-token'
  | 'url-password';

interface SecretSpan {
  readonly kind: ShapeKind;
  readonly start: number;
  readonly end: number;
}

interface ShapeFindings {
  /** In the order of the text; they do not overlap. */
  readonly spans: readonly SecretSpan[];
  /** Characters that the scanners looked at. */
  readonly steps: number;
}

type Scan = (runs: TextRuns, at: number) => SecretSpan | undefined;

/** By keyword. Those that are not a prefix and a run have a scanner of their own. */
const SCANS: ReadonlyMap<string, Scan> = new Map<string, Scan>([
  ...KEY_FORMATS.flatMap((format: KeyFormat) =>
    format.prefixes.map((prefix): [string, Scan] => [prefix, (runs, at) => keyAt(runs, at, prefix, format)]),
  ),
  ['sk-', modelKey],
  ['eyJ', jsonWebToken],
  [':AA', telegramToken],
  ['-----BEGIN', privateKey],
  ['://', urlPassword],
]);

/** Keywords whose last character is frequent, with what follows them in each text where they count. */
const AHEAD: Readonly<Record<string, string>> = {
  '://': '',
  '-----BEGIN': '(?= )',
  SK: '(?=[\\da-f])',
  dapi: '(?=[\\da-f])',
};

/** Each keyword is looked for by its last character, so that the gate looks back no further than a keyword is long. */
const GATE = gateOf([...SCANS.keys()]);

/** Filled as keywords are found: for all of them it takes longer than a short text. */
const LONGER = new Map<string, readonly string[]>();

/** A bot token of Discord has no prefix: its first part is a number in base64, and its parts have set lengths. */
const DISCORD = /\.(?=[\w-]{6}\.[\w-]{27})/g;
const DISCORD_ID = /(?<![\w-])[\w-]{24,28}$/;
const MAX_DISCORD_ID = 28;

/** Name, password and host of a URL fit into this many characters. */
const AUTHORITY = /[^\0-\x20/"'`\\]{1,512}/y;
/** After a host, or its port: a fragment, or a query with a name. A password may have these signs otherwise. */
const AFTER_HOST = /^[^:?#]*(?::\d{0,5})?(?:#|\?[^@=]*=)|^[^:]*[?#]/;
/** A digit in base64 begins with one of these, and looks drawn. */
const DISCORD_BEGIN = /^[MNO]/;
const MOST_LETTERS_OF_DNA = 5;
/** After a dash a short prefix is more likely a piece of a longer word than the beginning of a key. */
const SHORT_PREFIX = 4;

/** Finds everything in `text` that has the shape of a secret. */
export function findSecretShapes(text: string): ShapeFindings {
  const runs = new TextRuns(text);
  const spans: SecretSpan[] = [];
  let free = 0;
  // A loop over matchAll would make a copy of the expression for each text, which takes longer than most texts.
  GATE.lastIndex = 0;
  for (let gate = GATE.exec(text); gate !== null; gate = GATE.exec(text)) {
    const keyword = keywordOf(text, gate);
    const at = keyword === '://' ? gate.index : gate.index + 1 - keyword.length;
    if (at < free) continue;
    const span = SCANS.get(keyword)!(runs, at);
    if (!span) continue;
    spans.push(span);
    free = span.end;
  }
  const discord = discordTokens(text);
  return { spans: discord.length === 0 ? spans : [...spans, ...discord], steps: runs.steps };
}

function keywordOf(text: string, gate: RegExpExecArray): string {
  for (let group = 1; group < gate.length; group += 1) {
    const found = gate[group];
    if (found === undefined) continue;
    const end = gate.index + 1;
    return longerThan(found).find((longer) => text.endsWith(longer, end)) ?? found;
  }
  return '://';
}

/**
 * Keywords that end like this one, the longest first. In a look back the engine does not keep the order of
 * alternatives.
 */
function longerThan(keyword: string): readonly string[] {
  const known = LONGER.get(keyword);
  if (known !== undefined) return known;
  const longer = [...SCANS.keys()].filter((other) => other !== keyword && other.endsWith(keyword));
  LONGER.set(
    keyword,
    longer.sort((a, b) => b.length - a.length),
  );
  return longer;
}

function gateOf(keywords: readonly string[]): RegExp {
  const byLast = Map.groupBy(keywords, (keyword) => (keyword === '://' ? keyword : keyword.at(-1)!));
  const alternatives = [...byLast].map(([last, group]) => {
    if (last === '://') return ':(?=\\/\\/)';
    const words = group.map(escaped);
    const ahead = group.length === 1 ? (AHEAD[group[0]!] ?? '') : '';
    return `${escaped(last)}(?<=(${words.join('|')}))${ahead}`;
  });
  return new RegExp(alternatives.join('|'), 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function keyAt(runs: TextRuns, start: number, prefix: string, format: KeyFormat): SecretSpan | undefined {
  const { text } = runs;
  if (!beginsWord(text, start) && !(format.joins && followsShortWord(text, start))) return undefined;
  if (prefix.length <= SHORT_PREFIX && text[start - 1] === '-') return undefined;
  const body = start + prefix.length;
  const end = trimmedEnd(text, runs.end(body, RUNS[format.body]), format.body);
  const length = end - body;
  if (length < format.least || (format.exactly !== undefined && length !== format.exactly)) return undefined;
  if (format.exactly !== undefined && isWordAt(text, end)) return undefined;
  return runs.begins(/\d/, body, end) || isDrawnOfLetters(text.slice(body, end), format)
    ? { kind: format.kind as KeyKind, start, end }
    : undefined;
}

/** About 3 % of keys of 20 characters have no digit. A name has its capitals apart; a piece of DNA has four letters. */
function isDrawnOfLetters(body: string, { body: run, exactly }: KeyFormat): boolean {
  if (run === 'hex') return false;
  if (run === 'upper') return exactly !== undefined && new Set(body).size > MOST_LETTERS_OF_DNA;
  return isVaried(body.slice(0, MAX_JUDGED_CHARACTERS));
}

/** A full stop after a key ends the sentence. */
function trimmedEnd(text: string, end: number, body: KeyFormat['body']): number {
  if (body !== 'dotted') return end;
  let trimmed = end;
  while (text[trimmed - 1] === '.') trimmed -= 1;
  return trimmed;
}

function isWordAt(text: string, at: number): boolean {
  return /\w/.test(text[at] ?? '');
}

function beginsWord(text: string, at: number): boolean {
  return !isWordAt(text, at - 1) || endsEscape(text, at);
}

/** A word of letters, as in `tokenghp_…`: data in base64 is longer, and has digits. */
const SHORT_WORD = /(?:^|[^\w+/-])[A-Za-z_]{1,24}$/;
const MAX_BEFORE_WORD = 25;

function followsShortWord(text: string, at: number): boolean {
  return SHORT_WORD.test(text.slice(Math.max(0, at - MAX_BEFORE_WORD), at));
}

/**
 * What means another character, or a colour: `\n`, `\u0022`, `%3D`, `ESC[31m`, and that with ESC written out.
 */
const ESCAPE =
  /(?:\\(?:[abefnrtv0]|x[\da-f]{2}|u[\da-f]{4}|[0-3][0-7]{2})|%[\da-f]{2}|(?:\x1b|\\(?:e|033|x1b|u001b))\[[\d;]*[a-z])$/i;
const MAX_ESCAPE_CHARACTERS = 32;

/** Whether the letter before a keyword belongs to an escape: in JSON the end of a line is two characters. */
function endsEscape(text: string, at: number): boolean {
  return ESCAPE.test(text.slice(Math.max(0, at - MAX_ESCAPE_CHARACTERS), at));
}

/** `sk-…` is also the beginning of many a CSS class: a bare one must hold a long piece without a dash. */
function modelKey(runs: TextRuns, start: number): SecretSpan | undefined {
  const { text } = runs;
  if (!beginsWord(text, start)) return undefined;
  const isInside = text[start - 1] === '-';
  const end = runs.end(start + 3, RUNS.dashed);
  const length = end - start;
  if (length < 23 || !runs.begins(/\d/, start, end)) return undefined;
  if (text.startsWith('sk-ant-', start)) return { kind: 'anthropic-key', start, end };
  const isNamed = ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-'].some((prefix) => text.startsWith(prefix, start));
  return isNamed || (!isInside && runs.begins(/\w{16}/, start + 3, end))
    ? { kind: 'openai-key', start, end }
    : undefined;
}

/** Three base64url parts; the first two begin with `{"`. */
function jsonWebToken(runs: TextRuns, start: number): SecretSpan | undefined {
  const { text } = runs;
  if (!beginsWord(text, start) || text[start - 1] === '-') return undefined;
  const header = runs.end(start, RUNS.dashed);
  if (!text.startsWith('.eyJ', header)) return undefined;
  const payload = runs.end(header + 1, RUNS.dashed);
  if (text[payload] !== '.') return undefined;
  const end = runs.end(payload + 1, RUNS.dashed);
  return end - payload > 16 ? { kind: 'jwt', start, end } : undefined;
}

/** The number of a bot, then 35 characters that begin with AA. */
function telegramToken(runs: TextRuns, colon: number): SecretSpan | undefined {
  const { text } = runs;
  const id = /(?<!\w)\d{8,12}$/.exec(text.slice(Math.max(0, colon - 13), colon))?.[0];
  if (id === undefined) return undefined;
  const end = runs.end(colon + 1, RUNS.dashed);
  return end - colon - 1 === 35 ? { kind: 'telegram-token', start: colon - id.length, end } : undefined;
}

function discordTokens(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  DISCORD.lastIndex = 0;
  for (let match = DISCORD.exec(text); match !== null; match = DISCORD.exec(text)) {
    const { index } = match;
    const id = DISCORD_ID.exec(text.slice(Math.max(0, index - MAX_DISCORD_ID - 1), index))?.[0];
    const rest = /^[\w-]{6}\.[\w-]{27,60}/.exec(text.slice(index + 1, index + 80))![0];
    if (id === undefined || !(isDiscordId(id) || (DISCORD_BEGIN.test(id) && isDrawn(id) && isDrawn(rest.slice(7)))))
      continue;
    spans.push({ kind: 'discord-token', start: index - id.length, end: index + 1 + rest.length });
  }
  return spans;
}

function isDiscordId(part: string): boolean {
  return /^\d{17,21}$/.test(Buffer.from(part, 'base64url').toString('latin1'));
}

/** From BEGIN to END; where END was cut off, as far as lines of base64 follow. */
function privateKey(runs: TextRuns, start: number): SecretSpan | undefined {
  const { text } = runs;
  const body = runs.endOf('-----', start + '-----BEGIN '.length);
  if (body === undefined || body - start > 64) return undefined;
  if (!/PRIVATE KEY(?: BLOCK)?-----$/.test(text.slice(start, body))) return undefined;
  const next = runs.endOf('-----', body);
  const bodyEnd = next === undefined ? text.length : next - '-----'.length;
  if (!runs.has(/[\da-z+/=]{40}/i, body, bodyEnd)) return undefined;
  if (next !== undefined && text.startsWith('-----END ', bodyEnd)) {
    const end = runs.endOf('-----', next);
    if (end !== undefined && end - bodyEnd <= 64) return { kind: 'private-key', start, end };
  }
  return { kind: 'private-key', start, end: runs.end(body, RUNS.base64Lines) };
}

/**
 * The password of `scheme://user:password@host`; a placeholder such as `${PASSWORD}`, `<password>` or `password` is
 * none.
 */
function urlPassword(runs: TextRuns, at: number): SecretSpan | undefined {
  const { text } = runs;
  if (!/[\da-z]/i.test(text[at - 1] ?? '')) return undefined;
  const from = at + 3;
  AUTHORITY.lastIndex = from;
  const [found = ''] = AUTHORITY.exec(text) ?? [];
  const authority = AFTER_HOST.test(found) ? found.split(/[?#]/, 1)[0]! : found;
  const colon = authority.indexOf(':');
  const end = from + authority.lastIndexOf('@');
  if (colon === -1 || end < from + colon) return undefined;
  const start = from + colon + 1;
  if (start === end || '$<{[%*'.includes(text[start]!) || /^password$/i.test(text.slice(start, end))) return undefined;
  return { kind: 'url-password', start, end };
}
