// The menu below a message while an `@path` is typed: the matching files, best first. They come while the project is
// still walked.
import { type StyledLine, spanOf } from '../display/paint.ts';
import { fitEnd } from '../display/width.ts';
import { namedFileIn, type OfferedFiles, typedIn } from './completion.ts';
import { MOST_FOUND } from './file-index.ts';
import { MOST_LISTED, moreRow } from './menu-rows.ts';

/** Empty for a text that does not end in an `@path`, and while no file is found. */
export function fileMenu(files: OfferedFiles, text: string, columns: number): readonly StyledLine[] {
  const named = namedFileIn(text);
  if (named === undefined) return [];
  files.begin();
  const typed = typedIn(named);
  const found = files.find(typed);
  if (found.length === 0 || found[0] === typed) return [];
  const rows = found.slice(0, MOST_LISTED).map((path): StyledLine => [spanOf(fitEnd(path, columns), 'cyan')]);
  const more = found.length - MOST_LISTED;
  if (found.length === 1) return [...rows, [spanOf('Tab completes', 'dim')]];
  return [...rows, moreRow(more, { isCut: found.length === MOST_FOUND })];
}
