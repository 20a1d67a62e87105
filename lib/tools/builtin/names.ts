// What the built-in tools are called, for those who have none at hand.

export const BUILTIN_TOOL_NAMES: readonly string[] = [
  'file_read',
  'file_write',
  'file_edit',
  'list_files',
  'search_files',
  'bash',
  'git',
  'history_read',
];
