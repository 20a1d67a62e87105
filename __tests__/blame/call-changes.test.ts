import { changesOfCall } from '../../lib/blame/call-changes.ts';

const PATCH = `*** Begin Patch
*** Add File: a.ts
+one
+two
*** Update File: b.ts
*** Move to: c.ts
@@
 before
-old
+new
@@ later
 far
+added
*** Delete File: d.ts
*** End Patch`;

/** Each hunk as its lines, those that were added with a plus. */
const shown = (name: string, args: unknown) =>
  changesOfCall(name, args).map(({ path, hunks }) => [
    path,
    ...hunks.map((hunk) => hunk.map(({ text, isAdded }) => `${isAdded ? '+' : ' '}${text}`)),
  ]);

describe('the lines that a call wrote', () => {
  it.each([
    ['file_write', { path: 'a.ts', content: 'one\ntwo\n' }, [['a.ts', ['+one', '+two']]]],
    ['Write', { file_path: '/w/a.ts', content: 'one\r\ntwo' }, [['/w/a.ts', ['+one', '+two']]]],
    ['create', { path: 'a.ts', file_text: 'one' }, [['a.ts', ['+one']]]],
    ['Edit', { file_path: 'a.ts', old_string: 'a\nb', new_string: 'a\nnew\nb' }, [['a.ts', [' a', '+new', ' b']]]],
    [
      'MultiEdit',
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'gone', new_string: '' },
        ],
      },
      [['a.ts', ['+y']]],
    ],
    ['replace', { file_path: 'a.ts', old_string: 'x', new_string: 'x\nnew' }, [['a.ts', [' x', '+new']]]],
    ['edit', { filePath: 'a.ts', oldString: 'x', newString: 'z' }, [['a.ts', ['+z']]]],
    ['edit', { path: 'a.ts', edits: [{ oldText: 'x', newText: 'z' }] }, [['a.ts', ['+z']]]],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x = 1' }, [['a.ipynb', ['+x = 1']]]],
    [
      'apply_patch',
      { input: PATCH },
      [
        ['a.ts', ['+one', '+two']],
        ['c.ts', [' before', '+new'], [' far', '+added']],
      ],
    ],
    [
      'shell',
      { command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF`] },
      [
        ['a.ts', ['+one', '+two']],
        ['c.ts', [' before', '+new'], [' far', '+added']],
      ],
    ],
    ['Edit', { file_path: 'a.ts', old_string: 'a\nb', new_string: 'a' }, []],
    ['Read', { file_path: 'a.ts' }, []],
    ['bash', { command: 'sed -i s/a/b/ a.ts' }, []],
    ['write_file', { file_path: 'a.ts' }, []],
    ['Edit', { file_path: 1, old_string: 2 }, []],
    ['Edit', 'text', []],
    ['Edit', null, []],
  ])('%s %j', (name, args, changes) => {
    expect(shown(name, args)).toEqual(changes);
  });
});
