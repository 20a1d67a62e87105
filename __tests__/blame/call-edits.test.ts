import fc from 'fast-check';
import { changesOfCall } from '../../lib/blame/call-changes.ts';
import { changedPaths, editsOfCall } from '../../lib/blame/call-edits.ts';

const patchOf = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const shown = (name: string, args: unknown) =>
  editsOfCall(name, args).map(({ path, before, after, isWhole }) => [
    path,
    before,
    after,
    ...(isWhole ? ['whole'] : []),
  ]);

describe('the edits of a call', () => {
  it('are one place, several, or a whole file', () => {
    const one = { old_string: 'a', new_string: 'b' };
    expect(shown('Edit', one)).toEqual([[undefined, 'a', 'b']]);
    const edits = [one, { oldText: 'c', newText: 'd' }, null, 'x'];
    expect(shown('MultiEdit', { file_path: 'f', edits })).toEqual([
      ['f', 'a', 'b'],
      ['f', 'c', 'd'],
    ]);
    expect(shown('NotebookEdit', { notebook_path: 'f', new_source: 'x = 1' })).toEqual([['f', '', 'x = 1']]);
    for (const name of ['Write', 'file_write', 'write_file', 'create'])
      expect(shown(name, { path: 'f', content: 'all' })).toEqual([['f', '', 'all', 'whole']]);
  });

  it('are none where the arguments only look like those of an edit', () => {
    expect(shown('send_mail', { path: 'f', content: 'all' })).toEqual([]);
    expect(shown('create', { title: 'f', content: 'all' })).toEqual([]);
    expect(shown('rename', { new_string: 'b' })).toEqual([]);
  });

  it.each(['input', 'patch', 'patchText', 'command'])('are read from a patch in “%s”, hunk by hunk', (name) => {
    const patch = patchOf(
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
      '*** Update File: c.ts',
      '*** Move to: d.ts',
    );
    const args = { [name]: name === 'command' ? ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] : patch };
    expect(shown('shell', args)).toEqual([
      ['src/a.ts', 'const x = 1;\nreturn x;\n', 'const x = 1;\nreturn x + 1;\n'],
      ['src/a.ts', 'old\n', ''],
      ['b.md', '', '# New\n'],
      ['gone.txt', '', ''],
      ['d.ts', '', ''],
    ]);
    expect(changedPaths('shell', args)).toEqual(['src/a.ts', 'b.md', 'gone.txt', 'c.ts', 'd.ts']);
  });

  it('are the same texts, paths and added lines in every view of them, for any arguments', () => {
    const line = fc.constantFrom('@@', '+a', '-b', ' c', '', '*** Update File: x', '*** Add File: y', '*** Move to: z');
    const member = fc.constantFrom('path', 'old_string', 'new_string', 'content', 'edits', 'replacements', 'input');
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(line).map((lines) => `before\n${patchOf(...lines)}\nbetween\n${patchOf(...lines)}`),
      fc.array(fc.record({ old_string: fc.string(), new_string: fc.string() })),
    );
    const name = fc.constantFrom('Edit', 'Write', 'create', 'apply_patch', 'bash');
    fc.assert(
      fc.property(name, fc.oneof(fc.dictionary(member, value), fc.jsonValue()), (tool, args) => {
        const edits = editsOfCall(tool, args);
        const named = edits.flatMap(({ path, movedFrom }) => [movedFrom, path].filter((each) => each !== undefined));
        if (edits.length > 0) expect(changedPaths(tool, args)).toEqual([...new Set(named)]);
        for (const { before, after, lines = [] } of edits) {
          for (const [mark, text] of lines.length > 0
            ? ([
                ['+', before],
                ['-', after],
              ] as const)
            : []) {
            expect(lines.flatMap((each) => (each.mark === mark ? [] : [`${each.text}\n`])).join('')).toBe(text);
          }
        }
        for (const { path, hunks } of changesOfCall(tool, args)) {
          const texts = edits.filter((edit) => edit.path === path).map(({ after }) => after.replaceAll('\r\n', '\n'));
          for (const hunk of hunks)
            expect(
              texts.some((text) =>
                endsAsLines(
                  text,
                  hunk.map((each) => each.text),
                ),
              ),
            ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Whether these are all lines of the text, with or without an end of the last. */
function endsAsLines(text: string, lines: readonly string[]): boolean {
  return text === lines.join('\n') || text === lines.map((line) => `${line}\n`).join('');
}
