import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createScene, interrupted } from './scene.ts';

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test('file_read returns a file with numbered lines', async () => {
  using scene = createScene({ files: { 'a.txt': 'one\n\n\tthree\r\nfour' } });
  expect(await scene.call('file_read', { path: 'a.txt' })).toBe('    1\tone\n    2\t\n    3\t\tthree\n    4\tfour');
});

test('the plan of file_read names the file, and is read-only', async () => {
  using scene = createScene({ files: { 'lib/a.txt': 'one\n' } });
  const { action } = await scene.plan('file_read', { path: './lib/../lib/a.txt', from_line: 2, to_line: 3 });
  expect(action).toEqual({
    tool: 'file_read',
    summary: 'Read lib/a.txt lines 2–3',
    isReadOnly: true,
    accesses: [{ kind: 'read', path: scene.at('lib/a.txt') }],
  });
});

test('file_read returns a range of lines, and their total number', async () => {
  using scene = createScene({ files: { 'a.txt': lines(100) } });
  const text = await scene.call('file_read', { path: 'a.txt', from_line: 98 });
  expect(text).toBe('   98\tline 98\n   99\tline 99\n  100\tline 100');
  expect(await scene.call('file_read', { path: 'a.txt', from_line: 2, to_line: 3 })).toBe(
    '    2\tline 2\n    3\tline 3\n[Lines 2–3 of 100.]',
  );
  expect(await scene.failure('file_read', { path: 'a.txt', from_line: 101 })).toBe(
    'a.txt has 100 lines; there is no line 101.',
  );
  expect(await scene.failure('file_read', { path: 'a.txt', from_line: 5, to_line: 4 })).toBe(
    'to_line (4) must not be less than from_line (5).',
  );
});

test('file_read returns a long file in pieces that fit, and the pieces joined are the whole file', async () => {
  using scene = createScene({ files: { 'a.txt': lines(3000) }, maxOutputTokens: 500 });
  const seen: string[] = [];
  for (let from = 1, reads = 0; from <= 3000; reads += 1) {
    expect(reads).toBeLessThan(200);
    const text = await scene.call('file_read', { path: 'a.txt', from_line: from });
    const numbered = text.split('\n').filter((line) => line.includes('\t'));
    seen.push(...numbered.map((line) => `${line.split('\t')[1]}\n`));
    from += numbered.length;
    if (from <= 3000)
      expect(text).toContain(`[Lines ${from - numbered.length}–${from - 1} of 3000. Read on with from_line: ${from}.]`);
  }
  expect(seen.join('')).toBe(lines(3000));
});

test('file_read returns exactly the content, for any text', async () => {
  using scene = createScene();
  const line = fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.replace(/[\r\n]/g, ''));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 40 }), fc.boolean(), async (texts, ends) => {
      const content = texts.join('\n') + (ends ? '\n' : '');
      if (content === '') return;
      writeFileSync(scene.at('any.txt'), content);
      const expected = (ends || texts.at(-1) !== '' ? texts : texts.slice(0, -1)).map(
        (text, index) => `${String(index + 1).padStart(5)}\t${text}`,
      );
      expect(await scene.call('file_read', { path: 'any.txt' })).toBe(expected.join('\n'));
    }),
    { numRuns: 100 },
  );
});

test('file_read keeps lines whole that cross the border of two reads', async () => {
  const long = `${'日'.repeat(1000)}\n`;
  using scene = createScene({ files: { 'a.txt': long.repeat(300) } });
  const text = await scene.call('file_read', { path: 'a.txt', from_line: 85, to_line: 90 });
  expect(text.split('\n').slice(0, 6)).toEqual(
    Array.from({ length: 6 }, (_, index) => `   ${85 + index}\t${long.trimEnd()}`),
  );
});

test('file_read cuts an enormous line between characters', async () => {
  using scene = createScene({ files: { 'a.txt': `${'é'.repeat(500_000)}\nend\n` } });
  const [first, second] = (await scene.call('file_read', { path: 'a.txt' })).split('\n');
  expect(first).toMatch(/^ {4}1\té{2048}… \(995,904 more bytes in this line\)$/);
  expect(second).toBe('    2\tend');
});

