// Lines of a change, for the diff of an edit.
import type { ChangeObject } from 'diff';
import { diffLines } from 'diff/lib/diff/line.js';

export interface DiffWord {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface DiffLine {
  /** `~`: a remark on the lines, as that some are left out. */
  readonly sign: ' ' | '+' | '-' | '~';
  /** Counted from 1 within the change. */
  readonly before?: number;
  readonly after?: number;
  readonly words: readonly DiffWord[];
}

/** The words of one side of a change, line by line; undefined where they are not compared. */
export type WordsOf = (before: string, after: string, side: 'added' | 'removed') => DiffWord[][] | undefined;

const MOST_LINE_EDITS = 2000;

/**
 * `wordsOf`: marks the words that differ; without it no word is marked.
 * @example linesOfChange('a\nb', 'a\nc') // ' a', '-b', '+c'
 */
export function linesOfChange(before: string, after: string, wordsOf: WordsOf = () => undefined): DiffLine[] {
  const lines: DiffLine[] = [];
  let [old, now] = [1, 1];
  const parts = diffLines(before, after, { maxEditLength: MOST_LINE_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, added: true, removed: false },
  ];
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    const previous = parts[index - 1];
    const texts = part.value.replace(/\n$/, '').split('\n');
    if (part.removed) {
      const marked = next?.added ? wordsOf(part.value, next.value, 'removed') : undefined;
      texts.forEach((text, at) => {
        lines.push({ sign: '-', before: old, words: marked?.[at] ?? plain(text) });
        old += 1;
      });
    } else if (part.added) {
      const marked = previous?.removed ? wordsOf(previous.value, part.value, 'added') : undefined;
      texts.forEach((text, at) => {
        lines.push({ sign: '+', after: now, words: marked?.[at] ?? plain(text) });
        now += 1;
      });
    } else {
      for (const text of texts) {
        lines.push({ sign: ' ', before: old, after: now, words: plain(text) });
        old += 1;
        now += 1;
      }
    }
  });
  return lines;
}

function plain(text: string): readonly DiffWord[] {
  return [{ text, isChanged: false }];
}

/** How many lines a change adds and removes, and how many it shows. Undefined where that takes too long to tell. */
export function sizeOfChange(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number; readonly lines: number } | undefined {
  const parts = diffLines(before, after, { maxEditLength: MOST_LINE_EDITS });
  if (parts === undefined) return undefined;
  const count = (isCounted: (part: ChangeObject<string>) => boolean): number =>
    parts.filter(isCounted).reduce((sum, part) => sum + (part.count ?? 0), 0);
  return { added: count(({ added }) => added), removed: count(({ removed }) => removed), lines: count(() => true) };
}

/** As `sizeOfChange`, of several; undefined where there is none, or one takes too long to tell. */
export function sizeOfChanges(
  changes: readonly { readonly before: string; readonly after: string }[],
): ReturnType<typeof sizeOfChange> {
  const sizes = changes.map(({ before, after }) => sizeOfChange(before, after));
  if (sizes.length === 0) return undefined;
  let sum = { added: 0, removed: 0, lines: 0 };
  for (const size of sizes) {
    if (size === undefined) return undefined;
    sum = { added: sum.added + size.added, removed: sum.removed + size.removed, lines: sum.lines + size.lines };
  }
  return sum;
}
