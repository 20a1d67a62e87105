// git is the judge: every file that git lists in a tree with rule files of every kind is found by discovery too.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { type DiscoveryOptions, discoverAll } from '../../lib/discovery/index.ts';
import { createTree, type Tree } from '../support/tree.ts';

/** As docs/discovery.md lists them; not taken from the code that is judged here. */
const BUILTIN_NAMES = ['node_modules', '.git', 'dist', 'build', '.next', '.cache'];

// git matches `?` and `[…]` by bytes, we by characters: no name here is one character of several bytes.
const names = [
  'a',
  'b',
  'ab',
  'aab',
  'c.log',
  '.log',
  'd.ts',
  'foo',
  'logs',
  'x y',
  '[z]',
  ']',
  '-',
  'dist',
  'build',
  '.cache',
  '!e',
  '#f',
];
const longName = 'öäü';
const name = fc.constantFrom(...names, longName);
const rulePart = fc.constantFrom(
  ...names,
  longName,
  '*',
  '*.log',
  '?',
  '[ab]',
  'f*',
  '*o',
  '[!a]',
  '[[:alpha:]]',
  '\\!e',
  '\\#f',
  '**',
  '***',
  'a**',
  '**b',
  'a*b*',
  '**o*',
  '*.',
  '*.l*g',
  '??',
  '[]a]',
  '[^a]',
  '[a-c]*',
  '[c-a]',
  '[a-]',
  '[\\]-a]',
  '[![:alpha:]x]',
  '[[:nothing:]]',
  '[[:a]',
  '[:alpha:]',
  '[a',
  '\\a',
  '\\*',
  'a\\',
);
// To git, several stars next to a letter are sometimes a globstar, to the package one star. docs/discovery.md says so.
const RUN_BESIDE_A_LETTER = /[^/*]\*{2,}|\*{2,}[^/*]/;
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/', '**/'),
    fc.array(rulePart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    fc.constantFrom('', '', '/', '/**', '/*', ' ', '\\ '),
  )
  .map((parts) => parts.join(''))
  .filter((line) => !RUN_BESIDE_A_LETTER.test(line));
const ruleFile = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.oneof(rule, fc.constantFrom('', '# note'))),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([mark, lines, end]) => mark + lines.join(end));
const directory = fc.array(name, { maxLength: 3 }).map((parts) => parts.join('/'));
const tree = fc.record({
  files: fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
  rules: fc.array(fc.tuple(directory, ruleFile), { maxLength: 4 }),
  exclude: ruleFile,
  globalExcludes: ruleFile,
});

type Shape = Pick<typeof tree extends fc.Arbitrary<infer Value> ? Value : never, 'files' | 'rules'>;

function withoutConflicts(files: readonly (readonly string[])[]): string[] {
  const paths = [...new Set(files.map((parts) => parts.join('/')))];
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
}

test('Feature: services-sessions, Property 22: files that git or the built-in names leave out are not found, and all others are', async () => {
  using base = createTree();
  using home = createTree();
  const globalExcludes = join(home.root, 'ignore');
  execFileSync('git', ['init', '-q', base.root]);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(tree, fc.boolean(), async (shape, fromBelow) => {
      const top = `t${round++}`;
      mkdirSync(join(base.root, top));
      try {
        plant(base, top, shape, '.gitignore');
        base.write({ '.git/info/exclude': shape.exclude });
        home.write({ ignore: shape.globalExcludes });

        const root = fromBelow && !isIgnoredByGit(base.root, top, globalExcludes) ? join(base.root, top) : base.root;
        expect(await found({ root, globalExcludes })).toEqual(listedByGit(root, globalExcludes));
      } finally {
        rmSync(join(base.root, top), { recursive: true, force: true });
      }
    }),
    { numRuns: 100 },
  );
});

test('Feature: services-sessions, Property 22: an .ollmignore has the meaning of a .gitignore with the same rules', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (shape) => {
      using git = createTree();
      using own = createTree();
      plant(git, '', shape, '.gitignore');
      plant(own, '', shape, '.ollmignore');
      const names = async ({ root }: Tree) =>
        (await found({ root, builtinIgnores: [] })).filter((path) => !/\.(git|ollm)ignore$/.test(path));
      expect(await names(own)).toEqual(await names(git));
    }),
    { numRuns: 100 },
  );
});

