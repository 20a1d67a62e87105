import fc from 'fast-check';
import { wordsOf } from '../../../lib/page/model/changed-words.ts';
import { linesOfPatch } from '../../../lib/page/model/patch-lines.ts';
import { unifiedDiff } from '../../../lib/tools/builtin/unified-diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'a b', '--- a', '+++ b', '@@ -1 +1 @@', '\\ x', ''), { maxLength: 30 })
  .map((lines) => lines.join('\n'));
const rowsOf = (patch: string) =>
  linesOfPatch(patch, wordsOf)?.map(({ sign, before, after, words }) => [
    sign,
    before,
    after,
    words.map((word) => word.text).join(''),
  ]);

describe('the lines of a diff in a question', () => {
  it('are all lines of the diff, each with its sign', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { text: patch } = await unifiedDiff('x', before, after);
        if (patch === '') return;
        const shown = linesOfPatch(patch, wordsOf)!.filter(({ sign }) => sign !== '~');
        const given = patch
          .replace(/\n$/, '')
          .split('\n')
          .slice(2)
          .filter((line) => !line.startsWith('@@') && !line.startsWith('\\'));
        expect(shown.map(({ sign, words }) => sign + words.map((word) => word.text).join(''))).toEqual(given);
      }),
    );
  });

  it('have their numbers in the file, and a remark if some are left out', async () => {
    const before = Array.from({ length: 40 }, (_, at) => `row ${at + 1}\n`).join('');
    const after = before.replace('row 2\n', 'row two\n').replace('row 39\n', '');
    const rows = rowsOf((await unifiedDiff('x', before, after)).text)!;
    expect(rows).toContainEqual(['-', 2, undefined, 'row 2']);
    expect(rows).toContainEqual(['+', undefined, 2, 'row two']);
    expect(rows).toContainEqual(['~', undefined, undefined, '…']);
    expect(rows).toContainEqual(['-', 39, undefined, 'row 39']);
    expect(rows).toContainEqual([' ', 40, 39, 'row 40']);
  });

  it('mark the words that differ, and a last line without an end', async () => {
    const lines = linesOfPatch((await unifiedDiff('x', 'let a = 1;', 'let b = 1;\n')).text, wordsOf)!;
    expect(lines.map(({ sign }) => sign)).toEqual(['-', '~', '+']);
    const marked = (at: number) => lines[at]!.words.filter(({ isChanged }) => isChanged).map((word) => word.text);
    expect([marked(0), marked(2)]).toEqual([['a'], ['b']]);
  });

  it.each([
    ['nothing', ''],
    ['no diff', 'rm -rf x'],
    ['a head without lines', '--- a/x\n+++ b/x\n'],
    ['fewer lines than the head says', '--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n'],
    ['more lines than the head says', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n'],
    ['a line without a sign', '--- a/x\n+++ b/x\n@@ -1 +1 @@\na\n+b\n'],
  ])('are not guessed: %s', (_, patch) => {
    expect(linesOfPatch(patch, wordsOf)).toBeUndefined();
  });
});
