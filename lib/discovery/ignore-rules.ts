// Which paths a project does not count as its own: .gitignore and .ollmignore of every level, git's info/exclude, the
// user's excludes file and the built-in names. The later rule wins, in this order: the excludes file, info/exclude,
// .gitignore from the top down, the built-in names, .ollmignore from the top down. So an .ollmignore may bring back what git
// leaves out, and `!dist/` in it opens dist. `.git` is out whatever they say.
// A rules object never changes; a directory with rule files of its own gets a new one.
import { createRuleList, endingOf, type RuleList, ruleLines } from './rule-list.ts';

export const BUILTIN_IGNORES: readonly string[] = ['node_modules', '.git', 'dist', 'build', '.next', '.cache'];

export const GIT_IGNORE_FILE = '.gitignore';
export const OLLM_IGNORE_FILE = '.ollmignore';

/** The text of the rule files that lie in one directory. */
export interface RuleFiles {
  readonly git?: string | undefined;
  readonly ollm?: string | undefined;
}

/** Whether a name is left out. */
export type Judge = (name: string, isDirectory: boolean) => boolean;

/** Directories are relative to the top, with `/`, '' for the top itself. */
export interface IgnoreRules {
  /** For the names in a directory, which must not be left out itself. */
  judge(directory: string): Judge;
  /** The rules that hold in a directory with rule files of its own. */
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
  return combine({
    git: placed('', [...ruleLines(globalExcludes), ...ruleLines(exclude)]),
    builtin: placed(
      '',
      builtin.map((name) => `${name}/`),
    ),
    ollm: [],
  });
}

interface PlacedRules {
  /** Where they stand. */
  readonly directory: string;
  readonly list: RuleList;
}

/** In each kind the strongest first: those of the lowest directory. */
interface RuleSet {
  readonly git: readonly PlacedRules[];
  readonly builtin: readonly PlacedRules[];
  readonly ollm: readonly PlacedRules[];
}

function combine({ git, builtin, ollm }: RuleSet): IgnoreRules {
  const all = [...ollm, ...builtin, ...git];
  return {
    judge(directory) {
      const verdicts = all.map((rules) => rules.list.within(relativeTo(rules.directory, directory)));
      return (name, isDirectory) => {
        if (name === '.git') return true;
        const ending = endingOf(name);
        for (const verdictOn of verdicts) {
          const isOut = verdictOn(name, ending, isDirectory);
          if (isOut !== undefined) return isOut;
        }
        return false;
      };
    },
    within(directory, files) {
      const more = (text = '') => placed(directory, ruleLines(text));
      return combine({ git: [...more(files.git), ...git], builtin, ollm: [...more(files.ollm), ...ollm] });
    },
  };
}

function placed(directory: string, lines: readonly string[]): PlacedRules[] {
  const list = createRuleList(lines);
  return list.isEmpty ? [] : [{ directory, list }];
}

/** `path` is `directory`, or lies in it. */
function relativeTo(directory: string, path: string): string {
  return directory === '' ? path : path.slice(directory.length + 1);
}
