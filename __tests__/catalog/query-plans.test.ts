// How SQLite carries out each statement of the catalogue and of the passages. A statement that looks at every row of a
// table, or at all rows that share only the beginning of an index, is named here with the reason why it may.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { blameFile } from '../../lib/app/blame/blame-file.ts';
import { traceOfSession } from '../../lib/app/blame/trace-of-session.ts';
import { handOver } from '../../lib/app/handover/hand-over.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { titleForeign } from '../../lib/app/list/foreign-notes.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { openListMemory } from '../../lib/app/list/list-memory.ts';
import { subagentImports } from '../../lib/app/list/subagent-imports.ts';
import { projectSearch } from '../../lib/app/providers/project-search.ts';
import { recall } from '../../lib/app/recall/recall.ts';
import { projectFiles } from '../../lib/app/repository/project-files.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { listPage } from '../../lib/app/sessions/read/list-page.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { stats } from '../../lib/app/sessions/read/stats.ts';
import { rowsWith } from '../../lib/catalog/most-words.ts';
import { nearestPassages, provideOwnDistance } from '../../lib/retrieval/compare-vectors.ts';
import { PASSAGES_NAME } from '../../lib/retrieval/schema.ts';
import { callOf, type HubWorld, hubWorld, type Variables } from '../hub/world.ts';
import { CLAUDE_FILE, CLAUDE_ID, claudePrompt, lines } from '../support/agent-homes.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import { type RecordedStatement, recordStatements } from '../support/recorded-statements.ts';
import { databaseOwners } from '../support/sessions-in-databases.ts';
import { createTree, type Tree } from '../support/tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Statements that may look at more rows than they answer with, each by its beginning, and why. */
const ALLOWED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'the table has one row for each program': ['SELECT agent, number FROM revisions'],
    'it joins the numbers of the rows that were found': ['SELECT json_group_array(id) AS ids FROM (SELECT rowid AS id'],
    'it looks at no table': ['SELECT total_changes() AS n'],
    'it looks at the first word of each page of an index, once for each sync that brought texts in': [
      'SELECT count(DISTINCT segid) AS n FROM',
    ],
    'it answers with every session of one program, or at one place': [
      'SELECT id, path, number, state',
      'SELECT id, path, title, project',
      'SELECT key, source, stamp, passing FROM listed',
      'SELECT DISTINCT key FROM listed',
      'SELECT key, stamp, reader, summary, summed FROM listed',
      'SELECT count(DISTINCT key) AS count FROM listed',
      'INSERT OR IGNORE INTO main.listed SELECT',
      'SELECT count(*) AS count FROM stored.listed',
      'DELETE FROM listed WHERE owner',
      'SELECT number, id FROM sessions WHERE agent = ?',
      'SELECT id FROM sessions WHERE agent = ?:',
      'SELECT id, parent FROM sessions WHERE agent = ?:',
      'SELECT number FROM sessions WHERE agent = ?:',
    ],
    'it answers with the directories of all sessions that have a remote': [
      'SELECT project, remote FROM sessions WHERE remote IS NOT NULL',
    ],
    'it answers with every session that names its source, of which there are few': [
      'SELECT agent, id, copied FROM sessions',
    ],
    'it answers with every session, or every source of a kind': [
      'SELECT s.number AS session',
      'SELECT number, home, name, stamp FROM sources',
      'SELECT name, number, stamp FROM sources',
      'SELECT number, kind, home, name, project FROM sources',
      'SELECT home, name FROM sources',
      'SELECT agent, directory, id FROM sessions',
    ],
    'it compares each session with a directory or a time, once for each command': [
      'WITH roots AS',
      'SELECT number, agent, id, parent, title, project, branch, last_activity AS at, state, program_id AS programId FROM sessions WHERE (?1',
    ],
    'it names the directories of all sessions, once for each sync': [
      'SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY project',
    ],
    'a list that is made once asks a table of its own, which has no indexes': [
      'SELECT owner, directory, key, source',
      'SELECT key FROM listed WHERE owner',
      'SELECT row FROM listed WHERE',
      'SELECT count(*) AS count FROM listed',
    ],
    'it adds up what happened since a time, once for each command': [
      'SELECT session, kind, at /',
      'SELECT number, agent, id, title, project, remote, parent FROM sessions',
    ],
    'it answers with what one session or source has, or removes it': [
      'SELECT id, seq, size FROM messages',
      'SELECT c.seq, c.at, c.state',
      'DELETE FROM changes',
      'SELECT DISTINCT message, size FROM places',
      'SELECT DISTINCT passage FROM places',
      'DELETE FROM places WHERE source = ?:',
      'INSERT OR IGNORE INTO scoped',
      "SELECT * FROM messages WHERE session = ? AND message = ? AND kind <> 'call'",
      'SELECT name, stamp, outline FROM outlines WHERE home = ?',
      'DELETE FROM outlines WHERE home = ?:',
    ],
    'it looks at the passages of one file, or of the files of one scope': [
      'SELECT p.text FROM places l JOIN passages p',
      'SELECT p.id, p.about, p.text FROM places l JOIN passages p',
      'SELECT passage FROM places WHERE source IN',
      'SELECT skipped, count(*) AS n FROM sources',
    ],
    'it looks at the numbers of one session, where a user changed the arguments of a call': [
      'SELECT id, text FROM messages WHERE session = ? AND seq = ? AND kind',
    ],
    'it looks at the numbers of the session of a call that is shown': ['SELECT m.text FROM messages m JOIN sessions s'],
    'it looks at the messages of the session of a passage that answers a question': [
      'SELECT m.id, m.session, m.seq, m.key, m.role, m.at, m.kind, m.size, m.tool, s.agent, s.id AS name, s.title, s.project, s.state, s.branches, s.parent, s.program_id AS programId FROM messages m JOIN sessions s ON s.number = m.session WHERE m.session IN',
    ],
    'it looks at the numbers of one session that grew, in the index alone': ['SELECT id FROM messages WHERE session'],
    'it ends at the first row': [
      'SELECT 1 FROM sessions WHERE agent <> ?',
      'SELECT 1 FROM vectors LIMIT 1',
      'SELECT 1 FROM outlines WHERE home',
    ],
    'it sorts the newest hits of a common word, at most 20,000': ['SELECT id, rank FROM ( SELECT w.rowid'],
    'the table has one row': ['SELECT model, dimensions FROM embedding'],
    'it counts, in an index where there is one': ['SELECT count(*) AS n FROM'],
    'a question is compared with each vector': ['SELECT passage, vec_distance_cosine'],
    'sessions are removed permanently, and the file is written again for that': ['SELECT number FROM sources'],
  }).flatMap(([reason, statements]) => statements.map((statement) => [statement, reason])),
);

