// Counts of the files that the first and the second question about a large project read, cut and write: real files and
// a real index.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { projectSearch } from '../../lib/app/providers/project-search.ts';
import { recall } from '../../lib/app/recall/recall.ts';
import { projectFiles } from '../../lib/app/repository/project-files.ts';
import { PASSAGES_NAME } from '../../lib/retrieval/schema.ts';
import { type HubWorld, hubWorld } from '../hub/world.ts';
import { createTree, type Tree } from '../support/tree.ts';

const FILES = 400;
/** Files that become passages for a question at most. */
const MOST_CUT = 32;
const NAUTICAL = ['anchor', 'bowsprit', 'capstan', 'dinghy', 'fender', 'gunwale', 'halyard', 'jib', 'keel', 'lanyard'];
const BODY = Array.from({ length: 40 }, (_, line) => `The crew of this ship has line ${line} of its own.\n`).join('');

const page = (index: number) => {
  const [one, other] = [NAUTICAL[index % 10]!, NAUTICAL[Math.floor(index / 10) % 10]!];
  return `# Page ${index}\n\nOf the ${one} and the ${other}, number ${index}.\n\n${BODY}`;
};
const PROJECT = {
  'README.md': '# Harbour\n\nShips lie at anchor here.\n',
  'package.json': '{ "name": "harbour", "description": "Keeps ships" }\n',
  'lib/mooring.ts': 'export function dropAnchor(depth: number) {\n  return depth;\n}\n',
  'docs/winch.md': '# Winch\n\nThe windlass is oiled once a year.\n',
  'logo.png': Uint8Array.of(0x89, 0x50, 0, 0),
  '.env': 'ANCHOR=1\n',
  ...Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`pages/${index}/page.md`, page(index)])),
};
const ALL = Object.keys(PROJECT).length;

let hub: HubWorld;
let tree: Tree;
beforeEach(() => {
  hub = hubWorld();
  tree = createTree(PROJECT);
});
afterEach(() => {
  tree[Symbol.dispose]();
  hub.remove();
});

/** Asks as a process of its own would, with nothing in memory, and counts. */
const ask = (question: string) =>
  hub.withApp(async (app) => {
    const files = projectFiles(app, { root: tree.root });
    const read: string[] = [];
    const counting = {
      ...files,
      read(path: string) {
        read.push(path);
        return files.read(path);
      },
    };
    const before = rows();
    const answer = await projectSearch(app, counting).find(question, {
      limit: 5,
      signal: new AbortController().signal,
    });
    const after = rows();
    const written = after.changes - before.changes;
    return { ...answer, places: answer.passages.map(({ place }) => place), read, cut: after.cut - before.cut, written };
  });

/** Files with passages, and rows of all tables that say something of a file. */
function rows(): { readonly cut: number; readonly changes: number } {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(join(hub.home, PASSAGES_NAME), { readOnly: true });
  } catch {
    return { cut: 0, changes: 0 };
  }
  const count = (query: string) => Number(database.prepare(`SELECT ${query} AS n`).get()!.n);
  const cut = count('(SELECT count(DISTINCT source) FROM places)');
  const tables = ['sources', 'passages', 'places', 'outlines'].map((table) => `(SELECT count(*) FROM ${table})`);
  const changes = count(tables.join(' + '));
  database.close();
  return { cut, changes };
}

test('the first question reads each file once, and cuts only those that may answer it', async () => {
  const first = await ask('Where is the windlass?');
  expect(first.places[0]).toBe('docs/winch.md:1');
  expect(first).toMatchObject({
    files: ALL,
    isCut: false,
    left: 0,
    missing: [],
    skipped: { binary: 1, credentials: 1 },
  });
  expect(new Set(first.read).size).toBe(ALL);
  // A file that is cut is read once more, out of memory.
  expect(first.read.length).toBeLessThanOrEqual(ALL + MOST_CUT);
  // The README and the manifest are always among them.
  expect(first.cut).toBe(3);
  // A row for each file, and three more for each that was cut: source, passage and place.
  expect(first.written).toBe(ALL + 3 * 3);
});

