// Which files a call changes, as far as it is in its arguments: of the tools of ollm and of other programs.

const EDITS =
  /^(?:edit|multi_?edit|file_?edit|notebook_?edit|str_?replace|search_?replace|replace|write|write_?file|file_?write|create|create_?file)$/i;
const PATHS = ['path', 'file_path', 'filePath', 'notebook_path', 'target_file'];
const PATCHES = ['input', 'patch', 'patchText', 'raw'];
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/**
 * @example
 * changedPaths('Edit', { file_path: '/home/me/a.ts', old_string: 'a', new_string: 'b' }); // ['/home/me/a.ts']
 */
export function changedPaths(name: string, args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return [];
  const members = args as Readonly<Record<string, unknown>>;
  const textIn = (names: readonly string[]) =>
    names.map((each) => members[each]).find((value): value is string => typeof value === 'string');
  const patch = textIn(PATCHES);
  if (patch?.trimStart().startsWith('*** Begin Patch')) {
    return [...new Set(Array.from(patch.matchAll(PATCHED), ([, path]) => path!.trim()))];
  }
  const path = EDITS.test(name) ? textIn(PATHS) : undefined;
  return path === undefined ? [] : [path];
}