const SAID = { type: 'text', text: 'Pelicans fold their wings before they land.' } as const;

const WROTE = { path: 'a.md', content: 'Pelicans fold their wings before they land.\n' };

let hub: HubWorld;
let tree: Tree;
let server: EmbeddingServer;
let recorded: readonly RecordedStatement[];

beforeAll(async () => {
  hub = hubWorld();
  tree = createTree();
  server = await startEmbeddingServer();
  recorded = await recordStatements(useEverything);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  tree[Symbol.dispose]();
  hub.remove();
});

async function useEverything(): Promise<void> {
  const file = join(hub.home, CLAUDE_FILE);
  mkdirSync(join(file, '..'), { recursive: true });
  mkdirSync(join(hub.home, '.codex'));
  writeFileSync(file, lines([claudePrompt('a1', 'How do pelicans land on water?', '2026-11-20T10:00:00.000Z')]));
  await hub.make('oak', [
    'How do pelicans land on water in a storm?',
    { type: 'message.added', data: { role: 'user', parts: [SAID], trusted: true, message: 'm-1' } },
    { type: 'tool.requested', data: { callId: 'c-0', name: 'file_write', args: WROTE } },
    { type: 'tool.decided', data: { callId: 'c-0', decision: 'allow', by: 'user', args: WROTE } },
    {
      type: 'tool.finished',
      data: { callId: 'c-0', status: 'ok', result: { llmContent: 'done' }, durationMs: 1, trusted: false },
    },
    ...callOf('c-1', { command: `cat ${join(tree.root, 'a.md')}` }, 'A pelican lands feet first on the water, always.'),
  ]);
  const owners = databaseOwners(hub.home);
  owners[0]!.begin('it');
  owners[0]!.say('it', 0, 'One of many sessions in a database');
  // More than are sorted first, so that a filter which none of them passes looks further.
  await hub.make('flock', Array<string>(401).fill('A heron'));
  const origin = { address: 'claude:5f3c0000-aaaa-4bbb-8ccc-000000000000' };
  await hub.make(origin.address.replace(':', '-'), ['How do pelicans land?'], {}, { imported: true, origin });
  await hub.withApp(async (app) => {
    await listAll(app);
    await titleForeign(app, `claude:${CLAUDE_ID}`, 'Pelicans');
    await importForeign(app, { all: true });
    await subagentImports(app, await app.store.list());
    const file = { bytes: 1, modifiedMs: 0, inode: 1n, changedNs: 1n, isOrdinary: true };
    await app.catalog.find(
      { agent: 'ollm', directory: hub.sessions, reader: '1' },
      Array.from({ length: 300 }, (_, index) => ({ ...file, id: `many-${index}` })),
    );
    await syncSessions(app);
    for (const { idle } of owners) idle();
    await handOver(app, 'oak', { to: 'codex' });
    await syncSessions(app);
    for (const { database } of owners) database.close();
    await stats(app, { by: ['day'] });
    await listPage(app, { limit: 10, memory: openListMemory(app) });
    for (const request of [
      { text: 'pelicans' },
      { text: 'pelicans', agent: 'claude', project: hub.home },
      { text: 'pel.cans', isRegex: true },
      { text: 'pelicans title:pelicans path:a.md project:home since:9w' },
      { text: 'since:9w agent:claude' },
      { text: 'how do pelicanx land on the waters' },
      { text: 'heron', limit: 5, isCounted: true },
      { text: 'heron role:assistant' },
    ])
      await searchSessions(app, request);
    await blameFile(app, { file: join(hub.home, CLAUDE_FILE) });
    tree.write({ 'a.md': WROTE.content });
    await blameFile(app, { file: join(tree.root, 'a.md'), project: '/home/ada/oak' });
    await traceOfSession(app, 'oak');
  });
  await askAll();
  // Little has all words: passages follow.
  await hub.withApp((app) => searchSessions(app, { text: 'where do pelicans land feet first during storms' }));
  await hub.goOn('oak', [
    'More about how pelicans land on rough water',
    { type: 'message.replaced', data: { message: 'm-1', parts: [{ type: 'text', text: 'Other words' }] } },
    { type: 'session.titled', data: { title: 'Birds', by: 'user' } },
  ]);
  await hub.withApp((app) => syncSessions(app));
  await askAll();
  rmSync(file);
  await hub.withApp(async (app) => {
    await syncSessions(app);
    await deleteSession(app, 'oak', { purge: true });
  });
  await hub.make('ash', ['Encrypted at rest from now on']);
  await hub.withApp((app) => syncSessions(app));
  await hub.withApp((app) => syncSessions(app), { OLLM_RETENTION__ENCRYPT_AT_REST: 'true' });
}

