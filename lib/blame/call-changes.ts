// Which lines a call wrote into which files, as far as its arguments say: of the tools of ollm and of other programs.
// Only added lines are claimed; the lines around them are context.
import { diffArrays } from 'diff';

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

const PATHS = ['path', 'file_path', 'filePath', 'notebook_path', 'target_file'];
const OLD = ['old_string', 'oldString', 'old_str', 'oldText'];
const NEW = ['new_string', 'newString', 'new_str', 'newText', 'new_source'];
const CONTENTS = ['content', 'contents', 'file_text'];
const EDITS = ['edits', 'replacements'];
const WRITES = /^(?:write|write_?file|file_?write|create|create_?file)$/i;
const PATCH = /\*\*\* Begin Patch\n[\s\S]*?\n\*\*\* End Patch/g;

/**
 * @example
 * changesOfCall('Write', { file_path: 'a.ts', content: 'a\n' });
 * // [{ path: 'a.ts', hunks: [[{ text: 'a', isAdded: true }]] }]
 */
export function changesOfCall(name: string, args: unknown): readonly FileChangeOfCall[] {
  if (typeof args !== 'object' || args === null) return [];
  const patches = textsIn(args).flatMap((text) => text.match(PATCH) ?? []);
  if (patches.length > 0) return patches.flatMap(changesOfPatch);
  const path = textOf(args, PATHS);
  if (path === undefined) return [];
  const content = WRITES.test(name) ? textOf(args, CONTENTS) : undefined;
  if (content !== undefined) return [{ path, hunks: [added(linesOf(content))] }];
  const edits = EDITS.map((each) => (args as Readonly<Record<string, unknown>>)[each]).find(Array.isArray);
  const hunks = (edits ?? [args]).flatMap(hunkOfEdit);
  return hunks.length === 0 ? [] : [{ path, hunks }];
}

/** The file that the arguments of a call name. */
export function pathOfCall(args: unknown): string | undefined {
  return textOf(args, PATHS);
}

function hunkOfEdit(edit: unknown): ChangedHunk[] {
  const [before, after] = [textOf(edit, OLD), textOf(edit, NEW)];
  if (after === undefined) return [];
  const hunk = diffArrays(linesOf(before ?? ''), linesOf(after)).flatMap(({ value, added: isAdded, removed }) =>
    removed ? [] : value.map((text) => ({ text, isAdded })),
  );
  return hunk.some(({ isAdded }) => isAdded) ? [hunk] : [];
}

/** Whether the tool writes the whole file, and not a part of it. */
export function writesWholeFile(tool: string): boolean {
  return WRITES.test(tool);
}

/** The form of `apply_patch`: files, and in them hunks whose lines begin with a space, `+` or `-`. */
function changesOfPatch(patch: string): FileChangeOfCall[] {
  const changes: { path: string; hunks: ChangedLine[][] }[] = [];
  for (const line of patch.split('\n')) {
    const [, header, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line) ?? [];
    const last = changes.at(-1);
    if (header === 'Move to' && last !== undefined) last.path = path!.trim();
    else if (path !== undefined) changes.push({ path: path.trim(), hunks: [[]] });
    else if (last === undefined || line.startsWith('***')) continue;
    else if (line.startsWith('@@')) last.hunks.push([]);
    else if (!line.startsWith('-')) {
      last.hunks.at(-1)!.push({ text: line.slice(1), isAdded: line.startsWith('+') });
    }
  }
  return changes.flatMap(({ path, hunks }) => {
    const telling = hunks.filter((hunk) => hunk.some(({ isAdded }) => isAdded));
    return telling.length === 0 ? [] : [{ path, hunks: telling }];
  });
}

function added(lines: readonly string[]): ChangedHunk {
  return lines.map((text) => ({ text, isAdded: true }));
}

/** Without a last line that is empty: a text ends with a line break or not. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function textOf(args: unknown, names: readonly string[]): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const found = names.map((name) => (args as Readonly<Record<string, unknown>>)[name]);
  return found.find((value) => typeof value === 'string');
}

/** The texts of arguments, also those of a command that is a list of words. */
function textsIn(args: object): string[] {
  return Object.values(args).flatMap((value: unknown) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [],
  );
}
