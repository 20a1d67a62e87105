// Where sessions of other programs are found: links, copies and moved folders neither hide a file nor show it twice.
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import fc from 'fast-check';
import { AGENT_NAMES, loadAgent } from '../../lib/agents/registry.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { findSources } from '../../lib/hub/find-sources.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';
import { type HubWorld, hubWorld } from './world.ts';

const UUID = '5f3c0000-1111-4222-8333-444455556666';
const TASK = 'api_conversation_history.json';
const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

/**
 * The layouts of each program, with a session in its place. The contents of the files do not matter unless they are
 * given here.
 */
const LAYOUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  amp: { [`.local/share/amp/threads/T-${UUID}.json`]: '{}' },
  antigravity: { [`.gemini/antigravity-cli/brain/${UUID}/.system_generated/logs/transcript.jsonl`]: '' },
  claude: { [`.claude/projects/-work/${UUID}.jsonl`]: '' },
  cline: { [`.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1767323045000/${TASK}`]: '[]' },
  codex: { [`.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${UUID}.jsonl`]: '' },
  copilot: { [`.copilot/session-state/${UUID}/events.jsonl`]: '' },
  cursor: { [`.cursor/projects/work/agent-transcripts/${UUID}/${UUID}.jsonl`]: '' },
  devin: { '.local/share/devin/cli/transcripts/axiomatic-jeans.json': '' },
  droid: { [`.factory/sessions/-work/${UUID}.jsonl`]: '' },
  gemini: { '.gemini/tmp/work/chats/session-2026-01-02T03-04-5f3c0000.jsonl': '' },
  goose: { '.local/share/goose/sessions/20250102_100000.jsonl': '' },
  kilo: { [`.config/Code/User/globalStorage/kilocode.kilo-code/tasks/${UUID}/${TASK}`]: '[]' },
  'kilo-cli': { '.local/share/kilo/storage/session/work/ses_1.json': '{"id":"ses_1"}' },
  kimi: { [`.kimi-code/sessions/wd_work_1/session_${UUID}/agents/main/wire.jsonl`]: '' },
  kiro: { [`.kiro/sessions/cli/${UUID}.jsonl`]: '' },
  opencode: { '.local/share/opencode/storage/session/work/ses_1.json': '{"id":"ses_1"}' },
  pi: { [`.pi/agent/sessions/--home-ada--/2026_${UUID}.jsonl`]: '' },
  qwen: { [`.qwen/projects/-work/chats/${UUID}.jsonl`]: '' },
  roo: { [`.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/${UUID}/${TASK}`]: '[]' },
  vibe: { '.vibe/logs/session/session_20260102_030405_5f3c0000/messages.jsonl': '' },
};

/** Forms that no program keeps in a place of its own: files that are sent. */
const FORMS = ['asf', 'atif'];
/** Their sessions are in the folders of projects, which a list or other sessions name. */
const LISTED = ['aider', 'crush'];
/** Their sessions are named by a database only. */
const DATABASES = ['hermes'];
const WITH_PLACES = AGENT_NAMES.filter((name) => ![...FORMS, ...LISTED, ...DATABASES].includes(name));

async function idsIn(home: string, name: string): Promise<string[]> {
  const surroundings = { env: {}, home, platform: process.platform };
  const found = findSources(await loadAgent(name), { surroundings, files });
  return found.flatMap(({ sources }) => sources.map(({ id }) => id));
}

it.each(WITH_PLACES)('each folder on the way to a session of %s may be a link', async (name) => {
  const [path] = Object.keys(LAYOUTS[name]!);
  for (let folder = dirname(path!); folder !== '.'; folder = dirname(folder)) {
    using tree = createTree(LAYOUTS[name]!);
    const before = await idsIn(tree.root, name);
    expect(before).toHaveLength(1);
    renameSync(join(tree.root, folder), join(tree.root, 'moved'));
    symlinkSync(join(tree.root, 'moved'), join(tree.root, folder));
    expect([folder, await idsIn(tree.root, name)]).toEqual([folder, before]);
  }
});

it.each(WITH_PLACES)('a link from a folder of %s to one above it ends', async (name) => {
  const [path] = Object.keys(LAYOUTS[name]!);
  using tree = createTree(LAYOUTS[name]!);
  const before = await idsIn(tree.root, name);
  for (let folder = dirname(path!); folder !== '.'; folder = dirname(folder)) {
    symlinkSync(tree.root, join(tree.root, folder, 'up'));
    symlinkSync(join(tree.root, folder), join(tree.root, folder, 'here'));
  }
  expect(await idsIn(tree.root, name)).toEqual(before);
});

