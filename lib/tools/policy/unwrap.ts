// Programs that start another program: env, sudo, timeout, xargs, bash -c, find -exec. Finds that other one, so that it
// is decided on by itself. Where it cannot be found for certain, the call is refused: an option that is not known here
// could take the next word for itself.
import { excerpt } from '../../display/excerpt.ts';
import { baseName, type CommandWord, fixed, namesIn, type SimpleCommand } from './command-words.ts';

type Unwrapped =
  /** `inner`: the command that it starts; `lines`: lines that a shell reads. */
  | {
      readonly kind: 'known';
      readonly command: SimpleCommand;
      readonly inner: readonly SimpleCommand[];
      readonly lines: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

interface Wrapper {
  /** Options without a value; letters may come in one bundle. */
  readonly flags: ReadonlySet<string>;
  /** Options that take the next word, or what follows `=` or the letter. */
  readonly valued: ReadonlySet<string>;
  /** Words between the options and the program: the duration of `timeout`. */
  readonly positions?: number | undefined;
  /** Whether `NAME=value` may come before the program. */
  readonly assigns?: boolean | undefined;
  /**
   * Whether the wrapper matters by itself, as sudo does: then it is decided on together with the command that it
   * starts.
   */
  readonly matters?: boolean | undefined;
  /** Options with which it starts nothing. */
  readonly idle?: ReadonlySet<string> | undefined;
}

const NONE = namesIn('');
const PLAIN: Wrapper = { flags: NONE, valued: NONE };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: namesIn('-i -0 -v - --ignore-environment --null --debug'),
    valued: namesIn('-u --unset -C --chdir'),
    assigns: true,
  },
  nohup: PLAIN,
  setsid: { flags: namesIn('-c -f -w --ctty --fork --wait'), valued: NONE },
  command: { flags: namesIn('-p'), valued: NONE, idle: namesIn('-v -V -pv -pV') },
  builtin: { ...PLAIN, matters: true },
  exec: { flags: namesIn('-c -l'), valued: namesIn('-a'), matters: true },
  time: { flags: namesIn('-p -v -q --portability --verbose --quiet'), valued: namesIn('-f --format') },
  nice: { flags: NONE, valued: namesIn('-n --adjustment') },
  ionice: { flags: namesIn('-t --ignore'), valued: namesIn('-c -n --class --classdata') },
  timeout: {
    flags: namesIn('-v --foreground --preserve-status --verbose'),
    valued: namesIn('-s -k --signal --kill-after'),
    positions: 1,
  },
  stdbuf: { flags: NONE, valued: namesIn('-i -o -e --input --output --error') },
  chronic: { flags: namesIn('-v -e'), valued: NONE },
  unbuffer: { flags: namesIn('-p'), valued: NONE },
  taskset: { flags: namesIn('-c --cpu-list'), valued: NONE, positions: 1 },
  sudo: {
    flags: namesIn('-n -E -H -A -S -b -k -P --non-interactive --preserve-env --set-home --background --stdin'),
    valued: namesIn('-u -g -h -p -C -D -R -T -r -t -U --user --group --prompt --chdir'),
    assigns: true,
    matters: true,
    idle: namesIn('-l -v -K -V --list --validate --version'),
  },
  doas: { flags: namesIn('-n -L'), valued: namesIn('-u -C'), matters: true },
  chroot: { flags: namesIn('--skip-chdir'), valued: namesIn('--userspec --groups'), positions: 1, matters: true },
  busybox: { ...PLAIN, matters: true, idle: namesIn('--list --help') },
  toybox: { ...PLAIN, matters: true, idle: namesIn('--help') },
  xargs: {
    flags: namesIn('-0 -r -t -x -p --null --no-run-if-empty --verbose --exit --interactive'),
    valued: namesIn(`
      -I -L -n -P -d -E -s -a --replace --max-lines --max-args --max-procs --delimiter --max-chars --arg-file
    `),
  },
};

/** They start programs in ways that are not followed here. */
const OPAQUE = namesIn(`
  parallel watch script su runuser flock unshare nsenter setpriv firejail proot fakeroot ld.so
`);
/** Builtins of the shell that run a line of the command. */
const CALLING_BACK: ReadonlySet<string> = new Set(['compgen', 'complete', 'mapfile', 'readarray']);
const SHELLS = /^(?:ba|da|z|k|a|mk)?sh$/;
const EXECS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

