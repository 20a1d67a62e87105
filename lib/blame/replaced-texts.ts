// The texts that an edit replaces in files, as far as they are in the arguments of its call.

export interface ReplacedText {
  /** Absent where the arguments name one file for all. */
  readonly path?: string | undefined;
  readonly before: string;
  readonly after: string;
}

const BEFORE = ['old_string', 'oldString', 'old_str', 'oldText'];
const AFTER = ['new_string', 'newString', 'new_str', 'newText'];
const WRITES = /^(?:write|write_?file|file_?write|create_?file)$/i;

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The list is empty if the call is not an edit.
 * @example replacedTexts({ name: 'Edit', args: { old_string: 'a', new_string: 'b' } }) // [{ before: 'a', after: 'b' }]
 */
export function replacedTexts({
  name,
  args,
}: {
  readonly name: string;
  readonly args: Arguments;
}): readonly ReplacedText[] {
  const patch = textOf(args, ['input', 'patch']);
  if (patch?.startsWith('*** Begin Patch')) return changesOfPatch(patch);
  if (Array.isArray(args.edits)) return args.edits.flatMap((edit: unknown) => replacementOf(edit));
  const content = textOf(args, ['content', 'contents', 'file_text']);
  if (isWholeWrite(name) && content !== undefined) return [{ before: '', after: content }];
  return replacementOf(args);
}

/** Whether a call of this tool writes a file as a whole. */
export function isWholeWrite(name: string): boolean {
  return WRITES.test(name);
}

function replacementOf(args: unknown): ReplacedText[] {
  const before = textOf(args, BEFORE);
  const after = textOf(args, AFTER);
  return before === undefined || after === undefined ? [] : [{ before, after }];
}

/** The form of `apply_patch`: files, and in them hunks whose lines begin with a space, `+` or `-`. */
function changesOfPatch(patch: string): ReplacedText[] {
  const changes: { path: string; before: string[]; after: string[] }[] = [];
  for (const line of patch.split('\n')) {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1];
    const last = changes.at(-1);
    if (file !== undefined) changes.push({ path: file, before: [], after: [] });
    else if (last === undefined || line.startsWith('***')) continue;
    // A hunk begins: the lines between two of them are not in the patch.
    else if (line.startsWith('@@')) changes.push({ path: last.path, before: [], after: [] });
    else if (line.startsWith('+')) last.after.push(line.slice(1));
    else if (line.startsWith('-')) last.before.push(line.slice(1));
    else {
      last.before.push(line.slice(1));
      last.after.push(line.slice(1));
    }
  }
  return changes.flatMap(({ path, before, after }, index) => {
    const isEmpty = before.length === 0 && after.length === 0;
    // A file without lines is said if nothing else of it is.
    if (isEmpty && changes[index + 1]?.path === path) return [];
    return [{ path, before: ended(before), after: ended(after) }];
  });
}

function ended(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function textOf(args: unknown, names: readonly string[]): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const found = names.map((name) => (args as Readonly<Record<string, unknown>>)[name]);
  return found.find((value) => typeof value === 'string');
}
