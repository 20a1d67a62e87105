// Whether a text says more than a question: the same question, asked before, answers nothing. Pure.
import { type Query, wordsIn } from './words.ts';

/**
 * @example
 * saysMoreThan('Which port does the server have?', readQuery('which port does the server have')); // false
 */
export function saysMoreThan(text: string, { stems }: Query): boolean {
  const asked = new Set(stems);
  for (const { stem } of wordsIn(text)) if (!asked.has(stem)) return true;
  return false;
}
