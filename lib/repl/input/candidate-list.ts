// What Tab could have meant, as a list in columns below the line.
import { fitWidth, textWidth } from '../../display/width.ts';

const GAP = 2;
const MOST_LISTED = 100;

/** What all of them begin with. */
export function commonPrefix(candidates: readonly string[]): string {
  const [first = '', ...rest] = candidates;
  return rest.reduce((prefix, candidate) => {
    let length = 0;
    while (length < prefix.length && prefix[length] === candidate[length]) length++;
    return prefix.slice(0, length);
  }, first);
}

/** Lines of at most `columns` columns. */
export function formatCandidates(candidates: readonly string[], columns: number): string[] {
  const listed = candidates.slice(0, MOST_LISTED).map((candidate) => fitWidth(candidate.trim(), columns));
  const cell = Math.max(...listed.map((candidate) => textWidth(candidate))) + GAP;
  const perLine = Math.max(1, Math.floor((columns + GAP) / cell));
  const lines: string[] = [];
  for (let from = 0; from < listed.length; from += perLine) {
    const row = listed.slice(from, from + perLine);
    lines.push(
      row
        .map((candidate) => candidate + ' '.repeat(cell - textWidth(candidate)))
        .join('')
        .trimEnd(),
    );
  }
  const more = candidates.length - listed.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}
