// The search that the offline provider asks: the same files as recall, from the index where there is one that can be
// written, and from memory where not. Real files and a real home.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectSearch } from '../../lib/app/providers/project-search.ts';
import { recall } from '../../lib/app/recall/recall.ts';
import { projectFiles } from '../../lib/app/repository/project-files.ts';
import { exportSession } from '../../lib/app/sessions/read/export-session.ts';
import { PASSAGES_NAME } from '../../lib/retrieval/schema.ts';
import { type HubWorld, hubWorld } from '../hub/world.ts';
import { createTree, type Tree } from '../support/tree.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const FILES = {
  'README.md': '# Harbour\n\nShips lie at anchor here.\n',
  'lib/anchor.ts': `export const anchor = 'iron';\n// the anchor has ${TOKEN} on it\n`,
  'docs/chain.md': '# Chain\n\nThe anchor chain is let go by hand.\n',
  '__tests__/anchor.test.ts': 'it("holds the anchor", () => {});\n',
  '.env': 'ANCHOR=1\n',
};
const QUESTIONS = ['anchor', 'Where is the anchor?', 'How do I let the chain go?', 'What is this project?', 'xyzzy'];

let hub: HubWorld;
let tree: Tree;
beforeEach(() => {
  hub = hubWorld();
  tree = createTree(FILES);
});
afterEach(() => {
  tree[Symbol.dispose]();
  hub.remove();
});

const { signal } = new AbortController();
const ask = (question: string) =>
  hub.withApp(async (app) => {
    const search = projectSearch(app, projectFiles(app, { root: tree.root }));
    return search.find(question, { limit: 8, signal });
  });

test('the search finds the same passages in the same order as recall', async () => {
  for (const question of QUESTIONS) {
    const { passages } = await ask(question);
    const recalled = await hub.withApp((app) =>
      recall(app, { text: question, scope: { project: tree.root, kind: 'file' } }),
    );
    expect(passages.map(({ place }) => place)).toEqual(recalled.passages.map(({ place }) => place));
    if (question !== 'xyzzy') expect(passages.length).toBeGreaterThan(0);
  }
});

test('the search reports the searched files, and redacts secrets, in the index and in memory alike', async () => {
  const kept = await ask('anchor xyzzy');
  expect(existsSync(join(hub.home, PASSAGES_NAME))).toBe(true);
  // An index that others can read is not used.
  chmodSync(join(hub.home, PASSAGES_NAME), 0o644);
  const inMemory = await ask('anchor xyzzy');
  for (const answer of [kept, inMemory]) {
    expect(answer).toMatchObject({ files: 5, isCut: false, skipped: { credentials: 1 }, left: 0, missing: ['xyzzy'] });
    expect(answer.passages.map(({ place }) => place)).toContain('lib/anchor.ts:1');
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  }
  expect(inMemory.passages.map(({ place }) => place)).toEqual(kept.passages.map(({ place }) => place));
});

test('only the head of a session that was exported into the project is found', async () => {
  const said = Array.from({ length: 400 }, (_, index) => `Sentence ${index} of the talk is about ropes and knots.`);
  await hub.make('oak', ['How long is the rope?']);
  const exported = await hub.withApp(async (app) => {
    const { chunks } = await exportSession(app, 'oak', { format: 'md' });
    let whole = '';
    for await (const chunk of chunks) whole += new TextDecoder().decode(chunk);
    return whole;
  });
  tree.write({ 'oak.md': `${exported}\n${said.join('\n\n')}\n\nThe bowsprit is last.\n` });
  expect((await ask('Session oak')).passages.map(({ place }) => place)).toContain('oak.md:1');
  expect((await ask('bowsprit')).passages).toEqual([]);
});

test('the search follows a file that changes, and one that disappears', async () => {
  await ask('anchor');
  tree.write({ 'docs/chain.md': '# Chain\n\nA winch lets the rope go, and that is longer.\n' });
  const places = async (question: string) => (await ask(question)).passages.map(({ place }) => place);
  expect(await places('winch')).toEqual(['docs/chain.md:1']);
  expect(await places('hand')).toEqual([]);
});
