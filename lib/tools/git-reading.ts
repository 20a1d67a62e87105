// Which calls of git only read, whatever the repository's own configuration says. Pure data and a check: a subcommand
// that is not listed, or an option that is not listed for it, counts as harmful. Abbreviated options are not listed.

/** Options before the subcommand that change only how git finds its repository and how it prints. */
const BEFORE: ReadonlySet<string> = new Set(['--no-pager', '-P', '--no-optional-locks', '--no-replace-objects']);

const LIMITS = `-n --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= -i -E -F
  --regexp-ignore-case --all --branches --tags --remotes --first-parent --merges --no-merges --reverse --topo-order
  --date-order --author-date-order --left-right --cherry-pick --left-only --right-only --ancestry-path --boundary`;
const DIFFERENCE = `-p -u --patch -s --no-patch --stat --stat= --shortstat --numstat --summary --name-only --name-status --raw -z
  -U --unified= -w -b --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --word-diff
  --function-context -W -M -C --find-renames --find-copies --no-renames --diff-filter= --full-index --binary --abbrev
  --abbrev= --no-color --color=never --exit-code --quiet -S -G --pickaxe-all --pickaxe-regex --minimal --patience --histogram
  --cached --staged --merge-base -R --relative --no-ext-diff --no-textconv --compact-summary --dirstat`;
const LOOK = `--oneline --graph --decorate --decorate= --no-decorate --abbrev-commit --format= --pretty --pretty= --date= --follow -L
  --no-notes --show-notes --parents --children`;

/**
 * Options of each subcommand. A name that ends in `=` takes a value after it; a short option may have its value
 * attached.
 */
export const READING: Readonly<Record<string, string>> = {
  status: `-s --short -b --branch --porcelain --porcelain= --long -u --untracked-files --untracked-files= --ignored --ignored= -z
    --show-stash --ahead-behind --no-ahead-behind --no-renames -sb -bs -uno -unormal -uall`,
  log: `${LIMITS} ${DIFFERENCE} ${LOOK}`,
  show: `${LIMITS} ${DIFFERENCE} ${LOOK}`,
  diff: DIFFERENCE,
  'rev-list': `${LIMITS} --count --objects --no-walk --abbrev-commit --oneline --parents`,
  'rev-parse': `--abbrev-ref --abbrev-ref= --show-toplevel --short --short= --verify --is-inside-work-tree --is-bare-repository
    --symbolic-full-name --git-dir --absolute-git-dir --show-prefix --show-cdup --quiet -q --all --branches --tags`,
  'ls-files': `-c -d -m -o -i -s -u -z -t -v --cached --deleted --modified --others --ignored --exclude-standard --stage --full-name
    --error-unmatch --eol --unmerged --directory`,
  'ls-tree': '-r -t -d -l -z --long --name-only --name-status --full-name --full-tree --abbrev=',
  'merge-base': '-a --all --octopus --independent --is-ancestor --fork-point',
  'name-rev': '--name-only --tags --all --always',
  'show-ref': '--head --heads --tags -d --dereference -s --hash -q --quiet --verify',
  'cat-file': '-t -s -p -e',
  'count-objects': '-v -H --human-readable',
  grep: `-n -i -w -l -L -c -E -F -v -h -H -I -a -o -e -A -B -C --line-number --ignore-case --word-regexp --files-with-matches
    --count --fixed-strings --extended-regexp --untracked --cached --heading --break --max-depth= --no-color`,
  blame: `-L -w -M -C -e -s -l -t -f -n -b --show-email --show-name --show-number --since= --date= --porcelain -p
    --line-porcelain --root --no-textconv --abbrev=`,
  shortlog: '-s -n -e -sn -ns -sne -c --summary --numbered --email --since= --until= --author= --no-merges --all',
  describe:
    '--tags --all --always --long --dirty --abbrev= --match= --exclude= --contains --exact-match --first-parent',
  branch: `--list -a -r -v -vv --all --remotes --verbose --show-current --no-color --color=never --sort= --contains= --merged
    --no-merged --merged= --no-merged= -av -avv -rv -vva`,
  tag: '--list -l -n --sort= --contains= --merged= --no-merged= --points-at=',
  remote: '-v --verbose',
  stash: '',
  reflog: '-n --max-count= --date= --oneline --no-decorate --all',
  version: '--build-options',
};

