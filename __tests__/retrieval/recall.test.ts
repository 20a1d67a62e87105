// The passages that a question finds in sessions and files, those that are excluded, and the removal of deleted ones.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../lib/app/app.ts';
import { type FoundPassage, type RecallRequest, recall } from '../../lib/app/recall/recall.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { forkSession } from '../../lib/app/sessions/change/fork-session.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { PASSAGES_NAME } from '../../lib/retrieval/schema.ts';
import { callOf, type HubWorld, hubWorld, type Variables } from '../hub/world.ts';
import { said } from '../session/world.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { until } from '../support/until.ts';

let hub: HubWorld;
let tree: Tree;
beforeEach(() => {
  hub = hubWorld();
  tree = createTree();
});
afterEach(() => {
  tree[Symbol.dispose]();
  hub.remove();
});

const ask = (request: string | RecallRequest, env: Variables = {}): Promise<readonly FoundPassage[]> => {
  const asked = typeof request === 'string' ? { text: request } : request;
  return hub.withApp(async (app) => (await recall(app, asked)).passages, env);
};
const inTree = (text: string) => ask({ text, scope: { project: tree.root } });
const places = (passages: readonly FoundPassage[]) => passages.map(({ place }) => place);

function bytes(): string {
  const names = readdirSync(hub.home).filter((name) => name.startsWith('passages'));
  return names.map((name) => readFileSync(join(hub.home, name), 'latin1')).join('');
}

function opened<Result>(use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(hub.home, PASSAGES_NAME));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

