import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Source } from '../../../lib/agents/agent.ts';
import { cursor } from '../../../lib/agents/cursor/cursor.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { budgetFold } from '../../../lib/projections/budget.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { summaryFold } from '../../../lib/projections/summary.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { eventsIn, eventsOf, files, lookBelow, textsOf } from '../reading.ts';

const REAL = fileURLToPath(new URL('../../../../shared/data/agents/cursor/slevin48__cursor-history/', import.meta.url));
const START = 1_772_352_000_000;

describeAgent(cursor);

describe('a session in a database of Cursor', () => {
  it('of the command line is read while its owner runs, and leaves the directory unchanged', async () => {
    using tree = createTree({ '.cursor/chats/aa/5f3c/': '' });
    using store = new Store(join(tree.root, '.cursor/chats/aa/5f3c/store.db'), 'hex');
    store.say('user', '<user_query>\nHow long is the mast?\n</user_query>');
    store.say('assistant', 'Nine metres.');
    const [source] = sourcesIn(tree);
    expect(source).toMatchObject({ id: '5f3c', startedAt: '2026-03-01T08:00:00.000Z' });
    const before = lookBelow(tree.root);
    const reader = openForeign(cursor, source!, files);
    for await (const batch of reader.outcomes()) {
      expect(textsOf(eventsIn([batch]))).toEqual(['How long is the mast?', 'Nine metres.']);
      expect(lookBelow(tree.root)).toEqual(before);
      store.say('user', '<user_query>\nAnd the boom?\n</user_query>');
    }
    const written = lookBelow(tree.root);
    const events = await eventsOf(reader);
    expect(events[0]).toMatchObject({ data: { title: 'The mast', model: 'gpt-5.4' }, position: { generation: 0 } });
    expect(textsOf(events)).toEqual(['How long is the mast?', 'Nine metres.', 'And the boom?']);
    expect(readHead(cursor, source!, files)).toEqual({
      id: '5f3c',
      title: 'The mast',
      model: 'gpt-5.4',
      startedAt: '2026-03-01T08:00:00.000Z',
      firstPrompt: 'How long is the mast?',
    });
    expect(lookBelow(tree.root)).toEqual(written);
  });

  it.each(['hex', 'json'] as const)(
    'never shows the key of the session to the reader if it is stored as %s',
    async (form) => {
      using tree = createTree({ '.cursor/chats/aa/5f3c/': '' });
      using store = new Store(join(tree.root, '.cursor/chats/aa/5f3c/store.db'), form);
      store.say('user', 'Hello');
      const [source] = sourcesIn(tree);
      const stored = cursor.stored(source!);
      const database = {
        has: () => true,
        close: () => {},
        [Symbol.dispose]: () => {},
        all: (sql: string, ...more: readonly (string | number)[]) => store.all(sql, more),
      };
      const records = stored.kind === 'rows' ? [...stored.rows(database, source!)] : [];
      expect(records).toHaveLength(2);
      expect(JSON.stringify([records, source, readHead(cursor, source!, files)])).not.toContain('SECRET');
    },
  );

  it('has only the messages of the newest list in its conversation', async () => {
    using tree = createTree({ '.cursor/chats/aa/5f3c/': '' });
    using store = new Store(join(tree.root, '.cursor/chats/aa/5f3c/store.db'), 'hex');
    store.say('user', 'Say one');
    store.say('assistant', 'one');
    const [source] = sourcesIn(tree);
    const reader = openForeign(cursor, source!, files);
    expect(textsOf(await eventsOf(reader))).toEqual(['Say one', 'one']);
    store.forget(1);
    store.say('assistant', 'two');
    const events = await eventsOf(reader);
    expect(textsOf(events)).toEqual(['Say one', 'two']);
    expect(events[0]?.position.generation).toBe(1);
  });

  it('gives the whole messages of a cut or invalid list', async () => {
    using tree = createTree({ '.cursor/chats/aa/5f3c/': '' });
    using store = new Store(join(tree.root, '.cursor/chats/aa/5f3c/store.db'), 'hex');
    store.say('user', 'Say one');
    store.say('assistant', 'one');
    const [source] = sourcesIn(tree);
    for (const [root, texts] of [
      [store.root.subarray(0, 40), ['Say one']],
      [Buffer.concat([Buffer.from([0x40, 0x96, 0x01, 0x45, 1, 2, 3, 4]), store.root]), ['Say one', 'one']],
      [Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), []],
      [Buffer.alloc(0), []],
    ] as const) {
      store.point(root);
      expect(textsOf(await eventsOf(openForeign(cursor, source!, files)))).toEqual(texts);
    }
  });

  it('of the editor is read by its own keys, in their order, without its tokens', async () => {
    using tree = createTree({
      [`${EDITOR}/globalStorage/`]: '',
      [`${EDITOR}/workspaceStorage/w1/workspace.json`]: '{"folder":"file:///home/ada/boat"}',
    });
    using all = new Pairs(join(tree.root, EDITOR, 'globalStorage/state.vscdb'), 'cursorDiskKV', 'WAL');
    using own = new Pairs(join(tree.root, EDITOR, 'workspaceStorage/w1/state.vscdb'), 'ItemTable', 'DELETE');
    own.set('composer.composerData', { allComposers: [{ composerId: 'c1', name: 'The mast' }] });
    own.set('cursorAuth/accessToken', 'SECRET');
    all.set('cursorAuth/accessToken', 'SECRET');
    const headers = [
      { bubbleId: 'b2', type: 1 },
      { bubbleId: 'b1', type: 2 },
      { bubbleId: 'gone', type: 2 },
    ];
    all.set('composerData:c1', {
      composerId: 'c1',
      name: 'The mast',
      createdAt: START,
      lastUpdatedAt: START + 1,
      status: 'completed',
      fullConversationHeadersOnly: headers,
    });
    all.set('bubbleId:c1:b2', {
      type: 1,
      bubbleId: 'b2',
      text: 'How long is the mast?',
      richText: '{}',
      createdAt: '2026-03-01T08:00:01.000Z',
    });
    all.set('bubbleId:c1:b1', { type: 2, bubbleId: 'b1', text: 'Nine metres.', createdAt: '2026-03-01T08:00:02.000Z' });
    all.set('bubbleId:c1:b3', { type: 1, bubbleId: 'b3', text: 'of another time' });
    all.set('composerData:c2', null);
    const [first, second] = sourcesIn(tree);
    expect(first).toMatchObject({ id: 'c1', facts: { store: 'global', cwd: '/home/ada/boat' } });
    const before = lookBelow(tree.root);
    const reader = openForeign(cursor, first!, files);
    const events = await eventsOf(reader);
    expect(events[0]).toMatchObject({ data: { title: 'The mast', cwd: '/home/ada/boat' } });
    expect(textsOf(events)).toEqual(['How long is the mast?', 'Nine metres.']);
    expect(JSON.stringify(events)).not.toContain('SECRET');
    expect(await eventsOf(openForeign(cursor, second!, files))).toEqual([]);
    expect(readHead(cursor, first!, files)).toMatchObject({
      title: 'The mast',
      cwd: '/home/ada/boat',
      firstPrompt: 'How long is the mast?',
    });
    expect(lookBelow(tree.root)).toEqual(before);
    // The answer that is being written comes when it is finished.
    const more = [...headers, { bubbleId: 'b3', type: 1 }, { bubbleId: 'b4', type: 2 }];
    all.set('composerData:c1', {
      composerId: 'c1',
      name: 'The mast',
      createdAt: START,
      lastUpdatedAt: START + 2,
      status: 'generating',
      fullConversationHeadersOnly: more,
    });
    all.set('bubbleId:c1:b4', { type: 2, bubbleId: 'b4', text: 'Fo' });
    const later = await eventsOf(reader);
    expect(textsOf(later)).toEqual(['How long is the mast?', 'Nine metres.', 'of another time']);
    expect(later.slice(0, events.length)).toEqual(events);
  });

  const describeReal = existsSync(REAL) ? it : it.skip;
  describeReal('of a workspace of 2024, as the editor itself wrote it', async () => {
    using tree = createTree({ [`${EDITOR}/workspaceStorage/w1/workspace.json`]: '{"folder":"file:///home/ada/boat"}' });
    cpSync(join(REAL, 'cursor-2024-workspace-state.vscdb'), join(tree.root, EDITOR, 'workspaceStorage/w1/state.vscdb'));
    const before = lookBelow(tree.root);
    const sources = sourcesIn(tree);
    const stores = sources.map(({ facts }) => facts?.store);
    expect(stores.filter((store) => store === 'chat').length).toBeGreaterThan(3);
    expect(stores.filter((store) => store === 'composer').length).toBeGreaterThan(3);
    expect(new Set(sources.map(({ id }) => id)).size).toBe(sources.length);
    for (const source of sources) {
      const reader = openForeign(cursor, source, files);
      const { states, counts } = await replay(reader, { budget: budgetFold, summary: summaryFold });
      expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
      expect(states.summary.turnCount).toBeGreaterThan(0);
      expect(readHead(cursor, source, files)).toMatchObject({ cwd: '/home/ada/boat', firstPrompt: expect.any(String) });
    }
    expect(lookBelow(tree.root)).toEqual(before);
  });
});

