// Translates a typed search for the index. There is little syntax, and all else is text: quotes around a phrase, one
// `-` before an excluded word, `*` after the beginning of a word. A word that looks like syntax of the index (AND,
// NEAR(…), text:x) is a word.
import { OllmError } from '../errors/index.ts';
import { hasWords, lazily, preparedText, setApart } from './prepared-text.ts';

export interface SearchTerm {
  /** As it was typed, without its signs. */
  readonly text: string;
  /** Whether it is the beginning of a word. */
  readonly isPrefix: boolean;
  /** Whether it was in quotes. */
  readonly isPhrase?: boolean | undefined;
  /** The number of the word that it is a form of, where it is one of several. */
  readonly formOf?: number | undefined;
}

export interface CatalogQuery {
  /** What must be there. At least one. */
  readonly terms: readonly SearchTerm[];
  /** What must not. */
  readonly without: readonly SearchTerm[];
}

/** Shorter beginnings have too many ends. */
const MIN_PREFIX_CHARACTERS = 3;
const MAX_TERMS = 64;
const MAX_CHARACTERS = 4096;
const TERM = /(?<not>-(?!-)|)(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/gu;
const STAR = /\*+$/u;
const NOT_ASCII = /[^\0-\x7f]/;
const LAST_WORD = /[a-z\d]+$/i;
const lastWordOfAny = lazily(() => /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+$/u);

/**
 * Takes a query apart. Parts without a letter, digit or pictograph are left out, because nothing can be found by them.
 *
 * @example
 * parseQuery('"lost update" retr* -test');
 * @throws OllmError USAGE if nothing is left, or it is too long
 */
export function parseQuery(text: string): CatalogQuery {
  if (text.length > MAX_CHARACTERS) throw tooLong();
  const terms: SearchTerm[] = [];
  const without: SearchTerm[] = [];
  for (const { groups = {} } of text.matchAll(TERM)) {
    const { not, phrase, word = '' } = groups;
    const term = phrase === undefined ? termOf(word) : { text: phrase, isPrefix: false, isPhrase: true };
    if (hasWords(term.text)) (not === '-' ? without : terms).push(term);
  }
  if (terms.length + without.length > MAX_TERMS) throw tooLong();
  if (terms.length > 0) return { terms, without };
  if (without.length > 0) {
    throw new OllmError('USAGE', 'A search needs a word that is to be found, not only words that must not be there.', {
      hint: "For example: ollm search 'title:deadlock reset -test'.",
    });
  }
  throw new OllmError('USAGE', 'A search needs a word that is to be found.', {
    hint: 'For example: ollm search "connection reset". Signs alone are in no index; --regex finds them.',
  });
}

/** The words of a query without its signs, and the terms that must not be there. */
export function withoutSyntax(text: string): { readonly text: string; readonly without: readonly SearchTerm[] } {
  const { terms, without } = parseQuery(text);
  return { text: terms.map((term) => term.text).join(' '), without };
}

/** Words side by side. A star ends the beginning of a word. */
export function phraseOf(text: string): SearchTerm {
  return termOf(text.replaceAll('"', ' ').trim());
}

/** The expression for FTS5. Each term is a string there, so that nothing in it is an operator. */
export function matchExpression({ terms, without }: CatalogQuery): string {
  const wanted = terms.map(stringOf).join(' AND ');
  return without.length === 0 ? wanted : `(${wanted}) NOT (${without.map(stringOf).join(' OR ')})`;
}

function termOf(word: string): SearchTerm {
  const text = word.replace(STAR, '');
  const isPrefix = text.length < word.length && [...text].length >= MIN_PREFIX_CHARACTERS && !endsWithSign(text);
  return { text, isPrefix };
}

/** In `foo.*` the star follows no word. */
function endsWithSign(text: string): boolean {
  return !hasWords([...text].at(-1) ?? '');
}

function stringOf({ text, isPrefix }: SearchTerm): string {
  const lastWord = isPrefix ? text.search(NOT_ASCII.test(text) ? lastWordOfAny() : LAST_WORD) : text.length;
  const prepared = preparedText(text.slice(0, lastWord)) + setApart(text.slice(lastWord));
  return `"${prepared.replaceAll('"', '""').replaceAll('\0', ' ')}"${isPrefix ? '*' : ''}`;
}

function tooLong(): OllmError {
  return new OllmError('USAGE', `A search has at most ${MAX_TERMS} words and ${MAX_CHARACTERS} characters.`, {
    hint: 'Name the few words that matter.',
  });
}