describe('recall of files', () => {
  it('finds a passage by its words in any form, with its place, its heading, and the reason', async () => {
    tree.write({ 'docs/locks.md': '# Locks\n\nSome words.\n\n## Ends\n\nEach writer releases the lock at the end.\n' });
    const [passage] = await inTree('when is a lock released?');
    expect(passage).toMatchObject({
      place: 'docs/locks.md:1',
      kind: 'file',
      project: tree.root,
      about: 'docs/locks.md › Locks',
      words: ['lock', 'released'],
      ranks: { words: 1 },
    });
  });

  it('follows changed, new and deleted files, and reads no others again', async () => {
    tree.write({ 'a.md': 'The anchor is iron.', 'b.md': 'The mast is of spruce.', 'c.md': 'The sail is white.' });
    expect(places(await inTree('anchor'))).toEqual(['a.md:1']);
    const before = opened((database) => database.prepare("SELECT stamp FROM sources WHERE name = 'b.md'").get());
    tree.write({ 'a.md': 'A rudder instead, and longer than before.', 'd.md': 'A keel of oak.' });
    unlinkSync(join(tree.root, 'c.md'));
    expect(places(await inTree('anchor sail'))).toEqual([]);
    expect(places(await inTree('rudder keel')).sort()).toEqual(['a.md:1', 'd.md:1']);
    expect(opened((database) => database.prepare("SELECT stamp FROM sources WHERE name = 'b.md'").get())).toEqual(
      before,
    );
    expect(opened((database) => database.prepare('SELECT count(*) AS n FROM passages').get())).toEqual({ n: 3 });
  });

  it("excludes binary and huge files, files with keys, ignored ones and ollm's own, and redacts secrets in others", async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    tree.write({
      'image.bin': Buffer.from([0, 1, 2, 0x61, 0x6e, 0x63, 0x68, 0x6f, 0x72]),
      '.env': 'ANCHOR=anchor',
      '.gitignore': 'out.log\n',
      'out.log': 'anchor',
      'huge.md': 'anchor '.repeat(160_000),
      '.ollm/session-data/x.jsonl': 'anchor',
      'notes.md': `The anchor token is ${token}.`,
    });
    const [passage, ...others] = await inTree('anchor');
    expect([passage?.place, others]).toEqual(['notes.md:1', []]);
    expect(passage?.text).toBe('The anchor token is [redacted github-token 40].');
    expect(bytes()).not.toContain(token);
  });

  it('returns two nearly equal passages once', async () => {
    const text = 'The bilge pump runs every ten minutes while the engine is on.';
    tree.write({ 'a.md': text, 'b.md': `${text} Always.`, 'c.md': 'The bilge is dry.' });
    expect(places(await inTree('bilge pump'))).toHaveLength(2);
  });

  it('searches only the named directory', async () => {
    tree.write({ 'one/a.md': 'The anchor is iron.', 'two/b.md': 'The anchor is bronze.' });
    const scope = { project: join(tree.root, 'one') };
    await ask({ text: 'anchor', scope: { project: join(tree.root, 'two') } });
    expect((await ask({ text: 'anchor', scope })).map(({ text }) => text)).toEqual(['The anchor is iron.']);
    expect(await ask({ text: 'anchor', scope: { ...scope, kind: 'session' } })).toEqual([]);
  });

  it('treats the syntax of the index in a question as words', async () => {
    tree.write({ 'a.md': 'NEAR the "anchor" AND the mast* OR (rope) NOT about: text.' });
    for (const text of [
      '"anchor" AND',
      'NEAR(anchor',
      'about:anchor',
      "anchor'; DROP TABLE words; --",
      'anchor* ^ + -',
    ]) {
      expect(places(await inTree(text))).toEqual(['a.md:1']);
    }
    expect(await inTree('?!')).toEqual([]);
    await expect(inTree('  ')).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('recall of sessions', () => {
  it('finds a message by its address, and the error in an output', async () => {
    const filler = 'all is in order\n'.repeat(200);
    await hub.make('oak', [
      'Which port does the harbour server listen on?',
      said('assistant', 'It listens on 8471, as harbour.toml says.'),
      ...callOf(
        'c1',
        { command: 'npm run build' },
        `${filler}src/gear.ts: error TS2304: Cannot find name 'Cog'.\n${filler}`,
      ),
    ]);
    expect(places(await ask('port of the harbour server'))).toContain('ollm:oak#2');
    const [failure] = await ask('why did the build fail');
    expect(failure?.about).toContain('bash › command: npm run build › failed with an error');
    expect(failure?.text).toContain("Cannot find name 'Cog'");
  });

  it('finds an output by its command only at its beginning, and not at each of its lines', async () => {
    const numbers = Array.from({ length: 3_000 }, (_, index) => `${100_000 + index} ${'abcdefghij'.repeat(4)}`).join(
      '\n',
    );
    await hub.make('oak', ['Please count the knots.', ...callOf('c1', { command: 'count knots of rope' }, numbers)]);
    const found = await ask('count the knots of the rope');
    expect(found.map(({ place }) => place)).toEqual([...new Set(found.map(({ place }) => place))]);
    expect(opened((database) => database.prepare('SELECT count(*) AS n FROM passages').get()!.n)).toBeGreaterThan(4);
    const holding = opened((database) =>
      database.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'knot'").get(),
    );
    expect(holding).toEqual({ n: 2 });
  });

  it('leaves out injected texts, thoughts, searches, files that were read, and its own results', async () => {
    const called = (callId: string, name: string) =>
      callOf(callId, { query: 'x' }, 'The gudgeon is bronze, and so is the pintle.').map((event) =>
        event.type === 'tool.requested' ? ({ ...event, data: { ...event.data, name } } as NewOllmEvent) : event,
      );
    const parts = [{ type: 'text' as const, text: 'The gudgeon is bronze, and so is the pintle.' }];
    await hub.make('oak', [
      said('system', 'The gudgeon is bronze, and so is the pintle.'),
      { type: 'message.added', data: { role: 'user', parts, trusted: false, synthetic: true } },
      {
        type: 'retrieval.added',
        data: {
          query: 'gudgeon',
          chunks: [{ source: 'a', text: parts[0]!.text, score: 1, tokens: 9 }],
          trusted: false,
        },
      },
      {
        type: 'context.added',
        data: { key: 'k', content: parts[0]!.text, source: 'user', priority: 1, trusted: true },
      },
      {
        type: 'message.added',
        data: { role: 'assistant', parts: [{ type: 'reasoning', text: parts[0]!.text }], trusted: false },
      },
      ...['recall', 'history_read', 'search_files', 'file_read', 'Read', 'Grep', 'mcp__fs__read_text_file'].flatMap(
        (name, index) => called(`c${index}`, name),
      ),
    ]);
    expect(await ask('gudgeon pintle')).toEqual([]);
    await hub.goOn('oak', called('d', 'bash'));
    expect(await ask('gudgeon pintle')).toHaveLength(1);
  });

  it('leaves out shell output of a file that exists here, and no other output', async () => {
    tree.write({ 'gear.md': 'The gudgeon is bronze, and so is the pintle.' });
    await hub.make('oak', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'Look.' }], trusted: true } },
      ...callOf('c1', { command: `cat ${tree.root}/gear.md` }, 'The gudgeon is iron, as it was a year ago.'),
      ...callOf('c2', { command: `tail ${tree.root}/build.log` }, 'The gudgeon could not be built: no bronze.'),
      ...callOf('c3', { command: `cat ${tree.root}/gear.md && make` }, 'The gudgeon is made of bronze by make.'),
    ]);
    await inTree('gudgeon');
    expect((await ask('gudgeon')).map(({ text }) => text).sort()).toEqual([
      'The gudgeon could not be built: no bronze.',
      'The gudgeon is bronze, and so is the pintle.',
      'The gudgeon is made of bronze by make.',
    ]);
  });

  it('leaves out answers of the offline provider, which quote other sources', async () => {
    const notice =
      '*This is a search, not a language model: it looked through 1 file of `/home/ada`, and this session.*';
    await hub.make('oak', [said('assistant', `**\`a.md:1\`**\n\nThe gudgeon is bronze.\n\n${notice}\n`)]);
    expect(await ask('gudgeon')).toEqual([]);
  });

  it('indexes a record and its copy in a fork once, and keeps it for the fork when the first is deleted', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and so is the pintle.']);
    await hub.withApp((app) => forkSession(app, 'oak', { name: 'elm' }));
    expect(await ask('gudgeon')).toHaveLength(1);
    expect(opened((database) => database.prepare('SELECT count(*) AS n FROM passages').get())).toEqual({ n: 1 });
    await hub.withApp((app) => deleteSession(app, 'oak', { purge: true }));
    expect(places(await ask('gudgeon'))).toEqual([expect.stringMatching(/^ollm:elm#/)]);
    expect(opened((database) => database.prepare('SELECT count(*) AS n FROM places').get())).toEqual({ n: 1 });
  });

  it('adds later messages of a session, and nothing twice', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and it is old.']);
    await ask('gudgeon');
    await hub.goOn('oak', ['The pintle is bronze, and it is new.']);
    expect(await ask('pintle')).toHaveLength(1);
    expect(opened((database) => database.prepare('SELECT count(*) AS n FROM places').get())).toEqual({ n: 2 });
  });

  it('leaves out undone messages, also if they were found before, and finds them once the undo is reverted', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and it is old.', 'The pintle is bronze, and it is new.']);
    expect(places(await ask('bronze'))).toHaveLength(2);
    await hub.goOn('oak', [{ type: 'branch.moved', data: { head: 1, reason: 'undo' } }]);
    expect(places(await ask('bronze'))).toEqual(['ollm:oak#1']);
    await hub.goOn('oak', ['The garboard is of bronze as well, and new.']);
    const said = places(await ask('bronze'));
    expect(said).toHaveLength(2);
    expect(said).not.toContain('ollm:oak#2');
    await hub.goOn('oak', [{ type: 'branch.moved', data: { head: 2, reason: 'undo' } }]);
    expect(places(await ask('bronze')).sort()).toEqual(['ollm:oak#1', 'ollm:oak#2']);
  });

  it('keeps no byte of a session that was purged', async () => {
    await hub.make('oak', ['The gudgeonword is bronze, and so is the pintle.']);
    await hub.make('elm', ['The garboard is the strake beside the keel.']);
    await ask('gudgeonword');
    expect(bytes()).toContain('gudgeonword');
    await hub.withApp((app) => deleteSession(app, 'oak', { purge: true }));
    expect(bytes()).not.toContain('gudgeonword');
    expect(bytes()).toContain('garboard');
  });

  it('keeps no session once new sessions are encrypted, and never an encrypted one', async () => {
    await hub.make('oak', ['The gudgeonword is bronze, and so is the pintle.']);
    await ask('gudgeonword');
    const key = join(hub.home, '..', 'key');
    writeFileSync(key, 'a key file that is for the tests', { mode: 0o600 });
    const env = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: key };
    await hub.make('elm', ['The garboardword is the strake beside the keel.'], env);
    expect(await ask('gudgeonword garboardword', env)).toEqual([]);
    expect(bytes()).not.toMatch(/gudgeonword|garboardword/);
  });

  it('names the directory of a session, and finds only those of one directory', async () => {
    await hub.make('oak', ['The gudgeon is bronze, and so is the pintle.']);
    await hub.make('elm', ['The gudgeon is iron, and the pintle is wood.']);
    const found = await ask({ text: 'gudgeon', scope: { project: '/home/ada/elm', kind: 'session' } });
    expect(found.map(({ place, project }) => [place, project])).toEqual([['ollm:elm#1', '/home/ada/elm']]);
  });
});

