// Reads a line for a shell: every program that it would start, and every file that it would open by itself. Nothing is
// matched as a string. What cannot be parsed, or is larger, deeper or too dynamic to be judged, is refused.
//
// The parser is another's and takes its input to be well meant: it is not total (a chain of `f()` exhausts the stack)
// and takes seconds for 64 KiB of `$(`. So its input is bounded first, by size and by possible nesting.
import type { Command, CommandArgument, Redirection, SyntaxNode, Word } from 'unbash';
import { sanitize } from '../../display/sanitize.ts';
import { baseName, type CommandWord, fixed, namesIn, type SimpleCommand } from './command-words.ts';
import { DATA, holdsStatement, pipeDanger } from './dangerous.ts';
import { commandWord } from './shell-words.ts';
import { unwrap } from './unwrap.ts';

/** A file that the shell itself opens. */
export interface Redirect {
  readonly kind: 'read' | 'write';
  readonly target: CommandWord;
}

export type LineReading =
  | {
      readonly kind: 'read';
      /** In the order of the line, with what wrappers start. */
      readonly commands: readonly SimpleCommand[];
      /** Dangers of the line as a whole, in addition to those of its commands. */
      readonly dangers: readonly string[];
      readonly redirects: readonly Redirect[];
      /** Where it may be when it opens a file: from the directory that it starts in; undefined: anywhere. */
      readonly directories: readonly CommandWord[] | undefined;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** The parser, as it is loaded when the first policy is made. */
export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

const LINE_LIMITS = {
  characters: 32_768,
  openings: 64,
  commands: 50,
  nodes: 5_000,
  depth: 60,
  lines: 8,
} as const;

/** What can nest in a line: each costs the parser more the deeper it is nested. */
const OPENINGS = /[(`]|\$\{|\$\[|<<|\b(?:coproc|function)\b/g;

/**
 * Reads a line as bash does.
 *
 * @example
 * readLine('npm test && echo x > out', parser) // commands: npm test, echo x; redirects: write out
 */
export function readLine(line: string, parser: ShellParser): LineReading {
  return reading(parser, (reader) => reader.read(line));
}

/** Checks a program with its arguments, including the programs that it starts in turn. */
export function readProgram(argv: readonly [string, ...string[]], parser: ShellParser): LineReading {
  return reading(parser, (reader) => reader.add({ words: argv.map(fixed) }));
}

function reading(parser: ShellParser, fill: (reader: LineReader) => void): LineReading {
  const reader = new LineReader(parser);
  try {
    fill(reader);
    return reader.result();
  } catch (error) {
    // The parser gives up in its own way at lines that would not be judged either.
    return { kind: 'refused', reason: error instanceof Refusal ? error.message : 'cannot be parsed' };
  }
}

class Refusal extends Error {}

/** Collects what a line, and the lines inside of it, would start and open. */
class LineReader {
  readonly #parser: ShellParser;
  readonly #commands: SimpleCommand[] = [];
  readonly #redirects: Redirect[] = [];
  readonly #dangers: (string | undefined)[] = [];
  readonly #moves: (CommandWord | undefined)[] = [];
  #nodes = 0;
  #lines = 0;
  #hasLoop = false;
  /** Why the line cannot be read reliably: the first reason. */
  #altered: string | undefined;

  constructor(parser: ShellParser) {
    this.#parser = parser;
  }

  read(line: string): void {
    this.#lines += 1;
    if (this.#lines > LINE_LIMITS.lines) throw new Refusal('has too many lines inside of lines');
    checkText(line);
    this.#visit(this.#parser.parse(line), 0);
  }

  /** Adds what `env`, `xargs` and their like start as well, and what a shell in the line reads. */
  add(command: SimpleCommand): void {
    if (this.#commands.length >= LINE_LIMITS.commands)
      throw new Refusal(`has more than ${LINE_LIMITS.commands} commands`);
    const unwrapped = unwrap(command);
    if (unwrapped.kind === 'refused') throw new Refusal(unwrapped.reason);
    this.#commands.push(unwrapped.command);
    this.#watchBuiltin(unwrapped.command);
    for (const inner of unwrapped.inner) this.add(inner);
    for (const line of unwrapped.lines) this.read(line);
  }

  result(): LineReading {
    const altered = this.#altered;
    const moves = this.#moves;
    const isLost = moves.includes(undefined) || (moves.length > 0 && this.#hasLoop) || moves.length > 4;
    return {
      kind: 'read',
      commands:
        altered === undefined
          ? this.#commands
          : this.#commands.map((one) => ({ ...one, altered: one.altered ?? altered })),
      dangers: [...new Set(this.#dangers)].filter((danger) => danger !== undefined),
      redirects: this.#redirects,
      directories: isLost ? undefined : (moves as CommandWord[]),
    };
  }

  #visit(node: SyntaxNode, depth: number): void {
    this.#nodes += 1;
    if (this.#nodes > LINE_LIMITS.nodes || depth > LINE_LIMITS.depth) throw new Refusal('is too complex');
    if (node.type === 'Script' && node.errors?.[0]) throw new Refusal(`cannot be parsed: ${node.errors[0].message}`);
    this.#enter(node);
    const stages: string[][] = [];
    this.#parser.forEachChild(node, (child) => {
      const before = this.#commands.length;
      this.#visit(child, depth + 1);
      const started = this.#commands.slice(before);
      stages.push(started.map(({ words }) => baseName(words[0]?.text ?? '').toLowerCase()));
    });
    if (node.type === 'Pipeline') this.#dangers.push(pipeDanger(stages));
  }

  #enter(node: SyntaxNode): void {
    switch (node.type) {
      case 'Command':
        this.#enterCommand(node);
        return;
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        this.#redirect(node);
        return;
      case 'For':
      case 'Select':
        this.#hasLoop = true;
        this.#set(node.name.value);
        return;
      case 'While':
      case 'ArithmeticFor':
        this.#hasLoop = true;
        return;
      case 'Coproc':
        this.#set(node.name?.value ?? 'COPROC');
        return;
      case 'Function':
        throw new Refusal('defines a function, after which no word means what it says');
      default:
        if (evaluatesText(node)) this.#altered ??= RECKONS;
    }
  }

  #enterCommand({ name, prefix, args, redirects: own }: Command): void {
    const isSetting = prefix.some(({ type }) => type === 'Assignment');
    if (name === undefined) {
      if (isSetting) this.#altered ??= 'sets variables before it';
      return;
    }
    const command = simpleCommand(name, args);
    this.add(isSetting ? { ...command, altered: 'sets variables for it' } : command);
    const isStoring = STORING.has(baseName(command.words[0]?.text ?? ''));
    const given = own.flatMap((one) =>
      one.type === 'HereDoc' ? [one.body.text] : one.type === 'HereString' ? [one.target?.text ?? ''] : [],
    );
    if (!isStoring && given.some(holdsStatement)) this.#dangers.push(DATA);
  }

  /** Notes what a shell does itself, and what that changes for all that follows. */
  #watchBuiltin({ words }: SimpleCommand): void {
    const [program, ...args] = words;
    const name = baseName(program?.text ?? '');
    if (name === 'cd' || name === 'chdir') this.#moves.push(cdTarget(args));
    else if (name === 'pushd' || name === 'popd') this.#moves.push(undefined);
    else if (REDEFINING.has(name) && !isStrictMode(name, args))
      this.#altered ??= `calls ${name}, after which no word need mean what it says`;
    else if (SETTING.has(name)) for (const { text, isFixed } of args) this.#set(isFixed ? text : '');
    else if (TESTS.has(name) && mayReckon(args)) this.#altered ??= RECKONS;
    else {
      const option = NAMING.get(name);
      const at = option === undefined ? -1 : args.findIndex(({ text }) => text.startsWith(option));
      if (at >= 0) this.#set(args[at]?.text.slice(2) || args[at + 1]?.text || '');
    }
  }

  /** A name without a lower-case letter is one by which programs are found and steered. */
  #set(name: string): void {
    const [variable = ''] = name.split(/[=+]/, 1);
    if (/^-[a-z]*$/.test(variable)) return;
    if (!/^[a-zA-Z_]\w*$/.test(variable)) this.#altered ??= 'sets what cannot be known before it runs';
    else if (!/[a-z]/.test(variable)) this.#altered ??= `sets ${variable.slice(0, 40)}`;
  }

  #redirect(node: Redirection): void {
    if (node.descriptor?.type === 'FileDescriptorVariable') this.#set(node.descriptor.name);
    if (node.type !== 'Redirect') return;
    const { operator, target } = node;
    if (target === undefined) throw new Refusal('has a redirection to nowhere');
    const word = commandWord(target);
    const isCopy = (operator === '>&' || operator === '<&') && word.isFixed && /^(?:\d+-?|-)$/.test(word.text);
    if (isCopy) return;
    if (operator !== '<' && operator !== '<&') this.#redirects.push({ kind: 'write', target: word });
    if (operator === '<' || operator === '<&' || operator === '<>')
      this.#redirects.push({ kind: 'read', target: word });
  }
}

function simpleCommand(name: Word, args: readonly CommandArgument[]): SimpleCommand {
  return { words: [name, ...args].map(commandWord) };
}

function cdTarget(args: readonly CommandWord[]): CommandWord | undefined {
  const targets = args.filter(({ text }) => !/^-[LPe@]+$/.test(text) && text !== '--');
  const [target] = targets;
  if (target === undefined) return { text: '~', isFixed: true, isAtHome: true };
  return targets.length === 1 && target.isFixed && target.text !== '-' ? target : undefined;
}

/** After these, words may stand for something else. */
const REDEFINING = namesIn(`
  alias unalias hash enable shopt set source . exec declare typeset local readonly let unset mapfile readarray
  getopts
`);
/** They set the variables that they name. */
const SETTING: ReadonlySet<string> = new Set(['export', 'read']);
/** After this option they take the name of a variable, which they set. */
const NAMING: ReadonlyMap<string, string> = new Map([
  ['printf', '-v'],
  ['wait', '-p'],
]);
/** After -v and -R they take a name with an index, and evaluate it. */
const TESTS: ReadonlySet<string> = new Set(['test', '[']);
/** They store their input and do not run it. */
const STORING: ReadonlySet<string> = new Set(['cat', 'tee']);
const RECKONS = 'reckons with text, which can run commands that are not shown';

/**
 * Whether bash evaluates this as arithmetic. A name in it is a variable, whose value is evaluated again, and an index
 * may hold a substitution: `x='a[$(id)]'; echo $((x))` runs id.
 */
function evaluatesText(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticWord':
      return !isNumber(node.value);
    case 'TestBinary':
      return (
        /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left.value) && isNumber(node.right.value))
      );
    case 'TestUnary':
      return /^-[vR]$/.test(node.operator) && /\W/.test(node.operand.value);
    case 'Assignment':
      return node.index !== undefined;
    case 'Slice':
      return !isNumber(node.offset.value) || (node.length !== undefined && !isNumber(node.length.value));
    case 'Transform':
      return !/^[QUuLa]$/.test(node.operand.value);
    case 'Default':
      return node.operator.endsWith('=');
    case 'ParameterExpansion':
      return node.prefix === '!' || (node.index !== undefined && !/^(?:[@*]|\d+)$/.test(node.index.value));
    case 'Unknown':
      return true;
    default:
      return false;
  }
}

/** Whether there is an index, or a variable could hold one. */
function mayReckon(args: readonly CommandWord[]): boolean {
  if (args.some(({ text }) => text.includes('['))) return true;
  return args.some(({ text }) => text === '-v' || text === '-R') && args.some(({ isFixed }) => !isFixed);
}

function isNumber(text: string): boolean {
  return /^\s*-?\d*\s*$/.test(text);
}

/** `set -euo pipefail`: stops earlier, and changes no word. */
function isStrictMode(name: string, args: readonly CommandWord[]): boolean {
  return name === 'set' && args.length > 0 && args.every(({ text }) => /^(?:-[eux]*o?|pipefail)$/.test(text));
}

function checkText(line: string): void {
  if (line.length > LINE_LIMITS.characters) throw new Refusal(`is longer than ${LINE_LIMITS.characters} characters`);
  if (line.trim() === '') throw new Refusal('is empty');
  if (sanitize(line) !== line) throw new Refusal('holds control characters or marks that hide what it says');
  if ((line.match(OPENINGS)?.length ?? 0) > LINE_LIMITS.openings) throw new Refusal('is too complex');
}