describe('a transcript of Cursor', () => {
  it('counts the usage that a bubble states once, and nothing for others', async () => {
    const path = fileURLToPath(new URL('cases/editor/record.jsonl', import.meta.url));
    const reader = openForeign(cursor, { agent: 'cursor', id: 'editor', path }, files);
    const { states, counts } = await replay(reader, { budget: budgetFold, summary: summaryFold });
    expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
    expect(states.budget.spent).toMatchObject({ calls: 1, inputTokens: 120, outputTokens: 9 });
    expect(states.summary).toMatchObject({ title: 'The mast', turnCount: 3 });
  });
});

describe('the places of Cursor', () => {
  it('have transcripts with those of subagents, older ones, and none that has a database', () => {
    using tree = createTree({
      '.cursor/chats/aa/5f3c/': '',
      '.cursor/chats/aa/empty/': '',
      '.cursor/projects/home-ada-boat/agent-transcripts/5f3c/5f3c.jsonl': '',
      '.cursor/projects/home-ada-boat/agent-transcripts/77aa/77aa.jsonl': '',
      '.cursor/projects/home-ada-boat/agent-transcripts/77aa/subagents/88bb.jsonl': '',
      '.cursor/projects/home-ada-boat/agent-transcripts/99cc.jsonl': '',
      '.cursor/projects/home-ada-boat/agent-transcripts/99cc.txt': '',
      '.cursor/mcp.json': '{}',
    });
    using _store = new Store(join(tree.root, '.cursor/chats/aa/5f3c/store.db'), 'hex');
    expect(sourcesIn(tree).map(({ id, parent }) => [id, parent])).toEqual([
      ['5f3c', undefined],
      ['77aa-transcript', undefined],
      ['88bb-transcript', '77aa-transcript'],
      ['99cc-transcript', undefined],
    ]);
  });

  it.each([
    ['darwin', {}, '/home/ada/Library/Application Support/Cursor/User'],
    ['linux', {}, '/home/ada/.config/Cursor/User'],
    ['linux', { XDG_CONFIG_HOME: '/config' }, '/config/Cursor/User'],
  ] as const)('are on %s with %j in %s', (platform, env, place) => {
    expect(cursor.places({ env, home: '/home/ada', platform })).toEqual(['/home/ada/.cursor', place]);
  });
});