test('a file that git tracks is found, even if rules or a built-in name leave it out', async () => {
  using base = createTree();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: base.root, stdio: ['ignore', 'pipe', 'ignore'] });
  git('init', '-q');
  let round = 0;
  await fc.assert(
    fc.asyncProperty(tree, fc.infiniteStream(fc.boolean()), fc.constantFrom('2', '4'), async (shape, coin, version) => {
      const top = `t${round++}`;
      mkdirSync(join(base.root, top));
      try {
        plant(base, top, shape, '.gitignore');
        base.write({ '.git/info/exclude': shape.exclude });
        const added = withoutConflicts(shape.files)
          .filter(() => coin.next().value)
          .map((path) => join(top, path))
          .filter((path) => existsSync(join(base.root, path)));
        if (added.length > 0) git('--literal-pathspecs', 'add', '-f', '--', ...added);
        git('update-index', '--index-version', version);

        const tracked = git('ls-files', '-z').toString().split('\0');
        const isClosed = (directory: string) =>
          BUILTIN_NAMES.includes(basename(directory)) && !tracked.some((path) => path.startsWith(`${directory}/`));
        const expected = allListedByGit(base.root, '').filter((path) => !prefixesOf(path).some(isClosed));
        expect(await found({ root: base.root })).toEqual(expected);
      } finally {
        rmSync(join(base.root, top), { recursive: true, force: true });
        rmSync(join(base.root, '.git/index'), { force: true });
      }
    }),
    { numRuns: 100 },
  );
});

// Random trees seldom have paths that random rules match. Here every short path exists, and the rules are only about
// those.
test('in a tree where every short path is a directory, any wildcards match as in git', async () => {
  const short = ['a', 'b', 'ab'];
  const inner = short.flatMap((one) =>
    ['', ...short].flatMap((two) => ['', ...short].map((three) => [one, two, three])),
  );
  const directories = [...new Set(inner.map((parts) => parts.filter(Boolean).join('/')))];
  const piece = fc.constantFrom(
    'a',
    'b',
    'ab',
    '*',
    '?',
    '**',
    '***',
    '/',
    '/',
    '[ab]',
    '[!a]',
    '[b-]',
    '[^/b]',
    '\\a',
    'f',
  );
  const wild = fc
    .tuple(fc.constantFrom('', '', '!'), fc.array(piece, { minLength: 1, maxLength: 7 }))
    .map(([negation, pieces]) => negation + pieces.join(''))
    .filter((line) => !RUN_BESIDE_A_LETTER.test(line));
  const rules = fc.array(wild, { maxLength: 6 }).map((lines) => lines.join('\n'));
  using tree = createTree(Object.fromEntries(['', ...directories].map((path) => [join(path, 'f'), ''])));
  execFileSync('git', ['init', '-q', tree.root]);
  await fc.assert(
    fc.asyncProperty(rules, rules, async (above, below) => {
      tree.write({ '.gitignore': above, 'a/.gitignore': below });
      expect(await found({ root: tree.root })).toEqual(listedByGit(tree.root, ''));
    }),
    { numRuns: 100 },
  );
});

test('in this repository, every file that git lists is found', async () => {
  const root = join(import.meta.dirname, '../..');
  if (spawnSync('git', ['rev-parse'], { cwd: root }).status !== 0) return console.info('skipped: not in a repository');
  // A user may be at work in it: git is asked before and after.
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = listedByGit(root, '').filter((path) => existsSync(join(root, path)));
    const ours = await found({ root });
    if (
      listedByGit(root, '')
        .filter((path) => existsSync(join(root, path)))
        .join() !== before.join()
    )
      continue;
    return expect(ours).toEqual(before);
  }
});

/** The files of a tree below `top`, with its rule files where there are directories for them. */
function plant(base: Tree, top: string, { files, rules }: Shape, ruleFileName: string): void {
  const paths = withoutConflicts([
    ...files,
    ...rules.map(([path]) => [...path.split('/').filter(Boolean), 'd.ts']),
  ]).map((path) => join(top, path));
  base.write(Object.fromEntries(paths.map((path) => [path, 'x'])));
  const directories = new Set(paths.flatMap(prefixesOf));
  const placed = rules.filter(([path]) => directories.has(join(top, path).replace(/^\.$/, '')));
  base.write(Object.fromEntries(placed.map(([path, text]) => [join(top, path, ruleFileName), text])));
}

async function found(options: DiscoveryOptions): Promise<string[]> {
  const entries = await discoverAll(options);
  return entries.filter(({ type }) => type === 'file').map(({ relativePath }) => relativePath);
}

function listedByGit(root: string, globalExcludes: string): string[] {
  const isBuiltin = (path: string) =>
    path
      .split('/')
      .slice(0, -1)
      .some((part) => BUILTIN_NAMES.includes(part));
  return allListedByGit(root, globalExcludes).filter((path) => !isBuiltin(path));
}

function allListedByGit(root: string, globalExcludes: string): string[] {
  const options = ['-c', `core.excludesFile=${globalExcludes}`, 'ls-files', '-z', '-co', '--exclude-standard'];
  const output = execFileSync('git', options, { cwd: root, encoding: 'utf8' });
  return output
    .split('\0')
    .filter((path) => path !== '')
    .sort();
}

/** A root that is ignored itself was asked for by name: there discovery differs from git on purpose. */
function isIgnoredByGit(root: string, path: string, globalExcludes: string): boolean {
  const options = ['-c', `core.excludesFile=${globalExcludes}`, 'check-ignore', '-q', `${path}/`];
  return spawnSync('git', options, { cwd: root }).status === 0;
}

function prefixesOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
