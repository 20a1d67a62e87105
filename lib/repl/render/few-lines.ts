// A few lines of a text that may be huge, and how many are left out. Looks at no more of it than it shows, and counts
// the rest.

interface ShownExcerpt {
  readonly head: readonly string[];
  /** Lines between head and tail that are left out. */
  readonly hidden: number;
  readonly tail: readonly string[];
}

interface ExcerptSize {
  readonly head: number;
  readonly tail: number;
}

/** Longer lines are cut. */
const LONGEST_LINE = 2000;

/** All of a text of at most `head + tail + 1` lines: to say that one line is hidden takes a line as well. */
export function excerptOf(text: string, { head, tail }: ExcerptSize): ShownExcerpt {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (whole === '') return { head: [], hidden: 0, tail: [] };
  const count = countLines(whole);
  if (count <= head + tail + 1) return { head: linesOf(whole), hidden: 0, tail: [] };
  return {
    head: head === 0 ? [] : linesOf(whole.slice(0, positionOfLine(whole, head) - 1)),
    hidden: count - head - tail,
    // A last line that is empty is a line too.
    tail: tail === 0 ? [] : linesOf(whole.slice(positionOfLineFromEnd(whole, tail))),
  };
}

export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function positionOfLine(text: string, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed++) at = text.indexOf('\n', at) + 1;
  return at;
}

function positionOfLineFromEnd(text: string, lines: number): number {
  let at = text.length + 1;
  for (let passed = 0; passed < lines; passed++) at = text.lastIndexOf('\n', at - 2) + 1;
  return at;
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
}