/** Questions with and without a place, with vectors of two models, and over an open index as the worker asks it. */
async function askAll(): Promise<void> {
  const models: readonly Variables[] = ['hash', 'other'].map((model) => ({
    OLLAMA_HOST: server.url,
    OLLM_RETRIEVAL__EMBEDDINGS__MODEL: model,
  }));
  tree.write({ 'README.md': '# Birds\n\nThis project counts pelicans on the water.\n' });
  tree.write({ 'a.md': '# Birds\n\nPelicans land on water with their feet first, whatever the weather.\n' });
  for (const env of [{}, ...models]) {
    await hub.withApp(async (app) => {
      const asking = { ...app, paths: { ...app.paths, project: tree.root } };
      const text = 'how do pelicans land on water in a storm?';
      await recall(asking, { text });
      await recall(asking, { text, scope: { project: tree.root } });
      await recall(asking, { text: 'What is this project?', scope: { project: tree.root } });
      const search = projectSearch(asking, projectFiles(asking, { root: tree.root }));
      await search.find('Where do pelicans land?', { limit: 3, signal: new AbortController().signal });
      // Only files that may answer become passages in a project of this size.
      const many = Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`src/bird-${index}.md`, `Bird ${index}`]),
      );
      tree.write(many);
      await search.find('Where do pelicans land?', { limit: 3, signal: new AbortController().signal });
      for (const name of Object.keys(many)) rmSync(join(tree.root, name));
      await search.rank('pelicans', ['Pelicans land.', 'Nothing of the kind.']);
      await (await app.passages())?.counts('ollama other');
      await app.catalog.ask((database) => rowsWith(database, 'words', 'pelicans', 0));
    }, env);
  }
  const database = new DatabaseSync(join(hub.home, PASSAGES_NAME));
  try {
    provideOwnDistance(database);
    const { model, dimensions } = database.prepare('SELECT model, dimensions FROM embedding').get() as never;
    const vector = new Float32Array(dimensions).fill(1);
    for (const sources of [undefined, [1, 2]]) {
      for (const most of [undefined, 1])
        nearestPassages(database, { model, vector, sources, best: [1], limit: 2, most });
    }
  } finally {
    database.close();
  }
}

/** Where the code prepares a statement of one of the two files. */
function placesInCode(): string[] {
  const folders = ['catalog', 'retrieval', 'hub', 'app'].map((folder) => join('lib', folder));
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((text, index) => (/^(?! \*).*\.prepare\(/.test(text) ? [`${file}:${index + 1}`] : [])),
  );
}

it('each statement in the code of the catalogue and of the passages is examined here', () => {
  const seen = new Set(recorded.map(({ place }) => place));
  expect(placesInCode().filter((place) => !seen.has(place))).toEqual([]);
  expect(seen.size).toBeGreaterThan(40);
});

/** The steps that look at all rows, or at all with one beginning of an index. */
function looseSteps({ plan, indexes }: RecordedStatement): string[] {
  return plan.filter((step) => {
    if (/^SCAN /.test(step)) return !/ VIRTUAL TABLE INDEX /.test(step);
    const [, name, terms] = / INDEX (\S+) \((.*)\)/.exec(step) ?? [];
    const columns = name === undefined ? undefined : indexes.get(name);
    return columns !== undefined && (terms?.match(/=\?/g)?.length ?? 0) < columns.length;
  });
}

it('no statement examines more rows than it returns, except those that are listed with their reason', () => {
  const loose = recorded.flatMap((each) => looseSteps(each).map((step) => `${each.sql}: ${step}`));
  const unnamed = loose.filter((line) => !Object.keys(ALLOWED).some((known) => line.startsWith(known)));
  expect(unnamed).toEqual([]);
  expect(Object.keys(ALLOWED).filter((known) => !loose.some((line) => line.startsWith(known)))).toEqual([]);
});