export function unwrap(command: SimpleCommand): Unwrapped {
  const [program, ...args] = command.words;
  if (program === undefined) return refused('names no program');
  if (!program.isFixed)
    return refused(`takes its program from ${excerpt(program.text, 80)}, and what that becomes cannot be known`);
  const name = baseName(program.text).toLowerCase();
  if (name === '') return refused('names no program');
  if (OPAQUE.has(name) || /^ld(?:-linux)?[\w.-]*\.so/.test(name))
    return refused(`starts a program through ${excerpt(name, 80)}, which is not followed here`);
  if (name === 'eval') return evaluated(command, args);
  if (name === 'trap') return trapped(command, args);
  if (name === 'jobs') return unwrapJobs(command, args);
  if (CALLING_BACK.has(name)) return calledBack(command, args);
  if (name === 'find') return unwrapFind(command, args);
  if (SHELLS.test(name)) return unwrapShell(command, args);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper ? unwrapWith(wrapper, name, command, args) : known(command);
}

function known(command: SimpleCommand, inner: readonly SimpleCommand[] = [], lines: readonly string[] = []): Unwrapped {
  return { kind: 'known', command, inner, lines };
}

function refused(reason: string): Unwrapped {
  return { kind: 'refused', reason };
}

function unwrapWith(wrapper: Wrapper, name: string, command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  let at = 0;
  let altered = command.altered;
  let placeholder: string | undefined;
  const unclear = () => refused(`calls ${name} in a way that does not show what it starts`);
  for (; at < args.length; at += 1) {
    const word = args[at] as CommandWord;
    if (!word.isFixed) return unclear();
    const { text } = word;
    if (text === '--') {
      at += 1;
      break;
    }
    if (wrapper.idle?.has(text)) return known(command);
    if (wrapper.assigns && /^[A-Za-z_]\w*=/.test(text)) {
      altered = 'sets variables for it';
      continue;
    }
    if (!text.startsWith('-')) break;
    const isNiceness = name === 'nice' && /^-\d+$/.test(text);
    const isBundle = /^-[^-]/.test(text) && [...text.slice(1)].every((letter) => wrapper.flags.has(`-${letter}`));
    if (wrapper.flags.has(text) || isBundle || isNiceness) {
      if (name === 'env') altered ??= text === '-0' || text === '-v' ? altered : 'takes variables from it';
      continue;
    }
    const option = readOption(wrapper, text);
    if (option === undefined) return unclear();
    const value = option.value === undefined ? args[at + 1] : fixed(option.value);
    if (value === undefined || !value.isFixed) return unclear();
    if (option.value === undefined) at += 1;
    if (name === 'env') altered = 'changes where it runs or what it is given';
    if (option.name === '-I' || option.name === '--replace') placeholder = value.text;
  }
  // `--` ends the options; assignments may still follow.
  while (wrapper.assigns && args[at]?.isFixed && /^[A-Za-z_]\w*=/.test(args[at]?.text ?? '')) {
    altered = 'sets variables for it';
    at += 1;
  }
  for (let count = wrapper.positions ?? 0; count > 0; count -= 1, at += 1) if (!args[at]?.isFixed) return unclear();
  const rest = args.slice(at).map((word) => withPlaceholder(word, placeholder));
  const isAdding = name === 'xargs' && placeholder === undefined;
  const own: SimpleCommand = wrapper.matters ? command : { ...command, isWrapper: true };
  if (rest.length === 0) {
    if (command.isOpen) return unclear();
    if (name === 'xargs') return known(own, [{ words: [fixed('echo')], isOpen: true, altered }]);
    // `env` without arguments prints the variables, `nohup` an error.
    return known(command);
  }
  return known(own, [{ words: rest, altered, isOpen: isAdding || command.isOpen }]);
}

/** `-n5`, `-n 5`, `--name=5`, `--name 5`; undefined for one that is not known. */
function readOption(wrapper: Wrapper, text: string): { readonly name: string; readonly value?: string } | undefined {
  if (wrapper.valued.has(text)) return { name: text };
  if (text.startsWith('--')) {
    const split = text.indexOf('=');
    const name = text.slice(0, split);
    return split > 0 && wrapper.valued.has(name) ? { name, value: text.slice(split + 1) } : undefined;
  }
  const letters = text.slice(1);
  for (const [index, letter] of [...letters].entries()) {
    const name = `-${letter}`;
    if (wrapper.valued.has(name)) {
      const value = letters.slice(index + 1);
      return value === '' ? { name } : { name, value };
    }
    if (!wrapper.flags.has(name)) return undefined;
  }
  return undefined;
}

