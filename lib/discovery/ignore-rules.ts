// Which paths a project does not count as its own: .gitignore and .ollmignore of every level, git's info/exclude, the
// user's excludes file and the built-in names. The later rule wins, in this order: the excludes file, info/exclude,
// .gitignore from the top down, the built-in names, .ollmignore from the top down. So an .ollmignore may bring back what git leaves out, and `!dist/` in it opens dist.
// A rules object never changes; a directory with rule files of its own gets a new one. `.git` is out whatever they say.
import ignore, { type Ignore } from 'ignore';

export const BUILTIN_IGNORES: readonly string[] = ['node_modules', '.git', 'dist', 'build', '.next', '.cache'];

export const GIT_IGNORE_FILE = '.gitignore';
export const OLLM_IGNORE_FILE = '.ollmignore';

/** The text of the rule files that lie in one directory. */
export interface RuleFiles {
  readonly git?: string | undefined;
  readonly ollm?: string | undefined;
}

export interface IgnoreRules {
  /** `path` relative to the top, with `/`; the directory it lies in must not be ignored itself. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** The rules that hold in `directory` (relative to the top, '' for the top itself). */
  within(directory: string, files: RuleFiles): IgnoreRules;
}

export interface TopRuleOptions {
  /** Text of the user's own excludes file. */
  readonly globalExcludes?: string | undefined;
  /** Text of the repository's info/exclude. */
  readonly exclude?: string | undefined;
  /** Names of directories. */
  readonly builtin?: readonly string[] | undefined;
}

/** The rules that hold at the top, before any rule file of the tree is read. */
export function topRules(options: TopRuleOptions = {}): IgnoreRules {
  const { globalExcludes = '', exclude = '', builtin = BUILTIN_IGNORES } = options;
  const git = rulesOf([...ruleLines(globalExcludes), ...ruleLines(exclude)]);
  return combine(git, rulesOf(builtin.map((name) => `${name}/`)), rulesOf([]));
}

/** The rules of one file, each as it stands there; comments and blank lines are gone. */
export function ruleLines(text: string): string[] {
  const withoutMark = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return withoutMark.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
}

// A rule of a file in `directory`, rewritten so that it means the same from the top:
// in lib, `*.log` becomes `/lib/**/*.log`, and `!/out` becomes `!/lib/out`.
function anchorRule(line: string, directory: string): string {
  if (directory === '') return line;
  const negated = line.startsWith('!');
  const rule = negated ? line.slice(1) : line;
  const body = rule.replace(/^\\([!#])/, '$1');
  const slash = body.indexOf('/');
  const isAnchored = slash !== -1 && slash < body.trimEnd().length - 1;
  const tail = body.startsWith('/') ? body : isAnchored ? `/${body}` : `/**/${body}`;
  return `${negated ? '!' : ''}/${escapeGlob(directory)}${tail}`;
}

function combine(git: Ignore, builtin: Ignore, ollm: Ignore): IgnoreRules {
  const all = rulesOf([]).add(git).add(builtin).add(ollm);
  return {
    ignores(path, isDirectory) {
      if (path === '.git' || path.endsWith('/.git')) return true;
      return all.ignores(isDirectory ? `${path}/` : path);
    },
    within(directory, files) {
      const more = (text: string | undefined) => ruleLines(text ?? '').map((line) => anchorRule(line, directory));
      const [gitLines, ollmLines] = [more(files.git), more(files.ollm)];
      if (gitLines.length === 0 && ollmLines.length === 0) return this;
      return combine(rulesOf(gitLines, git), builtin, rulesOf(ollmLines, ollm));
    },
  };
}

function rulesOf(lines: readonly string[], before?: Ignore): Ignore {
  const rules = ignore({ ignoreCase: false });
  if (before) rules.add(before);
  return rules.add(lines);
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&');
}
