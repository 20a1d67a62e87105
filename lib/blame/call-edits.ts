// The edits of files that a call asks for, as far as its arguments say: of the tools of ollm and of other programs.
// Every list, diff and comparison of changes that is made from arguments begins here.

export interface CallEdit {
  /** As the call names it. Absent where its arguments name no file. */
  readonly path?: string | undefined;
  /** The name of the file before, where the call moves it. */
  readonly movedFrom?: string | undefined;
  /** The replaced text. Empty where the arguments do not have it. */
  readonly before: string;
  readonly after: string;
  /** Whether `after` is the whole file. */
  readonly isWhole: boolean;
  /** The lines of both texts, where the arguments are a patch. */
  readonly lines?: readonly PatchLine[] | undefined;
}

interface PatchLine {
  readonly mark: ' ' | '+' | '-';
  readonly text: string;
}

type Arguments = Readonly<Record<string, unknown>>;

const PATHS = ['path', 'file_path', 'filePath', 'notebook_path', 'target_file'];
const OLD = ['old_string', 'oldString', 'old_str', 'oldText'];
const NEW = ['new_string', 'newString', 'new_str', 'newText', 'new_source'];
const CONTENTS = ['content', 'contents', 'file_text'];
const EDITS = ['edits', 'replacements'];
const WRITES = /^(?:write|write_?file|file_?write|create|create_?file)$/i;
const CHANGES =
  /^(?:edit|multi_?edit|file_?edit|notebook_?edit|str_?replace|search_?replace|replace|write|write_?file|file_?write|create|create_?file)$/i;
const PATCH_BEGIN = '*** Begin Patch\n';
const PATCH_END = '\n*** End Patch';

/**
 * The list is empty if the call is not an edit.
 *
 * @example
 * editsOfCall('Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' });
 * // [{ path: 'a.ts', before: 'a', after: 'b', isWhole: false }]
 */
export function editsOfCall(name: string, args: unknown): readonly CallEdit[] {
  if (!isArguments(args)) return [];
  const patches = textsIn(args).flatMap((text) => [...patchesIn(text)]);
  if (patches.length > 0) return patches.flatMap(editsOfPatch);
  const path = pathOfCall(args);
  const content = writesWholeFile(name) ? textOf(args, CONTENTS) : undefined;
  if (content !== undefined) return path === undefined ? [] : [{ path, before: '', after: content, isWhole: true }];
  const edits = EDITS.map((each) => args[each]).find(Array.isArray);
  return (edits ?? [args]).flatMap((edit) => editOf(edit, path));
}

/**
 * The files that a call changes, also where its arguments do not say how.
 *
 * @example
 * changedPaths('Edit', { file_path: '/home/me/a.ts', old_string: 'a', new_string: 'b' }); // ['/home/me/a.ts']
 */
export function changedPaths(name: string, args: unknown): readonly string[] {
  const edited = editsOfCall(name, args).flatMap(({ movedFrom, path }) => [movedFrom, path]);
  const named = edited.length === 0 && CHANGES.test(name) ? [pathOfCall(args)] : [];
  return [...new Set([...edited, ...named].filter((path) => path !== undefined))];
}

/** The file that the arguments of a call name. */
export function pathOfCall(args: unknown): string | undefined {
  return textOf(args, PATHS);
}

/** Whether the tool writes the whole file, and not a part of it. */
export function writesWholeFile(tool: string): boolean {
  return WRITES.test(tool);
}

/** An edit without the text before is one only where a file is named: the arguments of other tools have such texts. */
function editOf(edit: unknown, path: string | undefined): CallEdit[] {
  const [before = path && '', after] = [textOf(edit, OLD), textOf(edit, NEW)];
  return before === undefined || after === undefined ? [] : [{ path, before, after, isWhole: false }];
}

/** The patches in a text, which may be a command. Each character of it is read once. */
function* patchesIn(text: string): Generator<string, void, void> {
  for (let from = text.indexOf(PATCH_BEGIN); from >= 0; ) {
    const end = text.indexOf(PATCH_END, from + PATCH_BEGIN.length);
    if (end < 0) return;
    yield text.slice(from, end);
    from = text.indexOf(PATCH_BEGIN, end);
  }
}

/** The form of `apply_patch`: files, and in them hunks whose lines begin with a space, `+` or `-`. */
function editsOfPatch(patch: string): CallEdit[] {
  const files: { path: string; movedFrom?: string; hunks: PatchLine[][] }[] = [];
  for (const line of patch.split('\n')) {
    const [, header, name] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line) ?? [];
    const file = files.at(-1);
    if (header === 'Move to' && file !== undefined) {
      file.movedFrom = file.path;
      file.path = name!.trim();
    } else if (name !== undefined) files.push({ path: name.trim(), hunks: [[]] });
    else if (file === undefined || line.startsWith('***')) continue;
    // A hunk begins: the lines between two of them are not in the patch.
    else if (line.startsWith('@@')) file.hunks.push([]);
    else file.hunks.at(-1)!.push({ mark: line[0] === '+' || line[0] === '-' ? line[0] : ' ', text: line.slice(1) });
  }
  return files.flatMap(({ hunks, ...file }) => {
    const filled = hunks.filter((lines) => lines.length > 0);
    // A file without lines is removed, moved or empty.
    return (filled.length > 0 ? filled : [[]]).map((lines) => ({
      ...file,
      before: textWithout('+', lines),
      after: textWithout('-', lines),
      isWhole: false,
      lines,
    }));
  });
}

function textWithout(left: '+' | '-', lines: readonly PatchLine[]): string {
  return lines.flatMap(({ mark, text }) => (mark === left ? [] : [`${text}\n`])).join('');
}

function isArguments(args: unknown): args is Arguments {
  return typeof args === 'object' && args !== null;
}

function textOf(args: unknown, names: readonly string[]): string | undefined {
  return isArguments(args) ? names.map((name) => args[name]).find((value) => typeof value === 'string') : undefined;
}

/** The texts of arguments, also those of a command that is a list of words. */
function textsIn(args: Arguments): string[] {
  return Object.values(args).flatMap((value) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [],
  );
}
