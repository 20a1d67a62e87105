// Which lines a call wrote into which files, as far as its arguments say. Only added lines are claimed; the lines
// around them are context.
import { diffArrays } from 'diff';
import { type CallEdit, editsOfCall } from './call-edits.ts';

interface ChangedLine {
  readonly text: string;
  readonly isAdded: boolean;
}

/** Lines that follow each other in the file after the change. */
export type ChangedHunk = readonly ChangedLine[];

interface FileChangeOfCall {
  /** As the call names it. */
  readonly path: string;
  readonly hunks: readonly ChangedHunk[];
}

/**
 * @example
 * changesOfCall('Write', { file_path: 'a.ts', content: 'a\n' });
 * // [{ path: 'a.ts', hunks: [[{ text: 'a', isAdded: true }]] }]
 */
export function changesOfCall(name: string, args: unknown): readonly FileChangeOfCall[] {
  const changes: { readonly path: string; readonly hunks: ChangedHunk[] }[] = [];
  for (const edit of editsOfCall(name, args)) {
    const hunk = hunkOf(edit);
    if (edit.path === undefined || !(edit.isWhole || hunk.some(({ isAdded }) => isAdded))) continue;
    const last = changes.at(-1);
    if (last?.path === edit.path) last.hunks.push(hunk);
    else changes.push({ path: edit.path, hunks: [hunk] });
  }
  return changes;
}

function hunkOf({ before, after, isWhole, lines }: CallEdit): ChangedHunk {
  if (lines !== undefined) {
    return lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [{ text, isAdded: mark === '+' }]));
  }
  if (isWhole) return linesOf(after).map((text) => ({ text, isAdded: true }));
  return diffArrays(linesOf(before), linesOf(after)).flatMap(({ value, added: isAdded, removed }) =>
    removed ? [] : value.map((text) => ({ text, isAdded })),
  );
}

/** Without a last line that is empty: a text ends with a line break or not. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