/** What may happen to the folders of projects. A name is one of a few, so that they meet. */
const name = fc.constantFrom('-a', '-b', '-c');
const id = fc.constantFrom('aa11', 'bb22');
const inside = fc.boolean();
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('session' as const), name, id, inside }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('copy' as const), name, to: name, inside }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      name,
      to: fc.constantFrom('-a', '-x', '', '..'),
      inside,
    }),
  },
  fc.record({ kind: fc.constant('link to a file' as const), name, to: name, id, inside }),
  fc.record({ kind: fc.constant('move' as const), name, to: name, inside }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

let records = 0;
/** A line with a word that no other line has. */
function line(): string {
  records += 1;
  const message = { role: 'user', content: `quokka word${records}x` };
  const timestamp = new Date(Date.UTC(2026, 0, 1) + records * 1000).toISOString();
  return `${JSON.stringify({ type: 'user', uuid: `u-${records}`, timestamp, cwd: '/home/ada', version: '2.1.0', message })}\n`;
}

/** Carries out a step where it is possible. */
function take(hub: HubWorld, { inside: isInside, ...one }: Step): void {
  const place = join(hub.home, '.claude/projects');
  const at = (folder: string, isIn = isInside) => join(isIn ? place : join(hub.home, 'elsewhere'), folder);
  const here = at(one.name);
  const isFree = (path: string) => lstatSync(path, { throwIfNoEntry: false }) === undefined;
  const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (one.kind === 'session') {
    if (!isFree(here) && !isFolder(here)) return;
    mkdirSync(here, { recursive: true });
    const path = join(here, `${one.id}.jsonl`);
    if (isFree(path) || lstatSync(path).isFile()) appendFileSync(path, line());
  } else if (one.kind === 'copy') {
    const to = at(one.to, true);
    if (!isFolder(here) || !isFree(to)) return;
    cpSync(here, to, { recursive: true, verbatimSymlinks: true });
    for (const file of readdirSync(to)) if (lstatSync(join(to, file)).isFile()) appendFileSync(join(to, file), line());
  } else if (one.kind === 'link') {
    const path = at(`${one.name}-link`, true);
    if (isFree(path)) symlinkSync(at(one.to), path);
  } else if (one.kind === 'link to a file') {
    const path = join(at(one.to, true), `link-${one.id}.jsonl`);
    if (isFolder(dirname(path)) && isFree(path)) symlinkSync(join(here, `${one.id}.jsonl`), path);
  } else if (isFolder(here) && isFree(at(one.to, !isInside))) renameSync(here, at(one.to, !isInside));
}

/** Found without the code under test: the files that Claude Code would take for sessions, and links to others. */
function sessionFiles(place: string): { readonly real: Set<string>; readonly linked: Set<string> } {
  const real = new Set<string>();
  const linked = new Set<string>();
  for (const folder of readdirSync(place)) {
    const path = join(place, folder);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const target = realpathSync(path);
    if (`${realpathSync(place)}${sep}`.startsWith(target + sep)) continue;
    for (const file of readdirSync(path).filter((each) => each.endsWith('.jsonl'))) {
      const at = join(path, file);
      if (lstatSync(at).isFile()) real.add(realpathSync(at));
      else if (existsSync(at)) linked.add(at);
    }
  }
  return { real, linked };
}

const wordsIn = (text: string) => [...text.matchAll(/word\d+x/g)].map(([word]) => word);

it('each readable file is in the list, the search and the imports once, or is reported, with any links and copies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const hub = hubWorld();
      const place = join(hub.home, '.claude/projects');
      mkdirSync(place, { recursive: true });
      mkdirSync(join(hub.home, 'elsewhere'));
      try {
        for (const one of steps) take(hub, one);
        const { real, linked } = sessionFiles(place);
        const contents = [...real].map((path) => wordsIn(readFileSync(path, 'utf8')).join());
        await hub.withApp(async (app) => {
          const listed = await listAll(app, { agent: 'claude' });
          expect(listed.rows).toHaveLength(real.size);
          expect(new Set(listed.rows.map(({ address }) => address)).size).toBe(real.size);
          const synced = await syncSessions(app);
          if (synced.kind !== 'done') throw new Error(synced.kind);
          expect(synced.report).toMatchObject({ sessions: real.size, read: real.size });
          const { hits } = await searchSessions(app, { text: 'quokka', agent: 'claude', limit: 1000 });
          const byAddress = Map.groupBy(hits, (hit) => hit.id);
          const found = [...byAddress.values()].map((those) =>
            those
              .sort((a, b) => a.seq! - b.seq!)
              .flatMap(({ excerpt }) => wordsIn(excerpt.text))
              .join(),
          );
          expect(found.sort()).toEqual([...contents].sort());
          const imported = await importForeign(app, { all: true });
          expect(imported).toMatchObject({ sessions: real.size, imported: real.size });
          // A repeated import creates no second session.
          expect(await importForeign(app, { all: true })).toMatchObject({
            unchanged: real.size,
            imported: 0,
            again: 0,
          });
          for (const paths of [
            listed.unreadable.map(({ path }) => path),
            synced.report.skipped.map(({ address }) => address),
          ]) {
            const known = new Set([...real, ...paths.map((path) => realpathSync(path))]);
            expect([...linked].filter((path) => !known.has(realpathSync(path)))).toEqual([]);
          }
          const journals = (existsSync(hub.sessions) ? readdirSync(hub.sessions) : []).filter((file) =>
            file.endsWith('.jsonl'),
          );
          const kept = journals.map((file) => new Set(wordsIn(readFileSync(join(hub.sessions, file), 'utf8'))));
          expect(kept.map((words) => [...words].join()).sort()).toEqual([...contents].sort());
        });
      } finally {
        hub.remove();
      }
    }),
    { numRuns: 100 },
  );
});
