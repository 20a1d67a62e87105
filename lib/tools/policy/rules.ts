// The rules of the configuration and the grants of the user: `tool`, or `tool(pattern)`. The pattern matches the words
// of a command or the path of an access, whichever is being decided.
//
// An allow rule is read narrowly: it covers only certain matches. An ask or deny rule is read widely: it covers
// possible matches. So a word of unknown value (a variable) never makes a call more allowed.
import { baseName, type SimpleCommand } from './command-words.ts';
import { matchesPath, matchesWord } from './globs.ts';

export interface Rule {
  /** As it is written. */
  readonly source: string;
  /** A name of tools; `*` matches any characters. */
  readonly tool: string;
  readonly pattern?: RulePattern | undefined;
}

interface RulePattern {
  /** What a path must look like; `/` at the beginning: from the root of the machine, else from that of the project. */
  readonly path: string;
  /**
   * The words of a command; undefined where the pattern cannot be one. A last word `*` matches any further words, or
   * none.
   */
  readonly words: readonly PatternWord[] | undefined;
}

interface PatternWord {
  readonly text: string;
  /** Whether `*` in it is a wildcard: not in quotes. */
  readonly isGlob: boolean;
}

/** How widely a rule is read: only certain matches, or possible ones too. */
export type Reading = 'narrow' | 'wide';

export type ParsedRule =
  | { readonly kind: 'rule'; readonly rule: Rule }
  /** `tool`: the tool that it was about, where that can be read. */
  | { readonly kind: 'broken'; readonly reason: string; readonly tool: string | undefined };

export const MAX_RULE_LENGTH = 2000;
const FORM = /^([a-zA-Z0-9_*-]{1,128})(?:\(([\s\S]*)\))?$/;
const TOOL_START = /^\s*([a-zA-Z0-9_*-]{1,128})/;
/** What joins commands, opens files or expands. A rule speaks of one command, as it is. */
const OPERATORS = /[;&|<>()`$]/;

export function parseRule(source: string): ParsedRule {
  const text = source.trim();
  const broken = (reason: string): ParsedRule => ({
    kind: 'broken',
    reason,
    tool: TOOL_START.exec(text)?.[1],
  });
  if (text.length > MAX_RULE_LENGTH) return broken(`is longer than ${MAX_RULE_LENGTH} characters`);
  const match = FORM.exec(text);
  if (!match) return broken('is not of the form tool or tool(pattern)');
  const [, tool = '', inner] = match;
  if (inner === undefined) return { kind: 'rule', rule: { source: text, tool } };
  if (inner.trim() === '') return broken('has nothing between its brackets');
  const words = patternWords(inner);
  if (tool === 'bash') {
    if (words === undefined) return broken('has a quotation mark without its other half');
    if (words.some((word) => word.isGlob && OPERATORS.test(word.text))) {
      return broken(
        'has a sign of the shell in it: write a rule for each command, and quotes where the sign itself is meant',
      );
    }
    if (words[0]?.isGlob && words[0].text.includes('*') && words[0].text !== '*') {
      return broken('has a pattern in the place of the program: name the program');
    }
  }
  return { kind: 'rule', rule: { source: text, tool, pattern: { path: inner.trim(), words } } };
}

export function coversTool(rule: Rule, tool: string): boolean {
  return matchesWord(rule.tool, tool);
}

/** `path`: absolute, `/` between its parts; `relative`: from the root of the project, undefined outside. */
export function coversPath(
  { path: pattern }: RulePattern,
  { path, relative }: { readonly path: string; readonly relative: string | undefined },
  reading: Reading,
): boolean {
  const form = (text: string) => (reading === 'wide' ? text.toLowerCase() : text);
  const wanted = form(pattern.replace(/^\.\//, '').replace(/(?<=.)\/$/, ''));
  if (wanted.startsWith('/')) return matchesPath(wanted, form(path));
  return relative !== undefined && matchesPath(wanted, form(relative));
}

/** `host`: as `URL.host` writes it. One that denies counts for any port. */
export function coversHost({ path: pattern }: RulePattern, host: string, reading: Reading): boolean {
  const wanted = pattern.toLowerCase();
  return matchesWord(wanted, host) || (reading === 'wide' && matchesWord(wanted, host.replace(/:\d+$/, '')));
}

export function coversCommand(pattern: RulePattern, command: SimpleCommand, reading: Reading): boolean {
  const { words: wanted } = pattern;
  if (wanted === undefined) return reading === 'wide';
  return reading === 'wide' ? mayCover(wanted, command) : certainlyCovers(wanted, command);
}

function certainlyCovers(wanted: readonly PatternWord[], command: SimpleCommand): boolean {
  if (command.altered !== undefined) return false;
  const isEndless = isAnyFurther(wanted.at(-1));
  const needed = isEndless ? wanted.slice(0, -1) : wanted;
  const { words } = command;
  if (words.length < needed.length) return false;
  if (!isEndless && (words.length > needed.length || command.isOpen)) return false;
  return needed.every((want, index) => {
    const word = words[index];
    return word?.isFixed === true && !word.isAtHome && fits(want, word.text);
  });
}

function mayCover(wanted: readonly PatternWord[], { words, isOpen }: SimpleCommand): boolean {
  const isEndless = isAnyFurther(wanted.at(-1));
  const needed = isEndless ? wanted.slice(0, -1) : wanted;
  const lower = ({ text, isGlob }: PatternWord): PatternWord => ({ text: text.toLowerCase(), isGlob });
  for (const [index, want] of needed.entries()) {
    const word = words[index];
    if (word === undefined) return isOpen === true;
    // It may become any words, or none.
    if (!word.isFixed) return true;
    const text = word.text.toLowerCase();
    const isProgram = index === 0;
    if (!fits(lower(want), text) && !(isProgram && fits(lower(want), baseName(text)))) return false;
  }
  return isEndless || words.length <= needed.length || words.slice(needed.length).every(({ isFixed }) => !isFixed);
}

function isAnyFurther(word: PatternWord | undefined): boolean {
  return word?.isGlob === true && word.text === '*';
}

function fits({ text, isGlob }: PatternWord, word: string): boolean {
  return isGlob ? matchesWord(text, word) : text === word;
}

/** Splits as a shell would where nothing is to be expanded; undefined for an open quotation. */
function patternWords(text: string): PatternWord[] | undefined {
  const words: PatternWord[] = [];
  let word: { text: string; isGlob: boolean } | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(text.charAt(index + 1))) {
        index += 1;
        word = { text: (word?.text ?? '') + text.charAt(index), isGlob: false };
      } else word = { text: (word?.text ?? '') + character, isGlob: false };
    } else if (character === "'" || character === '"') {
      quote = character;
      word = { text: word?.text ?? '', isGlob: false };
    } else if (/\s/.test(character)) {
      if (word) words.push(word);
      word = undefined;
    } else {
      const isEscape = character === '\\' && index + 1 < text.length;
      if (isEscape) index += 1;
      word = { text: (word?.text ?? '') + text.charAt(index), isGlob: !isEscape && (word?.isGlob ?? true) };
    }
  }
  if (quote !== undefined) return undefined;
  if (word) words.push(word);
  return words;
}
