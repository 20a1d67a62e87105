// The ignore rules of one file, made ready to be asked about many names. Most rules are a name or an ending: those are looked
// up, however many there are. Others are tried one by one, from the last: the last rule that meets a name decides. The rules of
// a directory that is named as it stands (`/docs/out`) are asked about names in that directory alone.
import { joined } from './paths.ts';
import { isPlain, matchesWildcard, parseWildcard, type Wildcard } from './wildcard.ts';

/** Whether the name is left out, or brought back; undefined where no rule meets it. */
export type Verdict = boolean | undefined;

export interface RuleList {
  readonly isEmpty: boolean;
  /**
   * What the rules say of the names in `directory`, which is relative to the directory of the rules, with `/`.
   * `ending`: of the name, from its last dot on.
   */
  within(directory: string): (name: string, ending: string, isDirectory: boolean) => Verdict;
}

interface Rule {
  /** Its place: a later one wins. */
  readonly index: number;
  readonly leavesOut: boolean;
  readonly isForDirectories: boolean;
  /** What it looks for, as it is written. */
  readonly pattern: string;
  readonly wildcard: Wildcard;
  /** Whether it looks at directory and name, not at the name alone. */
  readonly isForPaths: boolean;
  /** The only directory that it is for. */
  readonly directory: string | undefined;
}

/** The rules for files, or those for directories, by what they look for. */
interface Table {
  /** With the place of the last rule for each. */
  readonly names: ReadonlyMap<string, number>;
  readonly endings: ReadonlyMap<string, number>;
  /** The last first. */
  readonly others: readonly Rule[];
}

/** Longer than any path: nobody wrote it by hand. */
const MAX_RULE_CHARACTERS = 4096;

/** The rules of a file, each as it stands there; comments and blank lines are gone. */
export function ruleLines(text: string): string[] {
  const withoutMark = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return withoutMark
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

export function createRuleList(lines: readonly string[]): RuleList {
  const rules = lines.flatMap((line, index) => parseRule(line, index) ?? []);
  const leavesOut = new Map(rules.map(({ index, leavesOut }) => [index, leavesOut]));
  const forDirectories = tableOf(rules);
  const forFiles = tableOf(rules.filter(({ isForDirectories }) => !isForDirectories));

  return {
    isEmpty: rules.length === 0,
    within(directory) {
      const [directories, files] = [forDirectories, forFiles].map((table) => asker(table, directory));
      return (name, ending, isDirectory) => {
        const index = (isDirectory ? directories! : files!)(name, ending);
        return index === -1 ? undefined : leavesOut.get(index);
      };
    },
  };
}

/** From the last dot of a name on; '' where there is none. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot === -1 ? '' : name.slice(dot);
}

/** Undefined for a rule that meets nothing. */
function parseRule(line: string, index: number): Rule | undefined {
  if (line.length > MAX_RULE_CHARACTERS) return undefined;
  const leavesOut = !line.startsWith('!');
  const written = withoutSpacesAtEnd(leavesOut ? line : line.slice(1));
  const isForDirectories = written.endsWith('/');
  const body = isForDirectories ? written.slice(0, -1) : written;
  const { pattern, ...place } = placeOf(body);
  const wildcard = parseWildcard(pattern);
  return wildcard && wildcard.length > 0
    ? { index, leavesOut, isForDirectories, pattern, wildcard, ...place }
    : undefined;
}

/** Spaces count where a backslash stands before them. */
function withoutSpacesAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  let backslashes = 0;
  while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  return text.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

/** A rule with a slash is for paths; most of those say by it in which directory, or that it does not matter in which. */
function placeOf(body: string): Pick<Rule, 'pattern' | 'directory' | 'isForPaths'> {
  if (!body.includes('/')) return { pattern: body, directory: undefined, isForPaths: false };
  const path = body.startsWith('/') ? body.slice(1) : body;
  const anywhere = /^\*\*+\/([^/]+)$/.exec(path)?.[1];
  if (anywhere !== undefined) return { pattern: anywhere, directory: undefined, isForPaths: false };
  const slash = path.lastIndexOf('/');
  const directory = path.slice(0, Math.max(0, slash));
  const name = path.slice(slash + 1);
  // Nothing lies behind two slashes in a row.
  if (slash !== 0 && isPlain(directory) && !name.includes('**')) return { pattern: name, directory, isForPaths: false };
  return { pattern: path, directory: undefined, isForPaths: true };
}

function tableOf(rules: readonly Rule[]): Table {
  const names = new Map<string, number>();
  const endings = new Map<string, number>();
  const others: Rule[] = [];
  for (const rule of rules) {
    const { index, pattern, wildcard, directory, isForPaths } = rule;
    const ending = /^\*(\.[^.*?[\\]+)$/.exec(pattern)?.[1];
    const isForNames = directory === undefined && !isForPaths;
    if (isForNames && wildcard.length === 1 && typeof wildcard[0] === 'string') names.set(wildcard[0], index);
    else if (isForNames && ending !== undefined) endings.set(ending, index);
    else others.push(rule);
  }
  return { names, endings, others: others.reverse() };
}

/** Gives the place of the last rule that meets a name, or -1. */
function asker({ names, endings, others }: Table, directory: string): (name: string, ending: string) => number {
  const here = others.filter((rule) => rule.directory === undefined || rule.directory === directory);
  return (name, ending) => {
    const last = Math.max(names.get(name) ?? -1, endings.get(ending) ?? -1);
    for (const { index, wildcard, isForPaths } of here) {
      if (index < last) break;
      if (matchesWildcard(wildcard, isForPaths ? joined(directory, name) : name)) return index;
    }
    return last;
  };
}
