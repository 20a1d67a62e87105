// The lines of a file's difference, each added run with the call that wrote it.
import type { SentChanges } from '../api/types.ts';
import type { DiffLine } from './line-diff.ts';
import { linesOfPatch } from './patch-lines.ts';
import { exact } from './visible.ts';

export interface AuthoredLine extends DiffLine {
  /** seq of a call whose run of lines begins here. */
  readonly begins?: number | undefined;
}

const NO_CALL = -1;

/** @example authoredLines({ diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', authors: [7] })[1].begins // 7 */
export function authoredLines({
  diff,
  authors,
}: Pick<SentChanges['files'][number], 'diff' | 'authors'>): readonly AuthoredLine[] {
  const lines = linesOfPatch(exact(diff)) ?? [];
  let added = 0;
  let last = NO_CALL;
  return lines.map((line) => {
    if (line.sign !== '+') {
      // A removed line within a run of one call does not end it.
      if (line.sign !== '-') last = NO_CALL;
      return line;
    }
    const author = authors[added] ?? NO_CALL;
    added += 1;
    const begins = author !== NO_CALL && author !== last ? author : undefined;
    last = author;
    return begins === undefined ? line : { ...line, begins };
  });
}