/** Options for differences. */
const PRINTS_PATCH = /^(?:-p|-u|-U.*|-W|-L.*|--patch|--unified.*|--word-diff.*|--function-context|--binary)$/;

/** What those must look like that can also change something. */
const SHAPES: Readonly<Record<string, (words: readonly string[], options: ReadonlySet<string>) => boolean>> = {
  // A file that is followed through its names may have had that of a key.
  log: (_, options) => !options.has('--follow') || ![...options].some((option) => PRINTS_PATCH.test(option)),
  branch: (words, options) => words.length === 0 || options.has('--list'),
  tag: (words, options) => words.length === 0 || options.has('--list') || options.has('-l'),
  remote: ([verb, ...names]) => verb === undefined || (verb === 'get-url' && names.length === 1),
  stash: (words) => words.length === 1 && words[0] === 'list',
  reflog: ([verb]) => verb === undefined || verb === 'show' || verb === 'HEAD' || verb.includes('@{'),
};

/** `%G…` asks the program that checks signatures, which the repository may name; `%(` may as well. */
const RUNS_PROGRAMS = /%(?:G|\()/;

/**
 * The arguments from the subcommand on; from the first option on that may change what git does, where one comes before
 * it.
 *
 * @example
 * fromSubcommand(['--no-pager', 'log', '-p']); // ['log', '-p']
 */
export function fromSubcommand(args: readonly string[]): readonly string[] {
  const at = args.findIndex((argument) => !BEFORE.has(argument));
  return at === -1 ? [] : args.slice(at);
}

/**
 * Whether git with these arguments reads the repository and does nothing else.
 *
 * @example
 * isReadingGit(['log', '--oneline', '-n', '5']) // true
 * isReadingGit(['log', '--output=x']) // false
 */
export function isReadingGit(args: readonly string[]): boolean {
  const [subcommand, ...rest] = fromSubcommand(args);
  if (subcommand === undefined || !Object.hasOwn(READING, subcommand)) return false;
  const known = new Set(READING[subcommand]!.split(/\s+/).filter(Boolean));
  const end = rest.indexOf('--');
  const beforeEnd = end === -1 ? rest : rest.slice(0, end);
  const options = beforeEnd.filter((argument) => argument.startsWith('-'));
  if (!options.every((option) => isKnown(option, known)) || rest.some((argument) => RUNS_PROGRAMS.test(argument)))
    return false;
  const words = beforeEnd.filter((argument) => !argument.startsWith('-'));
  return SHAPES[subcommand]?.(words, new Set(options)) ?? true;
}

function isKnown(option: string, known: ReadonlySet<string>): boolean {
  if (known.has(option)) return true;
  const assignment = /^(--[a-z-]+=)/.exec(option)?.[1];
  if (assignment !== undefined) return known.has(assignment);
  if (/^-\d{1,9}$/.test(option)) return known.has('-n') || known.has('--max-count=');
  // `-U5`, `-n3`, `-M90%`, `-L1,20:file`: a value attached to one of these. In `git grep -LOx` the O is an option.
  const takesText = !known.has('--files-with-matches');
  const hasValue = /^-[nUMCAB]\d{1,9}%?$/.test(option) || (takesText && /^-[LSG]./.test(option));
  return hasValue && known.has(option.slice(0, 2));
}

/** The words that may name files: all but options, including those after `--`. */
export function wordsOfGit(args: readonly string[]): readonly string[] {
  const words = fromSubcommand(args);
  const end = words.indexOf('--');
  return words.slice(1).filter((argument, index) => !argument.startsWith('-') || (end !== -1 && index + 1 > end));
}
