import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { resolvePath, shownPath } from '../../lib/tools/paths.ts';
import { anyCharacter } from '../support/any-character.ts';
import { createTree } from '../support/tree.ts';

function scene() {
  const tree = createTree({ 'README.md': 'x', 'lib/a.ts': 'x', 'lib/deep/b.ts': 'x' });
  const root = realpathSync(tree.root);
  const place = { root, cwd: root };
  return { root, place, tree, resolve: (path: string, from = place) => resolvePath(nodeFileSystem, path, from) };
}

let under: ReturnType<typeof scene>;
beforeEach(() => {
  under = scene();
});
afterEach(() => under.tree[Symbol.dispose]());

describe('a path', () => {
  test.each([
    ['README.md', 'README.md', 'README.md'],
    ['./lib/../README.md', 'README.md', 'README.md'],
    ['lib', 'lib', 'lib'],
    ['.', '', '.'],
    ['lib/new/file.ts', 'lib/new/file.ts', 'lib/new/file.ts'],
    ['-rf', '-rf', '-rf'],
    ['%2e%2e%2fx', '%2e%2e%2fx', '%2e%2e%2fx'],
    ['🎉.txt', '🎉.txt', '🎉.txt'],
    ['$HOME', '$HOME', '$HOME'],
    ['./~', '~', '~'],
  ])('%j is %j in the project', (given, path, shown) => {
    expect(under.resolve(given)).toMatchObject({ path: join(under.root, path), shown });
  });

  test('starts at the directory of the tool', () => {
    const from = { root: under.root, cwd: join(under.root, 'lib') };
    expect(under.resolve('a.ts', from)).toMatchObject({ path: join(under.root, 'lib/a.ts'), shown: 'lib/a.ts' });
  });

  test('outside is reported unchanged, for the policy to decide', () => {
    expect(under.resolve('/etc/hostname').shown).toBe('/etc/hostname');
    expect(under.resolve('../../../../../../../../etc/hostname').path).toBe('/etc/hostname');
  });

  test('through links is resolved, also if its last part does not exist yet', () => {
    const outside = mkdtempSync(join(tmpdir(), 'ollm-outside-'));
    try {
      symlinkSync(outside, join(under.root, 'way-out'));
      symlinkSync('lib', join(under.root, 'inside'));
      expect(under.resolve('way-out/x/y').path).toBe(join(realpathSync(outside), 'x/y'));
      expect(under.resolve('inside/deep').shown).toBe('lib/deep');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test.each<[title: string, given: string, message: RegExp]>([
    ['nothing', '', /^The path is empty/],
    ['blanks', '  \n', /^The path is empty/],
    ['NUL', 'a\0.jsonl', /^The path "a\\u0000\.jsonl" holds a NUL character/],
    ['half a surrogate pair', 'a\ud800', /not valid Unicode/],
    ['the home directory', '~/.ssh/id_rsa', /^"~" is not expanded in "~\/\.ssh\/id_rsa"/],
    ['too much', 'x/'.repeat(5000), /is too long/],
    ['too long a name', 'x'.repeat(300), /has a name in it that is too long|is too long/],
    ['a file on the way', 'README.md/x', /leads through something that is a file/],
  ])('of %s is refused', (_, given, message) => {
    expect(() => under.resolve(given)).toThrow(message);
    expect(() => under.resolve(given)).toThrow(expect.objectContaining({ name: 'ToolFailure' }));
  });

  test('of a dangling or circular link is refused', () => {
    symlinkSync('/nowhere/at/all', join(under.root, 'dangling'));
    symlinkSync('b', join(under.root, 'a'));
    symlinkSync('a', join(under.root, 'b'));
    expect(() => under.resolve('dangling')).toThrow('"dangling" is a link that leads nowhere. Name the file itself.');
    expect(() => under.resolve('a/x')).toThrow('"a/x" leads through links that go in a circle.');
  });

  const withoutRoot = process.getuid?.() === 0 ? test.skip : test;
  // The root user may look into every directory.
  withoutRoot('in a directory that may not be entered is refused', () => {
    mkdirSync(join(under.root, 'closed'));
    chmodSync(join(under.root, 'closed'), 0);
    expect(() => under.resolve('closed/x/y')).toThrow('may not be looked into');
  });
});

test('any text is resolved to an absolute path without links, or refused with an explanation', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(fc.constantFrom('..', '.', 'lib', 'a.ts', '', '~', '\\', 'x')).map((parts) => parts.join('/')),
      ),
      (given) => {
        try {
          const { path } = under.resolve(given);
          expect(path).toBe(join(path));
          expect(path.startsWith('/')).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ToolFailure' });
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a sibling of the project is not shown as a part of it', () => {
  expect(shownPath('/project-two/x', '/project')).toBe('/project-two/x');
  expect(shownPath('/project/..x', '/project')).toBe('..x');
  expect(shownPath('/', '/project')).toBe('/');
});