test('a second question reads only the files that may answer it, and a repeated one reads none', async () => {
  await ask('Where is the windlass?');
  const second = await ask('Where is the halyard of the keel?');
  expect(second.places[0]).toMatch(/^pages\/(?:68|86|168|186|268|286|368|386)\/page\.md:1$/);
  expect(second.read.length).toBeLessThanOrEqual(MOST_CUT);
  expect(second.cut).toBe(second.read.length);
  expect(second.cut).toBeGreaterThan(8);
  const again = await ask('Where is the halyard of the keel?');
  expect(again).toMatchObject({ read: [], cut: 0, written: 0, places: second.places });
});

test('a changed file is read again, and no other file that was only outlined', async () => {
  await ask('Where is the windlass?');
  tree.write({ 'pages/7/page.md': '# Page 7\n\nThe binnacle holds the compass.\n', 'pages/8/more.md': 'A ratline.\n' });
  const changed = await ask('Where is the binnacle?');
  expect(changed.places[0]).toBe('pages/7/page.md:1');
  expect(new Set(changed.read)).toEqual(new Set(['pages/7/page.md', 'pages/8/more.md']));
  // A file that was cut before is cut again.
  tree.write({ 'pages/7/page.md': '# Page 7\n\nThe sextant lies in the cabin, and nowhere else.\n' });
  expect((await ask('binnacle')).places).toEqual([]);
  expect((await ask('Where is the sextant?')).places[0]).toBe('pages/7/page.md:1');
});

test('a word is reported as missing only if no file has it, cut or not', async () => {
  await ask('Where is the windlass?');
  const { missing, read } = await ask('xyzzy lanyard once');
  expect(missing).toEqual(['xyzzy']);
  expect(read.length).toBeGreaterThan(0);
  expect((await ask('windlass of the bowsprit, plugh')).missing).toEqual(['plugh']);
});

test('the README and a definition are found among files that were not cut before', async () => {
  const about = await ask('What is this project?');
  expect(about.places.slice(0, 2)).toEqual(['README.md:1', 'package.json:1']);
  expect((await ask('Where is dropAnchor defined?')).places[0]).toBe('lib/mooring.ts:1');
});

test('the answer equals that of recall once all files are cut', async () => {
  const questions = ['Where is the windlass?', 'What is this project?', 'dropAnchor', 'How is the capstan oiled?'];
  const first = [];
  for (const question of questions) first.push((await ask(question)).places[0]);
  for (const [index, text] of questions.entries()) {
    const { passages } = await hub.withApp((app) => recall(app, { text, scope: { project: tree.root, kind: 'file' } }));
    expect(passages[0]!.place).toBe(first[index]);
  }
  // Then no outline is kept.
  await ask('Where is the windlass?');
  const database = new DatabaseSync(join(hub.home, PASSAGES_NAME), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM outlines').get()).toEqual({ n: 0 });
  database.close();
  // Nothing is new: another process that writes is not waited for.
  const writer = new DatabaseSync(join(hub.home, PASSAGES_NAME));
  writer.exec('BEGIN IMMEDIATE');
  const meanwhile = await ask('Where is the windlass?');
  writer.close();
  expect(meanwhile).toMatchObject({ read: [], written: 0 });
  expect(meanwhile.places[0]).toBe('docs/winch.md:1');
});

test('no word is stored of a file that has only an outline', async () => {
  await ask('Where is the windlass?');
  const stored = readFileSync(join(hub.home, PASSAGES_NAME)).toString('latin1').toLowerCase();
  expect(stored).toContain('windlass');
  for (const word of ['bowsprit', 'capstan', 'gunwale']) expect(stored).not.toContain(word);
});
