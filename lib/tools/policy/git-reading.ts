// Whether a command of a line is git and only reads. What git does is in ../git-reading.ts; here is that its words are
// known, and that nothing else has changed what they mean.
import { isReadingGit, wordsOfGit } from '../git-reading.ts';
import type { SimpleCommand } from './words.ts';

/** `paths`: what it would look at, to be decided on as well. Undefined where it is not git, or may do more. */
export function gitReading({
  words,
  altered,
  isOpen,
}: SimpleCommand): { readonly paths: readonly string[] } | undefined {
  if (altered !== undefined || isOpen || words[0]?.text !== 'git') return undefined;
  if (!words.every(({ isFixed, isAtHome }) => isFixed && !isAtHome)) return undefined;
  const args = words.slice(1).map(({ text }) => text);
  return isReadingGit(args) ? { paths: wordsOfGit(args) } : undefined;
}
