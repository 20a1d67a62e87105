// Programs that read files and do nothing else, with the options for which that is certain. Pure data and a check: a
// program, an option or a test of find that is not listed is not known to be harmless. Which files they read is handed
// back, for the policy to see that those are in the project.
import { namesIn } from './command-words.ts';

interface Reader {
  /** Options without a value; letters may come in one bundle. */
  readonly flags: ReadonlySet<string>;
  /** Options with a value, which is not a file: in the next word, attached to the letter or after `=`. */
  readonly valued: ReadonlySet<string>;
  /** How many words before the files are none; all of them where it opens no files. */
  readonly texts?: number | undefined;
  /** An option with which it has one such word less: the pattern of `grep -e`. */
  readonly textOption?: RegExp | undefined;
  /** The most files it takes: a further word may be a file that it writes. */
  readonly mostFiles?: number | undefined;
  /** Whether `-5` is a number of lines. */
  readonly takesNumber?: boolean | undefined;
  /** Whether it reads the directory that it runs in where no file is named. */
  readonly readsDirectory?: boolean | undefined;
}

const options = (flags: string, valued = ''): Pick<Reader, 'flags' | 'valued'> => ({
  flags: namesIn(flags),
  valued: namesIn(valued),
});

const GREP: Reader = {
  ...options(
    `-i -y -v -n -l -L -c -w -x -o -h -H -s -q -a -E -F -G -P -r -I -b -T -U -z -Z --ignore-case --no-ignore-case --invert-match
    --line-number --files-with-matches --files-without-match --count --word-regexp --line-regexp --only-matching --no-filename
    --with-filename --no-messages --quiet --silent --extended-regexp --fixed-strings --basic-regexp --perl-regexp --recursive
    --byte-offset --text --null --null-data --initial-tab --color --colour`,
    `-e -m -A -B -C --regexp --max-count --after-context --before-context --context --include --exclude --exclude-dir --color
    --colour --binary-files --label --group-separator`,
  ),
  texts: 1,
  textOption: /^(?:-[a-zA-Z]*e|--regexp(?:=|$))/,
  takesNumber: true,
};

const READERS: Readonly<Record<string, Reader>> = {
  ls: {
    ...options(
      `-a -A -l -h -F -1 -R -t -S -r -d -n -i -s -p -G -g -o -m -x -C -U -X -c -u -v -f -Q -q -b -k -N --all --almost-all
      --human-readable --recursive --directory --reverse --size --inode --classify --full-time --group-directories-first
      --no-group --numeric-uid-gid --si --kibibytes --escape --literal --quote-name --author --color`,
      '-I -w --ignore --hide --width --color --sort --time --time-style --format --indicator-style --quoting-style --block-size',
    ),
    readsDirectory: true,
  },
  cat: options(
    `-n -b -A -e -E -s -t -T -u -v --number --number-nonblank --show-all --show-ends --squeeze-blank --show-tabs
    --show-nonprinting`,
  ),
  head: { ...options('-q -v -z --quiet --silent --verbose', '-n -c --lines --bytes'), takesNumber: true },
  tail: { ...options('-q -v -z --quiet --silent --verbose', '-n -c --lines --bytes'), takesNumber: true },
  wc: options('-l -c -w -m -L --lines --words --bytes --chars --max-line-length'),
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    ...options(
      `-i -S -s -v -n -N -l -c -w -x -o -F -P -H -I -0 -U --files --files-with-matches --files-without-match --count --count-matches
      --ignore-case --smart-case --case-sensitive --invert-match --line-number --no-line-number --word-regexp --line-regexp
      --only-matching --fixed-strings --multiline --pcre2 --with-filename --no-filename --heading --no-heading --column --trim
      --stats --json --vimgrep --no-messages --no-config --null --passthru`,
      `-e -g -t -T -m -A -B -C -M -E -r -j -d --regexp --glob --iglob --type --type-not --max-count --after-context
      --before-context --context --max-columns --max-depth --encoding --replace --threads --color --sort --sortr`,
    ),
    texts: 1,
    textOption: /^(?:-[a-zA-Z]*e|--regexp(?:=|$)|--files$)/,
    readsDirectory: true,
  },
  sort: options(
    `-b -d -f -g -h -i -M -n -r -V -c -C -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
    --human-numeric-sort --month-sort --numeric-sort --reverse --version-sort --check --stable --unique --zero-terminated`,
    '-k -t --key --field-separator',
  ),
  uniq: {
    ...options(
      '-c -d -D -u -i -z --count --repeated --unique --ignore-case --zero-terminated',
      '-f -s -w --skip-fields --skip-chars --check-chars',
    ),
    mostFiles: 1,
  },
  cut: options(
    '-s -z --only-delimited --complement --zero-terminated',
    '-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter',
  ),
  du: {
    ...options(
      '-s -h -a -c -b -k -m -x --summarize --human-readable --all --total --bytes',
      '-d --max-depth --exclude',
    ),
    readsDirectory: true,
  },
  stat: options('-t --terse', '-c --format --printf'),
  tr: {
    ...options('-d -s -c -C -t --delete --squeeze-repeats --complement --truncate-set1'),
    texts: Number.POSITIVE_INFINITY,
  },
  pwd: { ...options('-L -P'), mostFiles: 0 },
  basename: { ...options('-a -z', '-s --suffix'), texts: Number.POSITIVE_INFINITY },
  dirname: { ...options('-z --zero'), texts: Number.POSITIVE_INFINITY },
};

