// The sentence that tells an answer of the offline provider from one of a model: it quotes text found elsewhere. Pure.

/** Begins the last paragraph of each such answer. */
export const SEARCH_NOTICE = 'This is a search, not a language model';

/**
 * @example
 * isSearchAnswer(`**\`a.md:1\`**\n\n*${SEARCH_NOTICE}.*\n`); // true
 */
export function isSearchAnswer(text: string): boolean {
  return text.startsWith(`*${SEARCH_NOTICE}`) || text.includes(`\n*${SEARCH_NOTICE}`);
}
