// Which files come first: the one whose name is asked for, code or pages by the question, tests and generated files
// last, and what a project says of itself where that is asked. Real files, in an index in memory.
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { CatalogEdit } from '../../lib/catalog/catalog-edit.ts';
import { createProjectFiles } from '../../lib/discovery/index.ts';
import { indexFiles } from '../../lib/retrieval/index-files.ts';
import { retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { createTree } from '../support/tree.ts';

const SHOP = {
  'README.md': '# Shop\n\nSells boats over the counter.\n\n## Installation\n\nnpm install shop\n',
  'package.json': '{\n  "name": "shop",\n  "description": "Boats",\n  "scripts": { "test": "node --test" }\n}\n',
  LICENSE: 'Permission is hereby granted.\n',
  'CHANGELOG.md': '# Changes\n\n- anchorChain: the anchor chain is longer.\n- anchorChain: the anchor chain holds.\n',
  'docs/anchors.md': '# Anchors\n\nHow the anchor chain is let go, and how long it is.\n',
  'lib/anchor-chain.ts': 'export function anchorChain(metres: number): number {\n  return metres * 3;\n}\n',
  'lib/ship.ts': 'import { anchorChain } from "./anchor-chain.ts";\nexport const ship = () => anchorChain(3);\n',
  '__tests__/anchor-chain.test.ts':
    'it("lets the anchor chain go", () => anchorChain(2));\n// anchorChain anchor chain\n',
  'package-lock.json': '{ "anchor": "chain anchorChain anchor chain" }\n',
};

async function filesFor(question: string, files: Readonly<Record<string, string>> = SHOP): Promise<string[]> {
  using tree = createTree(files);
  using database = new DatabaseSync(':memory:');
  database.exec(PASSAGES_FORM.schema);
  await indexFiles(new CatalogEdit(database), createProjectFiles({ root: tree.root }), { clean: (text) => text });
  return retrieve(database, { question, limit: 20 }).map(({ place }) => place.slice(0, place.lastIndexOf(':')));
}

test.each([
  ['anchorChain', 'lib/anchor-chain.ts'],
  ['Where is anchorChain defined?', 'lib/anchor-chain.ts'],
  ['Which function makes the anchor chain?', 'lib/anchor-chain.ts'],
  ['How do I let the anchor chain go?', 'docs/anchors.md'],
  ['Where is the anchor chain explained?', 'docs/anchors.md'],
  ['What does this project do?', 'README.md'],
  ['What is shop?', 'README.md'],
  ['How do I install it?', 'README.md'],
  ['How do I run the tests?', 'package.json'],
  ['Which licence does it have?', 'LICENSE'],
  ['What changed?', 'CHANGELOG.md'],
  ['test of the anchor chain', '__tests__/anchor-chain.test.ts'],
])('“%s” is answered first by %s', async (question, file) => {
  expect((await filesFor(question))[0]).toBe(file);
});

test('tests, histories and generated texts come last unless they are asked for', async () => {
  const files = await filesFor('anchor chain');
  expect(files.slice(-3).toSorted()).toEqual(['CHANGELOG.md', '__tests__/anchor-chain.test.ts', 'package-lock.json']);
});

test('a compiled copy comes after its source', async () => {
  const text = 'export function anchorChain() {\n  return 3;\n}\n';
  const files = { 'anchor-chain.js': `${text}// built\n`, 'src/anchor-chain.ts': `${text}// here\n` };
  expect((await filesFor('anchorChain', files))[0]).toBe('src/anchor-chain.ts');
});

test('each file is listed once, with any number of matching passages', async () => {
  const word = fc.constantFrom('keel', 'mast', 'sail', 'oar', 'rudder', 'anchor');
  const paragraph = fc.array(word, { minLength: 40, maxLength: 120 }).map((words) => words.join(' '));
  const file = fc.array(paragraph, { minLength: 1, maxLength: 12 }).map((each) => each.join('\n\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), word, async (texts, question) => {
      const files = Object.fromEntries(texts.map((text, index) => [`${index}.md`, text]));
      const found = await filesFor(question, files);
      expect(found).toEqual([...new Set(found)]);
    }),
  );
});