test('file_read skips through a file of many gigabytes without loading it', async () => {
  using scene = createScene({ files: { 'huge.txt': lines(1000) } });
  truncateSync(scene.at('huge.txt'), 20 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  expect(await scene.call('file_read', { path: 'huge.txt', from_line: 999, to_line: 1000 })).toBe(
    '  999\tline 999\n 1000\tline 1000\n[Lines 999–1000 of more than 1000.]',
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

test('file_read ends when it is stopped', async () => {
  using scene = createScene({ files: { 'huge.txt': 'x'.repeat(10_000) } });
  truncateSync(scene.at('huge.txt'), 20 * 1024 ** 3);
  const stop = new AbortController();
  const plan = await scene.plan('file_read', { path: 'huge.txt', from_line: 5 });
  setTimeout(() => stop.abort(), 20);
  await expect(scene.run(plan, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
});

describe('a file that is not text', () => {
  test('is named by its kind', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
    using scene = createScene({ files: { 'a.png': png, 'b.bin': new Uint8Array(1000), 'empty.txt': '' } });
    expect(await scene.run(await scene.plan('file_read', { path: 'a.png' }))).toEqual({
      content:
        'a.png is not text: PNG image, 108 bytes. If it is not seen here, the user can attach it to a message with @ and its path.',
      images: [new Uint8Array(png)],
    });
    expect(await scene.call('file_read', { path: 'b.bin' })).toBe('b.bin is not text: binary file, 1,000 bytes.');
    expect(await scene.call('file_read', { path: 'empty.txt' })).toBe('(empty.txt is empty.)');
  });

  test('and is an image of more than 5 MiB is not shown, and the result says so', async () => {
    using scene = createScene({ files: { 'large.jpg': Buffer.from('\xff\xd8\xff', 'latin1') } });
    truncateSync(scene.at('large.jpg'), 6 * 1024 * 1024);
    expect(await scene.run(await scene.plan('file_read', { path: 'large.jpg' }))).toEqual({
      content: 'large.jpg is not text: JPEG image, 6,291,456 bytes. It is too large to be shown.',
    });
  });

  test('in UTF-8 is read as far as it is valid, and the result says so', async () => {
    using scene = createScene({ files: { 'old.txt': Buffer.from('Stra\xdfe nach K\xf6ln\n', 'latin1') } });
    expect(await scene.call('file_read', { path: 'old.txt' })).toBe(
      '    1\tStra\uFFFDe nach K\uFFFDln\n[The file is not in UTF-8: unreadable bytes appear as U+FFFD.]',
    );
  });
});

describe('a path that is not a file', () => {
  test('is refused with an explanation', async () => {
    using scene = createScene({ files: { 'lib/a.txt': 'x' } });
    execFileSync('mkfifo', [scene.at('pipe')]);
    expect(await scene.failure('file_read', { path: 'nope' })).toBe('nope is not there. list_files shows what is.');
    expect(await scene.failure('file_read', { path: 'lib' })).toBe(
      'lib is a directory. list_files shows what is in it.',
    );
    expect(await scene.failure('file_read', { path: 'pipe' })).toMatch(/^pipe is a device, a socket or a pipe/);
    expect(await scene.failure('file_read', { path: '/dev/zero' })).toMatch(/^\/dev\/zero is a device/);
    expect(await scene.failure('file_read', { path: 'lib/a.txt/b' })).toMatch(/leads through something that is a file/);
  });
});

describe('a link', () => {
  test('is resolved, and the policy decides on its target', async () => {
    using scene = createScene({ files: { 'real.txt': 'here\n' } });
    symlinkSync('real.txt', scene.at('link.txt'));
    const { action } = await scene.plan('file_read', { path: 'link.txt' });
    expect(action.accesses).toEqual([{ kind: 'read', path: scene.at('real.txt') }]);
    expect(await scene.call('file_read', { path: 'link.txt' })).toBe('    1\there');
  });

  test('that replaces the file after the decision is not followed', async () => {
    using scene = createScene({ files: { 'a.txt': 'harmless\n', 'sub/b.txt': 'harmless\n' } });
    writeFileSync(`${scene.outside}/b.txt`, 'secret\n');
    const plans = [
      await scene.plan('file_read', { path: 'a.txt' }),
      await scene.plan('file_read', { path: 'sub/b.txt' }),
    ];
    renameSync(scene.at('a.txt'), scene.at('was.txt'));
    symlinkSync(`${scene.outside}/b.txt`, scene.at('a.txt'));
    renameSync(scene.at('sub'), scene.at('was'));
    symlinkSync(scene.outside, scene.at('sub'));
    await expect(scene.run(plans[0]!)).rejects.toThrow('a.txt is a link by now, which is not followed.');
    await expect(scene.run(plans[1]!)).rejects.toThrow('sub/b.txt leads elsewhere than when this was decided on.');
  });

  test('that exists only while the file is opened is detected', async () => {
    const scene = createScene({ files: { 'sub/b.txt': 'harmless\n' } });
    using _ = scene;
    writeFileSync(`${scene.outside}/b.txt`, 'secret\n');
    const swap = interrupted('open', (when) => {
      if (when === 'before') {
        renameSync(scene.at('sub'), scene.at('was'));
        symlinkSync(scene.outside, scene.at('sub'));
      } else {
        renameSync(scene.at('sub'), scene.at('link'));
        renameSync(scene.at('was'), scene.at('sub'));
      }
    });
    using attacked = createScene({ fileSystem: { ...swap, realPath: nodeFileSystem.realPath } });
    const plan = await attacked.plan('file_read', { path: scene.at('sub/b.txt') });
    await expect(attacked.run(plan)).rejects.toThrow('leads elsewhere than when this was decided on');
  });
});

test('file_read reads files of the system without a size to their end', async () => {
  using scene = createScene();
  if (process.platform !== 'linux') return;
  expect(await scene.call('file_read', { path: '/proc/version' })).toMatch(/^ {4}1\tLinux version /);
});
