// The difference of two texts as a unified diff, for people who decide on it. Always complete and always soon there:
// what differs too much to be compared line by line is shown as all of the old lines and all of the new ones.

/** Lines that may differ before the search for the shortest difference is given up. */
const MAX_EDIT_LENGTH = 1000;
const CONTEXT_LINES = 3;

interface Difference {
  /** Empty if there is none. */
  readonly text: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

/**
 * `before` is undefined for a file that is made. `path` is in the head of the diff, with control characters escaped.
 */
export async function unifiedDiff(path: string, before: string | undefined, after: string): Promise<Difference> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const name = /[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path).slice(1, -1) : path;
  const oldName = before === undefined ? '/dev/null' : `a/${name}`;
  const options = { context: CONTEXT_LINES };
  const patch =
    structuredPatch(oldName, `b/${name}`, before ?? '', after, undefined, undefined, {
      ...options,
      maxEditLength: MAX_EDIT_LENGTH,
    }) ?? wholePatch(oldName, `b/${name}`, before ?? '', after);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    text: patch.hunks.length === 0 ? '' : formatPatch(patch, FILE_HEADERS_ONLY),
    addedLines: lines.filter((line) => line.startsWith('+')).length,
    removedLines: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Everything except the lines that both begin and end with. */
function wholePatch(oldFileName: string, newFileName: string, before: string, after: string) {
  const [old, next] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  const shared = Math.min(old.length, next.length) - head;
  while (tail < shared && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const marked = (sign: string, lines: readonly string[]) => lines.flatMap((line) => signed(sign, line));
  const above = old.slice(Math.max(0, head - CONTEXT_LINES), head);
  const below = old.slice(old.length - tail, old.length - tail + CONTEXT_LINES);
  const removed = old.slice(head, old.length - tail);
  const added = next.slice(head, next.length - tail);
  const hunk = {
    oldStart: head - above.length + 1,
    newStart: head - above.length + 1,
    oldLines: above.length + removed.length + below.length,
    newLines: above.length + added.length + below.length,
    lines: [...marked(' ', above), ...marked('-', removed), ...marked('+', added), ...marked(' ', below)],
  };
  const headers = { oldHeader: undefined, newHeader: undefined };
  return { oldFileName, newFileName, ...headers, hunks: [hunk] };
}

/** With their line ends, except a last one that has none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function signed(sign: string, line: string): string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'];
}
