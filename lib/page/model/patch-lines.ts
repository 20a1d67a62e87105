// Lines of a unified diff of one file, as the question of a change has it. Read strictly: the shown change must be the
// allowed one.
import type { DiffLine, WordsOf } from './line-diff.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const LEFT_OUT: DiffLine = { sign: '~', words: [{ text: '…', isChanged: false }] };

interface Changed {
  readonly sign: ' ' | '+' | '-' | '~';
  readonly text: string;
}

/**
 * Undefined if it is not such a diff, to the last line; its text is then to be shown as it is. `wordsOf`: as in
 * `linesOfChange`.
 * @example linesOfPatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n') // '-a', '+b'
 */
export function linesOfPatch(patch: string, wordsOf: WordsOf = () => undefined): readonly DiffLine[] | undefined {
  const [first, second, ...rest] = patch.replace(/\n$/, '').split('\n');
  if (!first?.startsWith('--- ') || !second?.startsWith('+++ ')) return undefined;
  const lines: DiffLine[] = [];
  let at = 0;
  while (at < rest.length) {
    const head = HUNK.exec(rest[at]!);
    if (head === null) return undefined;
    const [before, after] = [Number(head[1]), Number(head[3])];
    const hunk = hunkOf(rest.slice(at + 1), Number(head[2] ?? 1), Number(head[4] ?? 1));
    if (hunk === undefined) return undefined;
    if (lines.length > 0) lines.push(LEFT_OUT);
    lines.push(...numbered(hunk, before, after, wordsOf));
    at += 1 + hunk.length;
  }
  return lines.length === 0 ? undefined : lines;
}

/** The lines of a hunk with these numbers of lines of each side; undefined if it has others. */
function hunkOf(lines: readonly string[], before: number, after: number): readonly Changed[] | undefined {
  const hunk: Changed[] = [];
  let [old, now] = [before, after];
  for (const line of lines) {
    const sign = line[0];
    if (sign === '\\') {
      hunk.push({ sign: '~', text: 'without a line end' });
      continue;
    }
    if (old === 0 && now === 0) break;
    if (sign !== ' ' && sign !== '-' && sign !== '+') return undefined;
    if (sign !== '+') old -= 1;
    if (sign !== '-') now -= 1;
    hunk.push({ sign, text: line.slice(1) });
  }
  return old === 0 && now === 0 ? hunk : undefined;
}

function numbered(hunk: readonly Changed[], firstBefore: number, firstAfter: number, wordsOf: WordsOf): DiffLine[] {
  const words = changedWordsOf(hunk, wordsOf);
  let [before, after] = [firstBefore, firstAfter];
  return hunk.map(({ sign, text }, index) => ({
    sign,
    words: words.get(index) ?? [{ text, isChanged: false }],
    ...(sign === ' ' || sign === '-' ? { before: before++ } : {}),
    ...(sign === ' ' || sign === '+' ? { after: after++ } : {}),
  }));
}

/** By index of the line: the words of it, where lines were removed and others added in their place. */
function changedWordsOf(hunk: readonly Changed[], wordsOf: WordsOf): ReadonlyMap<number, DiffLine['words']> {
  const found = new Map<number, DiffLine['words']>();
  for (let at = 0; at < hunk.length; ) {
    const removed = runOf(hunk, at, '-');
    const begin = at + removed.length + (hunk[at + removed.length]?.sign === '~' ? 1 : 0);
    const added = runOf(hunk, begin, '+');
    if (removed.length > 0 && added.length > 0) {
      const [before, after] = [removed.join('\n'), added.join('\n')];
      for (const [index, line] of (wordsOf(before, after, 'removed') ?? []).entries()) found.set(at + index, line);
      for (const [index, line] of (wordsOf(before, after, 'added') ?? []).entries()) found.set(begin + index, line);
    }
    at = Math.max(begin + added.length, at + 1);
  }
  return found;
}

/** Texts of the lines from `at` on that have a sign. */
function runOf(hunk: readonly Changed[], at: number, sign: Changed['sign']): readonly string[] {
  const end = hunk.findIndex((line, index) => index >= at && line.sign !== sign);
  return hunk.slice(at, end === -1 ? hunk.length : end).map(({ text }) => text);
}
