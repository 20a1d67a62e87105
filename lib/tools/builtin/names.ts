// The names of the built-in tools, for code that has no tool at hand.

export const WEB_FETCH = 'web_fetch';
export const WEB_SEARCH = 'web_search';

export const BUILTIN_TOOL_NAMES: readonly string[] = [
  'file_read',
  'file_write',
  'file_edit',
  'list_files',
  'search_files',
  'bash',
  'git',
  'history_read',
  'recall',
  'skill_read',
  'todo_write',
  WEB_FETCH,
  WEB_SEARCH,
  'agent',
];
