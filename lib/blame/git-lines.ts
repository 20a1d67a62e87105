// The output of `git blame --line-porcelain`: for each line its commit, when that was made, and the name of the file in
// it.

export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Undefined for a line that is not committed. */
  readonly commit: string | undefined;
  /** Milliseconds since 1970; undefined for a line that is not committed. */
  readonly authoredMs: number | undefined;
  readonly committedMs: number | undefined;
  /** Name of the file in that commit, from the root of the repository. */
  readonly name: string;
}

const UNCOMMITTED = /^0+$/;

/** A part that is cut off at the end is left out. */
export function blamedLines(output: string): BlamedLine[] {
  const lines: BlamedLine[] = [];
  let head: { commit: string; line: number } | undefined;
  let members = new Map<string, string>();
  for (const row of output.split('\n')) {
    const [, commit, line] = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/.exec(row) ?? [];
    if (head === undefined) {
      if (commit === undefined) continue;
      head = { commit, line: Number(line) };
      members = new Map();
    } else if (row.startsWith('\t')) {
      const isCommitted = !UNCOMMITTED.test(head.commit);
      lines.push({
        line: head.line,
        text: row.slice(1).replace(/\r$/, ''),
        commit: isCommitted ? head.commit : undefined,
        authoredMs: isCommitted ? secondsOf(members.get('author-time')) : undefined,
        committedMs: isCommitted ? secondsOf(members.get('committer-time')) : undefined,
        name: members.get('filename') ?? '',
      });
      head = undefined;
    } else {
      const space = row.indexOf(' ');
      if (space > 0) members.set(row.slice(0, space), row.slice(space + 1));
    }
  }
  return lines;
}

function secondsOf(text: string | undefined): number | undefined {
  const seconds = Number(text);
  return text === undefined || !Number.isFinite(seconds) ? undefined : seconds * 1000;
}
