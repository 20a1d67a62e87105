// The front matter of a Markdown file: its texts and what follows it, and where it is wrong the line.
import fc from 'fast-check';
import { readFrontMatter } from '../../../lib/app/project/front-matter.ts';

const read = async (text: string) => {
  const { texts, ...rest } = await readFrontMatter(text, ['description', 'model']);
  return { ...rest, texts: Object.fromEntries(texts) };
};

it.each([
  ['none', 'Look.\n', {}, 'Look.'],
  ['texts', '---\ndescription: Looks\nmodel: "m:1"\n---\n\nLook.\n', { description: 'Looks', model: 'm:1' }, 'Look.'],
  ['line ends of Windows', '---\r\ndescription: Looks\r\n---\r\nLook.\r\n', { description: 'Looks' }, 'Look.'],
  ['nothing in it', '---\n---\nLook.', {}, 'Look.'],
  ['keys of a foreign program', '---\nallowed-tools: [Bash]\n---\nLook.', {}, 'Look.'],
  ['a rule further down', 'Look.\n\n---\n\nAgain.', {}, 'Look.\n\n---\n\nAgain.'],
])('front matter is read: %s', async (_what, text, texts, body) => {
  expect(await read(text)).toEqual({ texts, body, problems: [] });
});

it.each([
  ['is not YAML', '---\nmodel: a\ndescription: Looks: at\n---\nLook.', 3, /not valid YAML/, 'Look.'],
  [
    'has a list in place of a text',
    '---\nmodel: a\n\ndescription: [a]\n---\nLook.',
    4,
    /description must be a text/,
    'Look.',
  ],
  ['has no keys', '---\n- a\n---\nLook.', 2, /must have keys/, 'Look.'],
  ['has no end', '---\nmodel: a\n', 1, /has no end/, '---\nmodel: a'],
])('front matter that %s is reported with its line, and the text is used', async (_what, text, line, words, body) => {
  expect(await read(text)).toMatchObject({ body, problems: [{ line, words: expect.stringMatching(words) }] });
});

it('aliases that multiply in front matter cost nothing', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`);
  expect(await read(`---\na0: &a0 x\n${rows.join('\n')}\n---\nLook.`)).toMatchObject({ texts: {}, body: 'Look.' });
});

it('no front matter causes an exception', async () => {
  const part = fc.constantFrom('---', '\n', 'description', ': ', '"', '- ', '&a', '*a', '{', '\t', '!!x ', 'words');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 15 }), async (parts) => {
      await readFrontMatter(`---\n${parts.join('')}`, ['description']);
    }),
  );
});
