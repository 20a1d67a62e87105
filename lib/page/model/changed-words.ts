// The words that differ between the two sides of a change. A part of its own: lines are shown before it is loaded.
import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import type { DiffWord, WordsOf } from './line-diff.ts';

/** Longer changes, and those with less in common, are compared by lines only: words take the square of the time. */
const LONGEST_WORDS = 2000;
const MOST_WORD_EDITS = 80;

/** Undefined where that takes too long to tell. */
export const wordsOf: WordsOf = (before, after, side) => {
  if (before.length + after.length > LONGEST_WORDS) return undefined;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_WORD_EDITS });
  if (parts === undefined) return undefined;
  const lines: DiffWord[][] = [[]];
  for (const part of parts) {
    if (side === 'added' ? part.removed : part.added) continue;
    part.value.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)!.push({ text, isChanged: part[side] === true });
    });
  }
  return lines;
};
