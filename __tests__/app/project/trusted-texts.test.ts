// The user's answers about texts of a project: stored by place and content, trusted only if no other user could have
// written them.
import { chmodSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openTrustedTexts } from '../../../lib/app/project/trusted-texts.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const clock = { now: () => Date.parse('2026-11-22T10:00:00Z'), monotonic: () => 0 };
const text = (path: string, sha256: string) => ({ path, sha256 });

function openIn({ root: home }: Tree, root = '/project', mode: 'global' | 'ephemeral' = 'global') {
  const paths = { home, sessions: '', project: root, log: '', history: '' };
  const process = { uid: globalThis.process.getuid?.() } as Parameters<typeof openTrustedTexts>[0]['process'];
  return openTrustedTexts(
    { mode, paths, fileSystem: nodeFileSystem, ids: systemIds, clock, process, decisions: [] },
    root,
  );
}
const fileIn = ({ root }: Tree) => {
  const [name] = readdirSync(join(root, 'trust')).filter((each) => each.endsWith('.json'));
  return join(root, 'trust', name!);
};

it('an answer applies only to this content at this place in this project', async () => {
  const hash = fc.constantFrom('a', 'b', 'c');
  const place = fc.constantFrom('AGENTS.md', 'deep/AGENTS.md');
  const answer = fc.record({ path: place, sha256: hash, trusted: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 6 }), place, hash, async (answers, path, sha256) => {
      using home = createTree();
      for (const each of answers) await openIn(home).decide([each], each.trusted);
      const said = answers.findLast((each) => each.path === path && each.sha256 === sha256)?.trusted;
      expect(openIn(home).isTrusted(text(path, sha256))).toBe(said);
      expect(openIn(home, '/other').isTrusted(text(path, sha256))).toBeUndefined();
    }),
  );
});

it('only the user can read the stored answers', async () => {
  using home = createTree();
  await openIn(home).decide([text('AGENTS.md', 'a')], true);
  expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home.root, 'trust')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it.each([
  ['that other users can write', (file: string) => chmodSync(file, 0o666)],
  ['with a second name', (file: string) => linkSync(file, `${file}.other`)],
  ['that is damaged', (file: string) => writeFileSync(file, '{"format":1,"ro')],
  [
    'of a different project',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('"/project"', '"/other"')),
  ],
])('a file %s trusts nothing', async (_what, spoil) => {
  using home = createTree();
  await openIn(home).decide([text('AGENTS.md', 'a')], true);
  expect(openIn(home).isTrusted(text('AGENTS.md', 'a'))).toBe(true);
  spoil(fileIn(home));
  expect(openIn(home).isTrusted(text('AGENTS.md', 'a'))).toBeUndefined();
});

it('the last answer applies in ephemeral mode, and no file keeps it', async () => {
  using home = createTree();
  const texts = openIn(home, '/project', 'ephemeral');
  await texts.decide([text('AGENTS.md', 'a')], true);
  await texts.decide([text('AGENTS.md', 'a')], false);
  expect(texts.isTrusted(text('AGENTS.md', 'a'))).toBe(false);
  expect(readdirSync(home.root)).toEqual([]);
});
