// A call as an editor shows it, before it runs.
import { shownCall } from '../../lib/acp/tool-calls.ts';

const PATCH = `*** Begin Patch
*** Update File: a.ts
@@
 before
-old
+new
*** Update File: b.ts
*** Move to: /w/c.ts
*** End Patch`;

const readText = (path: string) => (path === '/p/there.ts' ? 'as it was' : undefined);
const shown = (name: string, args: unknown) => shownCall({ callId: 'c1', name, args }, { cwd: '/p', readText });

describe('a call that an editor shows', () => {
  it.each([
    ['Edit', { file_path: '/p/a.ts', old_string: 'x', new_string: 'y' }, [['/p/a.ts', 'x', 'y']]],
    [
      'MultiEdit',
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'z', new_string: '' },
        ],
      },
      [
        ['/p/a.ts', 'x', 'y'],
        ['/p/a.ts', 'z', ''],
      ],
    ],
    ['file_write', { path: 'there.ts', content: 'all' }, [['/p/there.ts', 'as it was', 'all']]],
    ['file_write', { path: 'new.ts', content: 'all' }, [['/p/new.ts', null, 'all']]],
    ['apply_patch', { input: PATCH }, [['/p/a.ts', 'before\nold\n', 'before\nnew\n']]],
  ])('%s %j has its diffs', (name, args, diffs) => {
    const { content = [] } = shown(name, args);
    expect(content).toEqual(diffs.map(([path, oldText, newText]) => ({ type: 'diff', path, oldText, newText })));
  });

  it('names its files, those of a patch too', () => {
    expect(shown('Read', { file_path: 'a.ts' }).locations).toEqual([{ path: '/p/a.ts' }]);
    expect(shown('apply_patch', { input: PATCH }).locations).toEqual([{ path: '/p/a.ts' }, { path: '/w/c.ts' }]);
    expect(shown('bash', { command: 'ls' })).not.toHaveProperty('locations');
    expect(shown('bash', { command: 'ls' })).not.toHaveProperty('content');
  });
});
