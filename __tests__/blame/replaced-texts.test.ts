import fc from 'fast-check';
import { replacedTexts } from '../../lib/blame/replaced-texts.ts';

describe('the change of an edit', () => {
  it('is one place, several, or a whole file', () => {
    const one = { old_string: 'a', new_string: 'b' };
    expect(replacedTexts({ name: 'Edit', args: one })).toEqual([{ before: 'a', after: 'b' }]);
    const edits = [one, { oldText: 'c', newText: 'd' }, null, 'x'];
    expect(replacedTexts({ name: 'MultiEdit', args: { file_path: 'f', edits } })).toEqual([
      { before: 'a', after: 'b' },
      { before: 'c', after: 'd' },
    ]);
    for (const name of ['Write', 'file_write', 'write_file'])
      expect(replacedTexts({ name, args: { path: 'f', content: 'all' } })).toEqual([{ before: '', after: 'all' }]);
    expect(replacedTexts({ name: 'send_mail', args: { content: 'all' } })).toEqual([]);
  });

  it('is read from a patch, file by file and hunk by hunk', () => {
    const input = [
      '*** Begin Patch',
      '*** Update File: src/a.ts',
      '@@ function f()',
      ' const x = 1;',
      '-return x;',
      '+return x + 1;',
      '@@',
      '-old',
      '*** Add File: b.md',
      '+# New',
      '*** Delete File: gone.txt',
      '*** End Patch',
    ].join('\n');
    expect(replacedTexts({ name: 'apply_patch', args: { input } })).toEqual([
      { path: 'src/a.ts', before: 'const x = 1;\nreturn x;\n', after: 'const x = 1;\nreturn x + 1;\n' },
      { path: 'src/a.ts', before: 'old\n', after: '' },
      { path: 'b.md', before: '', after: '# New\n' },
      { path: 'gone.txt', before: '', after: '' },
    ]);
  });

  it('is read from any arguments without a failure', () => {
    const text = fc.constantFrom('*** Begin Patch', '@@', '+a', '-b', ' c', '*** Update File: x', '*** End Patch', '');
    fc.assert(
      fc.property(fc.array(text), fc.jsonValue(), fc.string(), (lines, value, name) => {
        const input = `*** Begin Patch\n${lines.join('\n')}`;
        for (const args of [{ input }, { edits: value }, { content: value, old_string: value }] as object[]) {
          for (const { before, after } of replacedTexts({ name, args: args as Record<string, unknown> }))
            expect([typeof before, typeof after]).toEqual(['string', 'string']);
        }
      }),
      { numRuns: 200 },
    );
  });
});
