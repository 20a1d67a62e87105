// The choice of files by their outlines: which ones are cut for a question, and the counts of words in the others.
import { outlineOf } from '../../lib/ranking/outline.ts';
import { stem } from '../../lib/ranking/words.ts';
import { chooseFiles } from '../../lib/retrieval/outlines.ts';

const outlined = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([name, text]) => ({ name, stamp: '1', outline: outlineOf(text) }));
const choose = (files: Readonly<Record<string, string>>, question: string, cut: readonly string[] = []) =>
  chooseFiles(outlined(files), { home: '/home/ada/harbour', question, isCut: (name) => cut.includes(name) });

const SHIPS = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`ships/${index}.md`, `Ship ${index} has a crew and a sail.\n`]),
);

test('files with the rarer words come first, and those without any are skipped', () => {
  const { names } = choose(
    { ...SHIPS, 'a.md': 'The sextant of the crew.\n', 'b.md': 'A sextant.\n', 'c.md': 'Fog.\n' },
    'crew sextant',
  );
  expect(names.slice(0, 2).toSorted()).toEqual(['a.md', 'b.md']);
  expect(names).toHaveLength(32);
  expect(names).not.toContain('c.md');
});

test('a name that is asked for, and the README, are chosen with any text', () => {
  const { names } = choose(
    { ...SHIPS, 'lib/sextant.ts': '1;\n', 'README.md': 'Hello.\n', 'lib/rope.ts': '2;\n' },
    'sextant crew',
  );
  expect(names.slice(0, 2)).toEqual(['README.md', 'lib/sextant.ts']);
  expect(names).not.toContain('lib/rope.ts');
});

test('the words of all uncut files are counted, and those of cut ones are not', () => {
  const cut = ['ships/0.md', 'ships/1.md'];
  const { names, uncut } = choose({ ...SHIPS, 'c.md': 'Fog.\n' }, 'crew of the sextant in fog', cut);
  for (const name of cut) expect(names).not.toContain(name);
  const left = 101 - cut.length - names.length;
  expect(left).toBeGreaterThan(60);
  expect(uncut.passages).toBe(left);
  expect(uncut.holding(stem('crew'))).toBe(left);
  expect(uncut.holding(stem('sextant'))).toBe(0);
  expect(uncut.holding(stem('fog'))).toBe(0);
});

test('large files are skipped after the first ones, so that the work is bounded', () => {
  const large = Object.fromEntries(
    Array.from({ length: 20 }, (_, file) => [
      `large/${file}.md`,
      Array.from({ length: 2_000 }, (_, line) => `The crew of number ${file}${line} sets sail number ${line}.\n`).join(
        '',
      ),
    ]),
  );
  const { names } = choose(large, 'crew');
  expect(names.length).toBeGreaterThanOrEqual(8);
  expect(names.length).toBeLessThan(20);
});
