// Which paths a project does not count as its own: .gitignore and .ollmignore of every level, git's info/exclude, the
// user's excludes file and the built-in names, matched by the package `ignore`. The later rule wins, in this order: the
// excludes file, info/exclude, .gitignore from the top down, the built-in names, .ollmignore from the top down. So an
// .ollmignore can bring back files that git leaves out, and `!dist/` in it opens dist. `.git` is always left out. A
// tracked file belongs to the project unless an .ollmignore says otherwise, and built-in names do not close a directory
// that holds one: so everything that git lists is found. A rules object never changes; a directory with rule files of
// its own gets a new one.
import ignore, { type Ignore } from 'ignore';
import { nameOf } from './paths.ts';
import type { TrackedFiles } from './tracked.ts';

export const BUILTIN_IGNORES: readonly string[] = ['node_modules', '.git', 'dist', 'build', '.next', '.cache'];

export const GIT_IGNORE_FILE = '.gitignore';
export const OLLM_IGNORE_FILE = '.ollmignore';

/** Longer than any path: such a rule was not written by hand. */
const MAX_RULE_CHARACTERS = 4096;
/** Wildcards of one name. Each more multiplies the time that a hostile name takes to be compared. */
const MAX_WILDCARDS = 5;

/** The text of the rule files that lie in one directory. */
export interface RuleFiles {
  readonly git?: string | undefined;
  readonly ollm?: string | undefined;
}

/** Paths are relative to the top, with `/`; '' is the top itself. */
export interface IgnoreRules {
  /** Whether the path is left out, and by what. The directory that it lies in must not be left out itself. */
  leavesOut(path: string, isDirectory: boolean): false | 'git' | 'builtin' | 'ollm';
  /** The rules that hold in a directory with rule files of its own. */
  within(directory: string, files: RuleFiles): IgnoreRules;
}

interface TopRuleOptions {
  /** Text of the user's own excludes file. */
  readonly globalExcludes?: string | undefined;
  /** Text of the repository's info/exclude. */
  readonly exclude?: string | undefined;
  /** Names of directories. */
  readonly builtin?: readonly string[] | undefined;
  /** What git tracks, by paths from the top. */
  readonly tracked?: TrackedFiles | undefined;
}

/** The rules that hold at the top, before any rule file of the tree is read. */
export function topRules(options: TopRuleOptions = {}): IgnoreRules {
  const { globalExcludes = '', exclude = '', builtin = BUILTIN_IGNORES, tracked } = options;
  const git = [...ruleLines(globalExcludes), ...ruleLines(exclude)];
  return combine({ git, builtin: builtin.map((name) => `${name}/`), ollm: [] }, tracked);
}

/** In each kind the strongest last: the lines of the lowest directory. */
interface RuleSet {
  readonly git: readonly string[];
  readonly builtin: readonly string[];
  readonly ollm: readonly string[];
}

function combine(rules: RuleSet, tracked: TrackedFiles | undefined): IgnoreRules {
  const all = matcher(
    Object.entries(rules).flatMap(([mark, lines]) => lines.map((pattern: string) => ({ pattern, mark }))),
  );
  let byGitAlone: Ignore | undefined;

  function leavesOut(path: string, isDirectory: boolean): false | 'git' | 'builtin' | 'ollm' {
    if (nameOf(path) === '.git') return 'builtin';
    const tested = isDirectory ? `${path}/` : path;
    const { ignored, rule } = all.test(tested);
    if (!ignored) return false;
    const by = rule?.mark as 'git' | 'builtin' | 'ollm';
    if (by === 'ollm') return by;
    if (isDirectory ? tracked?.holds(path) : tracked?.has(path)) return false;
    if (by === 'git') return by;
    byGitAlone ??= matcher(rules.git.map((pattern) => ({ pattern })));
    return byGitAlone.ignores(tested) ? 'git' : by;
  }

  return {
    leavesOut,
    within(directory, files) {
      const more = (text = '') => ruleLines(text).map((line) => placed(line, directory));
      const git = [...rules.git, ...more(files.git)];
      const ollm = [...rules.ollm, ...more(files.ollm)];
      // A built-in name that holds tracked files is open; what git ignores in it stays out.
      const isOpened =
        tracked?.holds(directory) === true &&
        rules.builtin.includes(`${nameOf(directory)}/`) &&
        !matcher(git.map((pattern) => ({ pattern }))).ignores(`${directory}/`);
      const builtin = isOpened ? [...rules.builtin, `!/${escaped(directory)}/`] : rules.builtin;
      if (!isOpened && git.length === rules.git.length && ollm.length === rules.ollm.length) return this;
      return combine({ git, builtin, ollm }, tracked);
    },
  };
}

/** The rules of a file, each as it is written; comments, blank lines and rules that are not matched are left out. */
export function ruleLines(text: string): string[] {
  const withoutMark = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return withoutMark
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => line !== '' && !line.startsWith('#') && line.length <= MAX_RULE_CHARACTERS && isQuick(line));
}

export function matcher(patterns: readonly { readonly pattern: string; readonly mark?: string }[]): Ignore {
  return ignore({ ignoreCase: false, allowRelativePaths: true }).add(patterns);
}

function isQuick(line: string): boolean {
  return line.split('/').every((part) => (part.match(/\*+/g)?.length ?? 0) <= MAX_WILDCARDS);
}

/** The line of a rule file in `directory`, as the same rule at the top would be written. */
function placed(line: string, directory: string): string {
  if (directory === '') return line;
  const negation = line.startsWith('!') ? '!' : '';
  const body = line.slice(negation.length);
  const written = body.replace(/(?<!\\) +$/, '').replace(/\/$/, '');
  if (written === '' || written === '/') return '#';
  // A rule with a slash before its end is about paths from its directory, another one about any name below.
  const rest = written.includes('/') ? body.replace(/^\//, '') : `**/${body}`;
  return `${negation}/${escaped(directory)}/${rest}`;
}

function escaped(path: string): string {
  return path.replace(/[\\*?[\] !#]/g, '\\$&');
}
