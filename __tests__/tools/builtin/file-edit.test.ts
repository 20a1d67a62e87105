import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { replaceIn } from '../../../lib/tools/builtin/replacement.ts';
import { createScene } from './scene.ts';

const SOURCE = 'const a = 1;\nconst b = 2;\nconst c = 1;\n';

test('file_edit replaces one place, shown as a diff, and nothing else', async () => {
  using scene = createScene({ files: { 'a.ts': SOURCE } });
  chmodSync(scene.at('a.ts'), 0o640);
  const plan = await scene.plan('file_edit', { path: 'a.ts', old_string: 'b = 2', new_string: 'b = 3' });
  expect(plan.action).toEqual({
    tool: 'file_edit',
    summary: 'Edit a.ts (+1 −1)',
    isReadOnly: false,
    accesses: [
      { kind: 'read', path: scene.at('a.ts') },
      { kind: 'write', path: scene.at('a.ts') },
    ],
    preview: {
      kind: 'diff',
      text: '--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n const c = 1;\n',
    },
  });
  expect(await scene.run(plan)).toEqual({
    content: 'Edited a.ts (+1 −1), from line 2 on.',
    display: plan.action.preview?.text,
  });
  expect(readFileSync(scene.at('a.ts'), 'utf8')).toBe('const a = 1;\nconst b = 3;\nconst c = 1;\n');
  expect(statSync(scene.at('a.ts')).mode & 0o777).toBe(0o640);
});

test('file_edit replaces every place on request, and takes $-signs literally', async () => {
  using scene = createScene({ files: { 'a.ts': SOURCE } });
  const args = { path: 'a.ts', old_string: '= 1;', new_string: "= $& $1 $';", replace_all: true };
  expect(await scene.call('file_edit', args)).toBe('Edited a.ts (+2 −2), 2 places, from line 1 on.');
  expect(readFileSync(scene.at('a.ts'), 'utf8')).toBe("const a = $& $1 $';\nconst b = 2;\nconst c = $& $1 $';\n");
});

describe('file_edit is refused', () => {
  test.each<[title: string, args: Record<string, unknown>, words: string]>([
    [
      'a text that is not there',
      { old_string: 'const d' },
      'old_string is not in a.ts. It must be exactly what is in the file, with its white space. Nothing was changed. Read the file again.',
    ],
    [
      'a text that is there twice',
      { old_string: '= 1;' },
      'old_string occurs 2 times in a.ts, in lines 1, 3. Nothing was changed. Add lines around it so that it is meant only once, or set replace_all.',
    ],
    [
      'other white space',
      { old_string: 'const  b =\t2;\nconst c = 1;' },
      'From line 2 on there is, with other white space:\nconst b = 2;\nconst c = 1;',
    ],
    [
      'line numbers',
      { old_string: '    2\tconst b = 2;' },
      'It seems to hold the line numbers that file_read puts before each line: leave them out.',
    ],
    ['no change', { old_string: 'b', new_string: 'b' }, 'old_string and new_string are the same.'],
    ['half a surrogate pair', { old_string: 'b = 2', new_string: '\udc00' }, 'half of a surrogate pair'],
    ['nothing', { old_string: '' }, '`old_string` must NOT have fewer than 1 characters'],
    [
      'a file that is not there',
      { path: 'nope.ts', old_string: 'x' },
      'nope.ts is not there. file_write makes a new file.',
    ],
    ['a binary file', { path: 'b.bin', old_string: 'x' }, 'b.bin is not a text file in UTF-8, and is not edited.'],
  ])('for %s', async (_, args, words) => {
    using scene = createScene({ files: { 'a.ts': SOURCE, 'b.bin': 'x\0y' } });
    await expect(scene.plan('file_edit', { path: 'a.ts', new_string: 'new', ...args })).rejects.toThrow(words);
    expect(readFileSync(scene.at('a.ts'), 'utf8')).toBe(SOURCE);
  });

  test('for overlapping places: “aa” in “aaa” could be meant twice', () => {
    const aaa = Buffer.from('aaa');
    expect(() => replaceIn(aaa, { old: 'aa', next: 'b', all: false }, 'x')).toThrow('occurs 2 times');
    expect(Buffer.from(replaceIn(aaa, { old: 'aa', next: 'b', all: true }, 'x').bytes).toString()).toBe('ba');
  });

  test('for a file that changed since it was shown', async () => {
    using scene = createScene({ files: { 'a.ts': SOURCE } });
    const plan = await scene.plan('file_edit', { path: 'a.ts', old_string: 'b = 2', new_string: 'b = 3' });
    writeFileSync(scene.at('a.ts'), `${SOURCE}more\n`);
    await expect(scene.run(plan)).rejects.toThrow('a.ts was changed after this was planned');
    expect(readFileSync(scene.at('a.ts'), 'utf8')).toBe(`${SOURCE}more\n`);
  });

  test('without a preview of a file that may not be read', async () => {
    using scene = createScene();
    const path = `${scene.outside}/secret.txt`;
    writeFileSync(path, 'key = 1\n');
    const plans = [
      await scene.plan('file_edit', { path, old_string: 'key = 2', new_string: 'x' }),
      await scene.plan('file_edit', { path: `${path}.not`, old_string: 'key = 2', new_string: 'x' }),
    ];
    for (const { action } of plans) expect(action.preview).toBeUndefined();
    expect(plans[0]!.action.accesses).toEqual([
      { kind: 'read', path },
      { kind: 'write', path },
    ]);
    // Only who was let pass is told.
    await expect(scene.run(plans[0]!)).rejects.toThrow('old_string is not in');
  });

  test('without a preview of a file in the project that the policy denies', async () => {
    using scene = createScene({ files: { '.env': 'KEY=1\n' }, mayRead: () => 'deny' });
    const plan = await scene.plan('file_edit', { path: '.env', old_string: 'KEY=2', new_string: 'x' });
    expect(plan.action.summary).toBe('Edit .env');
  });
});

