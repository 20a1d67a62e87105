// Text files in each form in which they are written: what a model reads of them, and what stays when it changes them.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { keepForm } from '../../../lib/tools/builtin/kept-form.ts';
import { replaceIn } from '../../../lib/tools/builtin/replacement.ts';
import { createScene, type Scene } from './scene.ts';

const ENCODINGS = ['UTF-8', 'UTF-16', 'UTF-16, big-endian'] as const;
interface Form {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly hasMark: boolean;
  readonly lineEnd: '\n' | '\r\n';
}
/** Without its mark UTF-16 is not known as text. */
const FORMS: readonly Form[] = ENCODINGS.flatMap((encoding) =>
  [true, false]
    .filter((hasMark) => hasMark || encoding === 'UTF-8')
    .flatMap((hasMark) => (['\n', '\r\n'] as const).map((lineEnd) => ({ encoding, hasMark, lineEnd }))),
);
const name = ({ encoding, hasMark, lineEnd }: Form) =>
  `${encoding} ${hasMark ? 'with' : 'without'} a byte order mark, lines that end in ${lineEnd === '\n' ? 'LF' : 'CRLF'}`;

function written(text: string, { encoding, hasMark, lineEnd }: Form): Buffer {
  const inForm = (hasMark ? '\uFEFF' : '') + text.replaceAll('\n', lineEnd);
  if (encoding === 'UTF-8') return Buffer.from(inForm);
  const bytes = Buffer.from(inForm, 'utf16le');
  return encoding === 'UTF-16' ? bytes : bytes.swap16();
}

const word = fc.stringMatching(/^[a-zäß漢😀 ]{0,8}$/u);
const lines = fc.array(word, { minLength: 1, maxLength: 6 });
const textOf = (all: readonly string[]) => `${all.join('\n')}\n`;
const bytesOf = (scene: Scene) => readFileSync(scene.at('a.txt'));

describe.each(FORMS.map((form) => [name(form), form] as const))('a file in %s', (_, form) => {
  it('is read as the lines of its text', async () => {
    using scene = createScene();
    await fc.assert(
      fc.asyncProperty(lines, async (all) => {
        scene.write({ 'a.txt': written(textOf(all), form), 'plain.txt': textOf(all) });
        const read = (await scene.call('file_read', { path: 'a.txt' })).replace(/\n\[The file is in UTF-16.*$/, '');
        expect(read.replaceAll('\uFEFF', '')).toBe(await scene.call('file_read', { path: 'plain.txt' }));
      }),
    );
  });

  it('keeps that form when a part of it is replaced', () => {
    fc.assert(
      fc.property(lines, lines, word, (before, after, changed) => {
        const file = (middle: string) => written(`${textOf(before)}${middle}\n${textOf(after)}`, form);
        const edit = { old: '= old =\n', next: `= ${changed} new =\nand one more\n`, all: false };
        const { bytes } = replaceIn(file('= old ='), edit, 'a.txt');
        expect(Buffer.from(bytes)).toEqual(file(`= ${changed} new =\nand one more`));
      }),
    );
  });

  it('keeps that form when all of it is replaced', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { bytes } = keepForm(written(textOf(before), form), textOf(after));
        expect(Buffer.from(bytes)).toEqual(written(textOf(after), form));
      }),
    );
  });

  it('is not changed by an equal text, and the model is told', async () => {
    using scene = createScene();
    scene.write({ 'a.txt': written('one\ntwo\n', form) });
    const before = bytesOf(scene);
    const words = await scene.failure('file_write', { path: 'a.txt', content: 'one\ntwo\n' });
    expect(words).toBe('a.txt holds exactly this already. Nothing was changed.');
    expect(bytesOf(scene)).toEqual(before);
  });
});

describe('an edit of line ends only', () => {
  it('is refused with the reason if the file keeps its CRLF', async () => {
    using scene = createScene({ files: { 'a.txt': 'one\r\ntwo\r\n' } });
    const args = { path: 'a.txt', old_string: 'one\r\ntwo', new_string: 'one\ntwo' };
    expect(await scene.failure('file_edit', args)).toMatch(
      /^The texts differ in line ends only, .* Nothing was changed/,
    );
  });

  it('is made and shown if lines end in LF', async () => {
    using scene = createScene({ files: { 'a.txt': 'one\ntwo\n' } });
    const args = { path: 'a.txt', old_string: 'one\ntwo\n', new_string: 'one\r\ntwo\r\n' };
    expect(await scene.call('file_edit', args)).toBe('Edited a.txt (+2 −2), from line 1 on.');
    expect(bytesOf(scene).toString()).toBe('one\r\ntwo\r\n');
  });

  it('is made by a text that is written with CRLF', async () => {
    using scene = createScene({ files: { 'a.txt': 'one\ntwo\n' } });
    await scene.call('file_write', { path: 'a.txt', content: 'one\r\ntwo\r\n' });
    expect(bytesOf(scene).toString()).toBe('one\r\ntwo\r\n');
  });
});

it.each([
  ['mixed line ends', 'a\r\nb\nc\r\n', 'a\nb', /its line ends differ/],
  ['composed letters in place of two code points', 'e\u0301 x\n', '\u00e9 x', /other code points/],
])('an old text with %s is refused with that reason', async (_, content, old, words) => {
  using scene = createScene({ files: { 'a.txt': content } });
  const args = { path: 'a.txt', old_string: old, new_string: 'y' };
  expect(await scene.failure('file_edit', args)).toMatch(words);
});

it('the result names the kept properties of a replaced file, and the lost ones', async () => {
  using scene = createScene();
  const replaced = async (before: Uint8Array) => {
    scene.write({ 'a.txt': before });
    return scene.call('file_write', { path: 'a.txt', content: 'new\n' });
  };
  const form = { encoding: 'UTF-8', hasMark: true, lineEnd: '\r\n' } as const;
  expect(await replaced(written('old\n', form))).toBe(
    'Replaced a.txt (+1 −1), 8 bytes; its CRLF line ends are kept, its byte order mark is kept.',
  );
  expect(await replaced(written('old\n', { ...form, encoding: 'UTF-16' }))).toBe(
    'Replaced a.txt (+1 −1), 12 bytes; it stays in UTF-16, its CRLF line ends are kept.',
  );
  expect(await replaced(Buffer.from('caf\xe9\n', 'latin1'))).toContain('; it was not in UTF-8, and is now.');
});

it('a long file in UTF-16 is read to its end, and bytes that only begin like UTF-16 are not text', async () => {
  const long = Array.from({ length: 30_000 }, (_, index) => `line ${index} 😀`);
  const form = { encoding: 'UTF-16', hasMark: true, lineEnd: '\n' } as const;
  using scene = createScene();
  scene.write({
    'long.txt': written(textOf(long), form),
    'not.bin': Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]),
  });
  const read = await scene.call('file_read', { path: 'long.txt', from_line: 29_999 });
  expect(read).toContain('29999\tline 29998 😀\n30000\tline 29999 😀\n');
  expect(await scene.call('file_read', { path: 'not.bin' })).toMatch(/^not\.bin is not text/);
});
