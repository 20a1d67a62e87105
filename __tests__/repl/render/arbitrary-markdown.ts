// Markdown as models write it, and as no writer should.
import fc from 'fast-check';

const words = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9.,:]{1,12}$/),
      fc.constantFrom('日本語', '👩‍👩‍👧', '`code`', '**bold**', '*it*', '[l](http://x.y)', 'a_b', '**', '`'),
    ),
    {
      minLength: 1,
      maxLength: 14,
    },
  )
  .map((all) => all.join(' '));
const codeLine = fc.oneof(fc.constantFrom('', '  indented', '\treturn  a;', '# no heading', '| no | table |'), words);

const block = fc.oneof(
  words,
  fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  fc.array(words, { minLength: 1, maxLength: 4 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
  fc
    .array(words, { minLength: 1, maxLength: 4 })
    .map((items) => items.map((item, index) => `${index + 1}. ${item}`).join('\n\n')),
  fc.tuple(words, words).map(([outer, inner]) => `- ${outer}\n  - ${inner}\n\n  still ${inner}`),
  fc.array(codeLine, { maxLength: 5 }).map((lines) => ['```ts', ...lines, '```'].join('\n')),
  fc.array(codeLine, { maxLength: 5 }).map((lines) => ['~~~', ...lines, '~~~'].join('\n')),
  fc.array(words, { minLength: 1, maxLength: 3 }).map((lines) => lines.map((line) => `> ${line}`).join('\n')),
  fc.tuple(words, words).map(([one, other]) => `| a | b |\n|---|--:|\n| ${one} | ${other} |`),
  fc.constantFrom(
    '---',
    '***',
    'Title\n=====',
    '<div>\nraw\n</div>',
    '    indented code',
    '```',
    '[ref]: http://x.y',
    '&amp; \\* end',
  ),
);

export const markdown = fc
  .array(fc.tuple(block, fc.constantFrom('\n', '\n\n', '\n\n\n', '')), { maxLength: 8 })
  .map((blocks) => blocks.flat().join(''));

/** A text cut into pieces at random places, some of them empty. */
export const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });

export function piecesOf(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length]!;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
