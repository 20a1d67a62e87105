import { changedPaths } from '../../lib/blame/call-edits.ts';

const PATCH =
  '*** Begin Patch\n*** Add File: a.ts\n+a\n*** Update File: b.ts\n*** Move to: c.ts\n@@\n-b\n+c\n*** End Patch\n';

it.each([
  ['file_edit', { path: 'a.ts', old_string: 'a', new_string: 'b' }, ['a.ts']],
  ['Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }, ['/w/a.ts']],
  ['MultiEdit', { file_path: '/w/a.ts', edits: [] }, ['/w/a.ts']],
  ['NotebookEdit', { notebook_path: '/w/a.ipynb' }, ['/w/a.ipynb']],
  ['write_file', { file_path: 'a.ts', content: '' }, ['a.ts']],
  ['replace', { file_path: 'a.ts' }, ['a.ts']],
  ['edit', { filePath: 'a.ts', oldString: '', newString: '' }, ['a.ts']],
  ['create', { path: 'a.ts', file_text: '' }, ['a.ts']],
  ['apply_patch', { input: PATCH }, ['a.ts', 'b.ts', 'c.ts']],
  ['apply_patch', { patchText: PATCH }, ['a.ts', 'b.ts', 'c.ts']],
  ['Read', { file_path: 'a.ts' }, []],
  ['bash', { command: 'rm a.ts', path: 'a.ts' }, []],
  ['Edit', { file_path: 7 }, []],
  ['Edit', 'a.ts', []],
  ['Edit', null, []],
])('%s with %j changes %j', (name, args, paths) => {
  expect(changedPaths(name, args)).toEqual(paths);
});