const EDITOR = '.config/Cursor/User';

function sourcesIn(tree: Tree): readonly Source[] {
  const found = [...discover(cursor, { env: {}, home: tree.root, platform: 'linux' }, files)];
  expect(found.filter(({ kind }) => kind !== 'source')).toEqual([]);
  return found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
}

/** The database of a session of the command line, open for writing. */
class Store {
  readonly #database: DatabaseSync;
  readonly #form: 'hex' | 'json';
  #ids: string[] = [];

  constructor(path: string, form: 'hex' | 'json') {
    this.#database = new DatabaseSync(path);
    this.#form = form;
    this.#database.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)',
    );
    this.point(this.root);
  }

  get root(): Buffer {
    return Buffer.concat(this.#ids.flatMap((id) => [Buffer.from([0x0a, 32]), Buffer.from(id, 'hex')]));
  }

  say(role: string, text: string): void {
    this.#ids.push(this.#add(Buffer.from(JSON.stringify({ role, content: [{ type: 'text', text }] }))));
    this.point(this.root);
  }

  forget(from: number): void {
    this.#ids = this.#ids.slice(0, from);
  }

  point(root: Buffer): void {
    const latestRootBlobId = this.#add(root);
    const meta = JSON.stringify({
      agentId: '5f3c',
      latestRootBlobId,
      name: 'The mast',
      mode: 'default',
      createdAt: START,
      lastUsedModel: 'gpt-5.4',
      blobEncryptionKey: 'SECRET',
    });
    const value = this.#form === 'hex' ? Buffer.from(meta).toString('hex') : meta;
    this.#database.prepare("INSERT OR REPLACE INTO meta VALUES ('0', ?)").run(value);
  }

  all(sql: string, parameters: readonly (string | number)[]) {
    return this.#database
      .prepare(sql)
      .all(...parameters)
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
          ]),
        ),
      );
  }

  #add(data: Buffer): string {
    const id = hash('sha256', data, 'hex');
    this.#database.prepare('INSERT OR REPLACE INTO blobs VALUES (?, ?)').run(id, data);
    return id;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** A database of the editor, open for writing. */
class Pairs {
  readonly #database: DatabaseSync;
  readonly #table: string;

  constructor(path: string, table: string, mode: string) {
    mkdirSync(join(path, '..'), { recursive: true });
    this.#database = new DatabaseSync(path);
    this.#table = table;
    this.#database.exec(
      `PRAGMA journal_mode = ${mode}; CREATE TABLE ${table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
    );
  }

  set(key: string, value: unknown): void {
    const text = value === null ? null : JSON.stringify(value);
    this.#database.prepare(`INSERT INTO ${this.#table} VALUES (?, ?)`).run(key, text);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