const FIND_FLAGS = namesIn(`
  -not -and -or -a -o ! , -print -print0 -prune -empty -readable -writable -executable -true -false -ls -depth -xdev -mount -quit
  -noleaf -daystart -nouser -nogroup
`);
const FIND_VALUED = namesIn(`
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -mmin -ctime -cmin -atime -amin
  -maxdepth -mindepth -perm -user -group -uid -gid -links -lname -ilname -inum -printf -newermt
`);

/**
 * The files that a command reads, from the directory that it runs in on; undefined where it is not known to do no more
 * than read. `words`: the program first, as it gets them.
 *
 * @example
 * filesReadBy(['head', '-n', '5', 'notes.md']); // ['notes.md']
 * filesReadBy(['find', '.', '-delete']); // undefined
 */
export function filesReadBy([program = '', ...args]: readonly string[]): readonly string[] | undefined {
  if (program === 'echo') return [];
  if (program === 'printf') return args[0]?.startsWith('-') ? undefined : [];
  if (program === 'find') return filesFoundBy(args);
  const reader = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  return reader && filesOf(reader, args);
}

function filesOf(reader: Reader, args: readonly string[]): readonly string[] | undefined {
  const words: string[] = [];
  let texts = reader.texts ?? 0;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./.test(word)) {
      words.push(word);
      continue;
    }
    const taken = wordsOfOption(reader, word);
    if (taken === undefined) return undefined;
    if (reader.textOption?.test(word) && Number.isFinite(texts)) texts = 0;
    at += taken;
  }
  const files = words.slice(Math.min(texts, words.length)).filter((word) => word !== '-');
  if (files.length > (reader.mostFiles ?? Number.POSITIVE_INFINITY)) return undefined;
  return files.length === 0 && reader.readsDirectory ? ['.'] : files;
}

/** How many words after an option belong to it; undefined for an unknown option. */
function wordsOfOption({ flags, valued, takesNumber = false }: Reader, word: string): number | undefined {
  if (takesNumber && /^-\d{1,9}$/.test(word)) return 0;
  if (word.startsWith('--')) {
    const split = word.indexOf('=');
    if (split >= 0) return valued.has(word.slice(0, split)) ? 0 : undefined;
    // An option whose value is optional, and then only after `=`, is in both.
    if (flags.has(word)) return 0;
    return valued.has(word) ? 1 : undefined;
  }
  for (const [index, letter] of [...word.slice(1)].entries()) {
    if (valued.has(`-${letter}`)) return index + 2 === word.length ? 1 : 0;
    if (!flags.has(`-${letter}`)) return undefined;
  }
  return 0;
}

/** The places come first, then the pattern. */
function filesFoundBy(args: readonly string[]): readonly string[] | undefined {
  const begin = args.findIndex((word) => /^[-!(),]/.test(word));
  const places = begin < 0 ? args : args.slice(0, begin);
  for (let at = begin < 0 ? args.length : begin; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (FIND_VALUED.has(word)) at += 1;
    else if (!FIND_FLAGS.has(word) && word !== '(' && word !== ')') return undefined;
  }
  return places.length === 0 ? ['.'] : places;
}
