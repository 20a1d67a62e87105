// The wildcards of ignore rules, as git understands them: `*` and `?` within a name, `[a-z]`, `[!a]` and `[[:alpha:]]`, `\` before
// what is meant as it stands, and `**` for any number of directories. No regular expression is made, and nothing is tried over
// and over: of all the stars before a place only the nearest of each kind is ever moved on, which finds a match if there is one.

/** Characters as they stand, or what stands for others. */
type Token = string | Wild | CharacterSet;

type Wild =
  /** `?`: one character of a name. */
  | typeof ONE
  /** `*`: any number of them. */
  | typeof RUN
  /** What is left of `**` + `/`: any number of whole directories. */
  | typeof DIRECTORIES
  /** `**` at the end: everything. */
  | typeof REST;

const ONE = Symbol('?');
const RUN = Symbol('*');
const DIRECTORIES = Symbol('**/');
const REST = Symbol('**');

interface CharacterSet {
  readonly isNegated: boolean;
  /** First and last of each range, one after the other. */
  readonly ranges: string;
}

export type Wildcard = readonly Token[];

const WILD = /[*?[\\]/;

const NAMED_RANGES: ReadonlyMap<string, string> = new Map([
  ['alnum', '09AZaz'],
  ['alpha', 'AZaz'],
  ['blank', '\t\t  '],
  ['cntrl', '\0\x1f\x7f\x7f'],
  ['digit', '09'],
  ['graph', '!~'],
  ['lower', 'az'],
  ['print', ' ~'],
  ['punct', '!/:@[`{~'],
  ['space', '\t\n\r\r  '],
  ['upper', 'AZ'],
  ['xdigit', '09AFaf'],
]);

/** Whether it stands for itself alone. */
export function isPlain(pattern: string): boolean {
  return !WILD.test(pattern);
}

/** Undefined if nothing can match, as where a bracket is left open. */
export function parseWildcard(pattern: string): Wildcard | undefined {
  const tokens: Token[] = [];
  const firstWild = pattern.search(WILD);
  let literal = '';
  const add = (token: Token) => {
    if (literal !== '') tokens.push(literal);
    literal = '';
    tokens.push(token);
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === '\\') {
      at += 1;
      if (at === pattern.length) return undefined;
      literal += pattern[at];
    } else if (character === '?') add(ONE);
    else if (character === '[') {
      const set = parseSet(pattern, at + 1);
      if (set === undefined) return undefined;
      add({ isNegated: set.isNegated, ranges: set.ranges });
      at = set.end;
    } else if (character !== '*') literal += character;
    else {
      const first = at;
      while (pattern[at + 1] === '*') at += 1;
      const next = pattern[at + 1];
      // git lets stars mean directories where a name begins, and also where they are the first wildcard.
      const isDouble = at > first && (pattern[first - 1] === '/' || first === firstWild);
      if (isDouble && next === undefined) add(REST);
      else if (isDouble && next === '/') {
        add(DIRECTORIES);
        at += 1;
      } else add(RUN);
    }
  }
  if (literal !== '') tokens.push(literal);
  return tokens;
}

/** The set whose `[` stands before `start`; `end` is the place of its `]`. */
function parseSet(pattern: string, start: number): (CharacterSet & { readonly end: number }) | undefined {
  const isNegated = pattern[start] === '!' || pattern[start] === '^';
  let ranges = '';
  /** What a `-` may go on from. */
  let from = '';
  for (let at = isNegated ? start + 1 : start, first = at; ; at++) {
    let character = pattern[at];
    if (character === ']' && at > first) return { isNegated, ranges, end: at };
    const isRange = character === '-' && from !== '' && at + 1 < pattern.length && pattern[at + 1] !== ']';
    if (isRange) character = pattern[++at];
    const isEscaped = character === '\\';
    if (isEscaped) character = pattern[++at];
    if (character === undefined) return undefined;
    const end = isRange || isEscaped || character !== '[' ? 0 : endOfName(pattern, at);
    if (end > 0) {
      const named = NAMED_RANGES.get(pattern.slice(at + 2, end - 1));
      if (named === undefined) return undefined;
      ranges += named;
      at = end;
      from = '';
    } else {
      ranges += (isRange ? from : character) + character;
      from = isRange ? '' : character;
    }
  }
}

/** The place of the last `]` of `[:alpha:]`; 0 if no such thing stands there. */
function endOfName(pattern: string, at: number): number {
  if (pattern[at + 1] !== ':') return 0;
  const end = pattern.indexOf(']', at + 2);
  return end > at + 2 && pattern[end - 1] === ':' ? end : 0;
}

export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  let token = 0;
  let at = 0;
  let run: { readonly token: number; at: number } | undefined;
  let directories: { readonly token: number; at: number } | undefined;
  for (;;) {
    const sought = wildcard[token];
    if (sought === REST || (sought === undefined && at === text.length)) return true;
    if (sought === RUN || sought === DIRECTORIES) {
      token += 1;
      run = sought === RUN ? { token, at } : undefined;
      if (sought === DIRECTORIES) directories = { token, at };
      continue;
    }
    const length = sought === undefined ? 0 : lengthOfMatch(sought, text, at);
    if (length > 0) {
      token += 1;
      at += length;
    } else if (run !== undefined && run.at < text.length && text[run.at] !== '/') {
      run.at += 1;
      ({ token, at } = run);
    } else if (directories !== undefined) {
      const slash = text.indexOf('/', directories.at);
      if (slash === -1) return false;
      directories.at = slash + 1;
      ({ token, at } = directories);
      run = undefined;
    } else return false;
  }
}

/** 0 if it does not. */
function lengthOfMatch(sought: string | typeof ONE | CharacterSet, text: string, at: number): number {
  if (typeof sought === 'string') return text.startsWith(sought, at) ? sought.length : 0;
  const character = text[at];
  if (character === undefined || character === '/') return 0;
  return sought === ONE || holds(sought, character) ? 1 : 0;
}

function holds({ isNegated, ranges }: CharacterSet, character: string): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (character >= ranges[at]! && character <= ranges[at + 1]!) return !isNegated;
  }
  return isNegated;
}