function withPlaceholder(word: CommandWord, placeholder: string | undefined): CommandWord {
  return placeholder !== undefined && placeholder !== '' && word.text.includes(placeholder)
    ? { text: word.text, isFixed: false }
    : word;
}

/** `bash -c LINE`: the line is read; without one a file is run, which asks like any program. */
function unwrapShell(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  const unclear = () => refused('has a shell read a line that cannot be known before it runs');
  let isLine = false;
  let isPlain = true;
  for (const [index, word] of args.entries()) {
    if (!word.isFixed) return isLine || index === 0 ? unclear() : known(command);
    const { text } = word;
    if (isLine && !/^[-+]./.test(text)) {
      const own: SimpleCommand = isPlain ? { ...command, isWrapper: true } : command;
      return text === '--' ? unclear() : known(own, [], [text]);
    }
    if (!/^[-+]./.test(text)) return known(command);
    if (text.startsWith('--') || /[oO]/.test(text)) {
      // They take a word, or read a file first.
      if (args.some((other) => !other.isFixed || /^-[a-z]*c/i.test(other.text))) return unclear();
      return known(command);
    }
    if (text.startsWith('-') && text.includes('c')) isLine = true;
    if (!/^[-+][ceuxlvfn]+$/.test(text)) isPlain = false;
  }
  return isLine ? unclear() : known(command);
}

function evaluated(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  if (!args.every(({ isFixed }) => isFixed) || command.isOpen)
    return refused('has a shell read a line that cannot be known before it runs');
  const words = args.map(({ text }) => text);
  if (words[0] === '--') words.shift();
  return known({ ...command, isWrapper: true }, [], words.length === 0 ? [] : [words.join(' ')]);
}

function trapped(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  if (!args.every(({ isFixed }) => isFixed))
    return refused('has a shell read a line that cannot be known before it runs');
  const [first, second] = args.map(({ text }) => text);
  const line = first === '--' ? second : first;
  if (line === undefined || line === '' || /^-/.test(line)) return known(command);
  return known({ ...command, isWrapper: true }, [], [line]);
}

/** `jobs -x PROGRAM …` starts the program, also after other options; without that option jobs are listed. */
function unwrapJobs(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  const end = args.findIndex(({ text, isFixed }) => !isFixed || text === '--' || !/^-./.test(text));
  const options = end < 0 ? args : args.slice(0, end);
  if (args[end]?.isFixed === false) return refused('calls jobs in a way that does not show what it starts');
  if (!options.some(({ text }) => text.includes('x'))) return known(command);
  const words = end < 0 ? [] : args.slice(args[end]?.text === '--' ? end + 1 : end);
  if (words.length === 0) return refused('names no program');
  return known({ ...command, isWrapper: true }, [{ words, altered: command.altered, isOpen: command.isOpen }]);
}

/** `compgen -C LINE` and `mapfile -C LINE` have the shell read a line; `compgen -W TEXT` expands a text. */
function calledBack(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  const unclear = () => refused('has a shell read a line that cannot be known before it runs');
  const lines: string[] = [];
  for (const [index, { text, isFixed }] of args.entries()) {
    if (!isFixed) return unclear();
    const [, letter, behind] = /^-[A-Za-z]*?([CFW])(.*)$/s.exec(text) ?? [];
    if (letter === undefined) continue;
    const value = behind === '' ? args[index + 1] : fixed(behind ?? '');
    if (value === undefined || !value.isFixed || letter === 'F') return unclear();
    if (letter === 'C') lines.push(value.text);
    else if (/[$`\\<>]/.test(value.text)) return unclear();
  }
  return known(command, [], lines);
}

function unwrapFind(command: SimpleCommand, args: readonly CommandWord[]): Unwrapped {
  const inner: SimpleCommand[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as CommandWord;
    if (!word.isFixed || !EXECS.has(word.text)) continue;
    const end = args.findIndex(
      (other, index) => index > at && other.isFixed && (other.text === ';' || isPlus(args, index)),
    );
    if (end < 0) return refused('calls find with a command that has no end');
    const words = args.slice(at + 1, end).map((one) => withPlaceholder(one, '{}'));
    if (words.length === 0) return refused('names no program');
    inner.push({ words, altered: command.altered });
    at = end;
  }
  // A word that is not known could be `-exec` as well.
  const isClear = args.every(({ isFixed }) => isFixed);
  return known(isClear ? command : { ...command, altered: 'has words that could become options' }, inner);
}

function isPlus(args: readonly CommandWord[], index: number): boolean {
  return args[index]?.text === '+' && args[index - 1]?.text === '{}';
}