describe('file_edit and the form of a file', () => {
  test.each<[title: string, before: string, args: { old_string: string; new_string: string }, after: string]>([
    [
      'CRLF',
      'one\r\ntwo\r\nthree\r\n',
      { old_string: 'one\ntwo', new_string: '1\n2\n2½' },
      '1\r\n2\r\n2½\r\nthree\r\n',
    ],
    ['CRLF, given as such', 'one\r\ntwo\r\n', { old_string: 'one\r\ntwo', new_string: '1\r\n2' }, '1\r\n2\r\n'],
    ['mixed line ends', 'one\r\ntwo\nthree\n', { old_string: 'two\nthree', new_string: '2\n3' }, 'one\r\n2\n3\n'],
    ['a byte order mark', '\uFEFFone\ntwo\n', { old_string: 'one', new_string: '1' }, '\uFEFF1\ntwo\n'],
    ['no line end at the end', 'one\ntwo', { old_string: 'two', new_string: '2' }, 'one\n2'],
  ])('%s', async (_, before, args, after) => {
    using scene = createScene({ files: { 'a.txt': before } });
    await scene.call('file_edit', { path: 'a.txt', ...args });
    expect(readFileSync(scene.at('a.txt'), 'utf8')).toBe(after);
  });

  test('a file in an old encoding accepts ASCII and keeps its other bytes', async () => {
    const latin = (text: string) => Buffer.from(text, 'latin1');
    using scene = createScene({ files: { 'a.txt': latin('Stra\xdfe = 1\n') } });
    await scene.call('file_edit', { path: 'a.txt', old_string: '= 1', new_string: '= 2' });
    expect(readFileSync(scene.at('a.txt'))).toEqual(latin('Stra\xdfe = 2\n'));
    expect(await scene.failure('file_edit', { path: 'a.txt', old_string: '= 2', new_string: '= ü' })).toBe(
      'a.txt is not in UTF-8, so only ASCII can be put into it.',
    );
  });

  test('with any bytes around it, everything outside the replaced text stays equal', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => array.map((byte) => (byte === 0 ? 1 : byte)));
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 }),
        fc.string({ unit: 'binary-ascii', maxLength: 20 }),
        (head, tail, old, next) => {
          const content = Buffer.concat([head, Buffer.from(old), tail]);
          fc.pre(old !== next && !old.includes('\0') && !/[\r\n]/.test(old + next));
          const first = content.indexOf(old);
          if (content.indexOf(old, first + 1) !== -1)
            return expect(() => replaceIn(content, { old, next, all: false }, 'x')).toThrow(/occurs \d+ times/);
          const replaced = Buffer.from(replaceIn(content, { old, next, all: false }, 'x').bytes);
          expect(replaced).toEqual(Buffer.concat([head, Buffer.from(next), tail]));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('with any text, a replacement and its reverse restore the file', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('one', 'two', 'é', '\r\n', '\n', ' ')), (pieces) => {
        const before = Buffer.from(`${pieces.join('')}NEEDLE${pieces.join('')}`);
        const there = replaceIn(before, { old: 'NEEDLE', next: 'b\nc', all: false }, 'x').bytes;
        const back = replaceIn(there, { old: 'b\nc', next: 'NEEDLE', all: false }, 'x').bytes;
        expect(Buffer.from(back)).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});