describe('the index of passages', () => {
  it('is readable only by its user, and is created again if it is damaged or was removed', async () => {
    tree.write({ 'a.md': 'The anchor is iron.' });
    expect(await inTree('anchor')).toHaveLength(1);
    const path = join(hub.home, PASSAGES_NAME);
    expect(statSync(path).mode & 0o077).toBe(0);
    writeFileSync(path, 'not a database'.repeat(1_000));
    expect(await inTree('anchor')).toHaveLength(1);
    rmSync(path);
    expect(await inTree('anchor')).toHaveLength(1);
  });

  it('is used unchanged while a different process updates it, and says so', async () => {
    tree.write({ 'a.md': 'The anchor is iron.' });
    await inTree('anchor');
    tree.write({ 'b.md': 'The anchor is bronze.' });
    await hub.withApp(async (app) => {
      const lock = app.fileSystem.open(join(hub.home, 'passages-sync.lock'), 'lock', 0o600);
      lock.tryLock('exclusive');
      const { passages, notes } = await recall(app, { text: 'anchor', scope: { project: tree.root } });
      lock.close();
      expect([places(passages), notes]).toEqual([
        ['a.md:1'],
        ['Another process brings the index up to date: what is new may be missing.'],
      ]);
    });
    expect(await inTree('anchor')).toHaveLength(2);
  });

  it('is whole again after an indexing process was killed, at any time', async () => {
    const files = Array.from({ length: 300 }, (_, index) => [
      `f${index}.md`,
      `The anchor number ${index} of ${'x '.repeat(200)}`,
    ]);
    tree.write(Object.fromEntries(files));
    for (const count of [1, 3]) {
      const child = spawn(
        process.execPath,
        ['--no-warnings', join(import.meta.dirname, 'recall-child.ts'), tree.root],
        { env: { ...process.env, HOME: hub.home, OLLM_HOME: hub.home }, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let said = '';
      child.stdout.on('data', (text) => {
        said += text;
      });
      await until(() => said.split('\n').length > count * 40);
      child.kill('SIGKILL');
      await new Promise((done) => child.on('close', done));
    }
    const found = await ask({ text: 'anchor', limit: 1_000, scope: { project: tree.root } });
    expect(found.length).toBeGreaterThan(0);
    const counts = opened((database) =>
      database
        .prepare(
          `SELECT (SELECT count(*) FROM sources) AS sources, (SELECT count(*) FROM places) AS places,
          (SELECT count(*) FROM passages) AS passages, (SELECT count(*) FROM words) AS words`,
        )
        .get(),
    );
    expect(counts).toEqual({ sources: 300, places: 300, passages: 300, words: 300 });
  });

  it('adds as much as the time allows, and reports how much waits for the next question', async () => {
    tree.write({ 'a.md': 'The anchor is iron.', 'b.md': 'The anchor is bronze.' });
    const request = { text: 'anchor', scope: { project: tree.root, kind: 'file' } } as const;
    const { passages, notes } = await hub.withApp((app) => recall(app, request, { updateMs: -1 }));
    expect([places(passages), notes]).toEqual([
      [],
      ['2 files and sessions are not indexed yet: ask again, and more of them are.'],
    ]);
    expect(await ask(request)).toHaveLength(2);
  });

  it('has no files of a home directory', async () => {
    tree.write({ 'a.md': 'The anchor is iron.' });
    const request = { text: 'anchor', scope: { project: tree.root } };
    expect(await ask(request, { HOME: tree.root })).toEqual([]);
    expect(await ask(request)).toHaveLength(1);
  });

  it('is not stored for sessions in memory', async () => {
    const inMemory = (app: App) => recall(app, { text: 'anchor' });
    await expect(hub.withApp(inMemory, { OLLM_SERVICES__SESSION__MODE: 'ephemeral' })).rejects.toMatchObject({
      code: 'IO_FAILED',
    });
  });
});
