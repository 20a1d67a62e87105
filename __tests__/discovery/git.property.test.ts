// git is the judge: what it lists in a tree with rule files of every kind, discovery lists too.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { BUILTIN_IGNORES, discoverAll } from '../../lib/discovery/index.ts';
import { createTree } from '../support/tree.ts';

// git matches `?` and `[…]` by bytes, we by characters: no name here is one character of several bytes.
const names = ['a', 'b', 'c.log', 'd.ts', 'foo', 'logs', 'x y', '[z]', 'dist', '!e', '#f', 'öäü'];
const name = fc.constantFrom(...names);
const rulePart = fc.constantFrom(
  ...names,
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
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/', '**/'),
    fc.array(rulePart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    fc.constantFrom('', '', '/', '/**', '/*', ' ', '\\ '),
  )
  .map((parts) => parts.join(''));
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
});

function withoutConflicts(files: readonly (readonly string[])[]): string[] {
  const paths = [...new Set(files.map((parts) => parts.join('/')))];
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
}

test('Feature: services-sessions, Property 22: what git leaves out and the built-in names leave out is not found, all else is', async () => {
  using base = createTree();
  execFileSync('git', ['init', '-q', base.root]);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(tree, fc.boolean(), async ({ files, rules, exclude }, fromBelow) => {
      const top = `t${round++}`;
      const ruleFiles = rules.map(([path, text]) => [join(top, path, '.gitignore'), text] as const);
      const paths = withoutConflicts([
        ...files,
        ...rules.map(([path]) => [...path.split('/').filter(Boolean), 'd.ts']),
      ]);
      mkdirSync(join(base.root, top));
      try {
        base.write(Object.fromEntries(paths.map((path) => [join(top, path), 'x'])));
        const directories = new Set(paths.flatMap((path) => prefixesOf(join(top, path))));
        base.write(
          Object.fromEntries(ruleFiles.filter(([path]) => directories.has(path.slice(0, -'/.gitignore'.length)))),
        );
        base.write({ '.git/info/exclude': exclude });

        const root = fromBelow && !isIgnoredByGit(base.root, top) ? join(base.root, top) : base.root;
        expect(await found(root)).toEqual(listedByGit(root));
      } finally {
        rmSync(join(base.root, top), { recursive: true, force: true });
      }
    }),
    { numRuns: 150 },
  );
});

async function found(root: string): Promise<string[]> {
  const entries = await discoverAll({ root });
  return entries.filter(({ type }) => type === 'file').map(({ relativePath }) => relativePath);
}

function listedByGit(root: string): string[] {
  const options = ['-c', 'core.excludesFile=', 'ls-files', '-z', '-co', '--exclude-standard'];
  const output = execFileSync('git', options, { cwd: root, encoding: 'utf8' });
  const isBuiltin = (path: string) =>
    path
      .split('/')
      .slice(0, -1)
      .some((part) => BUILTIN_IGNORES.includes(part));
  return output
    .split('\0')
    .filter((path) => path !== '' && !isBuiltin(path))
    .sort();
}

/** A root that is ignored itself was asked for by name: there discovery differs from git on purpose. */
function isIgnoredByGit(root: string, path: string): boolean {
  return spawnSync('git', ['check-ignore', '-q', `${path}/`], { cwd: root }).status === 0;
}

function prefixesOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
