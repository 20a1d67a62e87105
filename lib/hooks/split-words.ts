// A line of the configuration as a program and its arguments, split as a shell would split it, but read by no shell:
// quotes and backslashes work, nothing is expanded except `~/` at the beginning of a word. What a shell would take for
// more than a letter must be quoted: a line that could mean something else than its author thought is refused, not run.

type SplitLine =
  | { readonly ok: true; readonly words: readonly [string, ...string[]] }
  /** `problem`: the fault, as the end of a sentence. */
  | { readonly ok: false; readonly problem: string };

const SPECIAL = new Set('|;&<>()$`*?[{');
const ESCAPED_IN_DOUBLE_QUOTES = new Set('"\\$`');

/**
 * @example
 * splitWords("~/bin/check --message 'two words'", { homeDirectory: '/home/me' });
 * // { ok: true, words: ['/home/me/bin/check', '--message', 'two words'] }
 */
export function splitWords(line: string, { homeDirectory }: { readonly homeDirectory: string }): SplitLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (character === '\0') return { ok: false, problem: 'it holds a NUL' };
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (quote === '"' && character === '\\' && ESCAPED_IN_DOUBLE_QUOTES.has(next)) {
        word += next;
        at += 1;
      } else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      if (next === '') return { ok: false, problem: 'it ends with a backslash' };
      word = (word ?? '') + next;
      at += 1;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (SPECIAL.has(character) || (character === '#' && word === undefined)) {
      return { ok: false, problem: `no shell reads it, so ${character} must be in quotes` };
    } else if (character === '~' && word === undefined && next === '/') {
      word = homeDirectory;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return { ok: false, problem: `a ${quote} is not closed` };
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') return { ok: false, problem: 'it names no program' };
  return { ok: true, words: [program, ...rest] };
}

/**
 * The program that a line of the configuration names. A path that depends on the current directory would let a project
 * replace the user's program by its own, so it is refused.
 *
 * @example
 * hookProgram('~/bin/check -v', { homeDirectory: '/home/me' }).words; // ['/home/me/bin/check', '-v']
 */
export function hookProgram(line: string, options: { readonly homeDirectory: string }): SplitLine {
  const split = splitWords(line, options);
  if (!split.ok) return split;
  const [program] = split.words;
  if (!program.includes('/') || program.startsWith('/')) return split;
  return { ok: false, problem: 'its path must be absolute, or begin with ~/, or be a name that is found in PATH' };
}
