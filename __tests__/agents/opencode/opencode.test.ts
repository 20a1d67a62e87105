import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { ForeignEvent, JsonObject, Source } from '../../../lib/agents/agent.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { bytesOf } from '../../../lib/agents/kept.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { opencode } from '../../../lib/agents/opencode/opencode.ts';
import { budgetFold } from '../../../lib/projections/budget.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { summaryFold } from '../../../lib/projections/summary.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { eventsIn, eventsOf, files, lookBelow, overKept, textsInView, textsOf } from '../reading.ts';

const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const LAB = join(SHARED, 'agents-lab/opencode/1.18.33');
const REAL = join(SHARED, 'agents/opencode/WildChildForLife__lantern/opencode.db');
const START = 1_772_352_000_000;

describeAgent(opencode, { real: (path) => /\/opencode\/.*export\.json$/.test(path) });

describe('a session in the database of opencode', () => {
  it.each([
    ['DELETE', ['opencode.db']],
    ['WAL', ['opencode.db', 'opencode.db-shm', 'opencode.db-wal']],
  ])(
    'is read next to its owner in mode %s, which can write in the meantime, and leaves the directory unchanged',
    async (mode, names) => {
      using tree = createTree();
      using owner = new Owner(tree.root, mode);
      owner.converse('How long is the mast?', 'Nine metres.');
      expect(readdirSync(tree.root).sort()).toEqual(names);
      const before = lookBelow(tree.root);
      const reader = openForeign(opencode, owner.source, files);
      for await (const batch of reader.outcomes()) {
        expect(textsOf(eventsIn([batch]))).toEqual(['How long is the mast?', 'Nine metres.']);
        expect(lookBelow(tree.root)).toEqual(before);
        owner.converse('And the boom?', 'Four.');
      }
      const written = lookBelow(tree.root);
      expect(textsOf(await eventsOf(reader))).toEqual([
        'How long is the mast?',
        'Nine metres.',
        'And the boom?',
        'Four.',
      ]);
      expect(readHead(opencode, owner.source, files)).toEqual({
        id: 'ses_1',
        title: 'The mast',
        cwd: '/home/ada/boat',
        version: '1.18.33',
        model: 'gpt-5.4',
        startedAt: '2026-03-01T08:00:00.000Z',
        lastActivity: '2026-03-01T08:00:08.000Z',
        firstPrompt: 'How long is the mast?',
      });
      expect(lookBelow(tree.root)).toEqual(written);
    },
  );

  it('is read with a log that its owner left', async () => {
    using tree = createTree({ 'there/': '' });
    using owner = new Owner(tree.root, 'WAL');
    owner.converse('How long is the mast?', 'Nine metres.');
    for (const name of ['opencode.db', 'opencode.db-wal'])
      cpSync(join(tree.root, name), join(tree.root, 'there', name));
    const before = lookBelow(join(tree.root, 'there'));
    const source = { ...owner.source, path: join(tree.root, 'there', 'opencode.db') };
    expect(textsOf(await eventsOf(openForeign(opencode, source, files)))).toEqual([
      'How long is the mast?',
      'Nine metres.',
    ]);
    expect(lookBelow(join(tree.root, 'there'))).toEqual(before);
  });

  it('shows unfinished messages later, and never changes earlier events', async () => {
    using tree = createTree();
    using owner = new Owner(tree.root, 'WAL');
    owner.prompt('Count the files');
    const answer = owner.begin();
    owner.part(answer, { type: 'text', text: 'I look.', time: { start: 1, end: 2 } });
    const call = owner.part(answer, {
      type: 'tool',
      tool: 'bash',
      callID: 'c1',
      state: { status: 'running', input: { command: 'ls' }, time: { start: 1 } },
    });
    const reader = openForeign(opencode, owner.source, files);
    const first = await eventsOf(reader);
    expect(first.map(({ type }) => type)).toEqual([
      'session.created',
      'turn.started',
      'message.added',
      'message.added',
    ]);
    owner.prompt('And the folders');
    expect(await eventsOf(reader)).toEqual(first);
    const state = { status: 'completed', input: { command: 'ls' }, output: '7', time: { start: 1, end: 2 } };
    owner.change('part', call, { type: 'tool', tool: 'bash', callID: 'c1', state });
    owner.end(answer, { finish: 'stop' });
    const later = await eventsOf(reader);
    expect(later.slice(0, first.length)).toEqual(first);
    expect(later.slice(first.length).map(({ type }) => type)).toEqual([
      'tool.requested',
      'tool.finished',
      'usage.reported',
      'turn.ended',
      'turn.started',
      'message.added',
    ]);
    // The program adds what changed in files, and marks results that it does not send any more.
    owner.summarize();
    owner.change('part', call, {
      type: 'tool',
      tool: 'bash',
      callID: 'c1',
      state: { ...state, time: { start: 1, end: 2, compacted: 3 } },
    });
    expect(await eventsOf(reader)).toEqual(later);
  });

  it('leaves undone messages out until the next prompt, which removes them', async () => {
    using tree = createTree();
    using owner = new Owner(tree.root, 'WAL');
    owner.converse('Say one', 'one');
    const second = owner.converse('Say two', 'two');
    const reader = openForeign(opencode, owner.source, files);
    const before = await eventsOf(reader);
    owner.revert({ messageID: second, snapshot: 'c0ffee', diff: 'a' });
    const undone = await eventsOf(reader);
    expect(undone.slice(0, -1)).toEqual(before);
    expect(undone.at(-1)).toMatchObject({ type: 'branch.moved', data: { reason: 'undo' } });
    const { states } = await replay(reader, { view: viewFold });
    expect(textsInView(states.view)).toEqual(['Say one', 'one']);
    owner.removeFrom(second);
    owner.converse('Say three', 'three');
    const after = await eventsOf(reader);
    expect(after[0]?.position.generation).toBe(1);
    expect(textsOf(after)).toEqual(['Say one', 'one', 'Say three', 'three']);
  });

  it('is read only from the columns of the conversation, without the secret of a share or a token', async () => {
    using tree = createTree();
    using owner = new Owner(tree.root, 'WAL');
    owner.converse('Hello', 'Hello!');
    const stored = opencode.stored(owner.source);
    expect(stored.kind === 'rows' && Object.keys(stored.columns).sort()).toEqual(['message', 'part', 'session']);
    const reader = openForeign(opencode, owner.source, files);
    expect(JSON.stringify(await eventsOf(reader))).not.toContain('SECRET');
  });

  it('does not exist in a database without its tables, without an error', async () => {
    using tree = createTree();
    new DatabaseSync(join(tree.root, 'opencode.db')).close();
    const source = { agent: 'opencode', id: 'ses_1', path: join(tree.root, 'opencode.db') };
    expect(await eventsOf(openForeign(opencode, source, files))).toEqual([]);
    expect(readHead(opencode, source, files)).toEqual({ id: 'ses_1' });
  });

  const describeReal = existsSync(LAB) && existsSync(REAL) ? it : it.skip;
  describeReal("has the messages of the program's own export", async () => {
    using tree = createTree();
    using owner = new Owner(tree.root, 'WAL');
    for (const table of ['session', 'message', 'part']) {
      const rows = JSON.parse(readFileSync(join(LAB, `rows-${table}.json`), 'utf8')) as Record<
        string,
        string | number
      >[];
      for (const row of rows) owner.insert(table, row);
    }
    const exported = { agent: 'opencode', id: 'ses_dfa0771f2ffeZv5DpTt8bIlfMg', path: join(LAB, 'export.json') };
    const asRows = await eventsOf(openForeign(opencode, { ...exported, path: owner.source.path }, files));
    const asDocument = await eventsOf(openForeign(opencode, exported, { ...files, uid: undefined }));
    expect(asDocument.length).toBeGreaterThan(8);
    expect(asRows.map(saidBy)).toEqual(asDocument.map(saidBy));
  });

  describeReal('is read if a different version of the program wrote it', async () => {
    const found = [...opencode.discover(REAL, lookingAt())].map((one) => ({ agent: 'opencode', ...one }));
    expect(found).toHaveLength(3);
    for (const source of found) {
      const reader = openForeign(opencode, source, { ...files, uid: undefined });
      const { states, counts } = await replay(reader, { budget: budgetFold, summary: summaryFold });
      expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
      expect(states.summary.turnCount).toBe(1);
      expect(states.budget.spent.inputTokens).toBeGreaterThan(1000);
      expect(readHead(opencode, source, { ...files, uid: undefined }).firstPrompt).toBeTruthy();
    }
  });

  function lookingAt() {
    const looking: Parameters<typeof opencode.discover>[1] = {
      entries: () => [],
      hasFile: () => false,
      readSmall: () => undefined,
      linesFrom: () => [],
      query: (path, _columns, read) => {
        using database = new DatabaseSync(path, { readOnly: true });
        const all = (sql: string, ...parameters: readonly (string | number)[]) =>
          database.prepare(sql).all(...parameters) as JsonObject[];
        const close = () => database.close();
        return read({ has: () => true, all, close, [Symbol.dispose]: close });
      },
    };
    return looking;
  }

  function saidBy({ type, data }: ForeignEvent): object {
    const { origin: _, at: __, ...said } = data as JsonObject;
    return { type, said };
  }
});

describe('a session of opencode before its database', () => {
  const storage = '.local/share/opencode/storage';
  const json = (value: object) => JSON.stringify(value);
  const FILES = {
    [`${storage}/session/global/ses_1.json`]: json({
      id: 'ses_1',
      directory: '/home/ada/boat',
      title: 'The mast',
      version: '1.0.1',
      time: { created: START, updated: START + 9000 },
    }),
    [`${storage}/session/global/ses_2.json`]: json({ id: 'ses_2', parentID: 'ses_1', time: { created: START } }),
    [`${storage}/session/global/notes.txt`]: '',
    [`${storage}/message/ses_1/msg_2.json`]: json({
      role: 'assistant',
      providerID: 'openai',
      modelID: 'gpt-5.4',
      time: { created: START + 2000, completed: START + 3000 },
      tokens: { input: 10, output: 2, reasoning: 0, cache: { read: 0, write: 0 } },
      finish: 'stop',
    }),
    [`${storage}/message/ses_1/msg_1.json`]: json({ role: 'user', time: { created: START + 1000 } }),
    [`${storage}/part/msg_1/prt_1.json`]: json({ type: 'text', text: 'How long is the mast?' }),
    [`${storage}/part/msg_2/prt_3.json`]: json({ type: 'text', text: 'Nine metres.' }),
    [`${storage}/part/msg_2/prt_2.json`]: json({ type: 'text', text: 'I look.' }),
    [`${storage}/part/msg_2/prt_4.json`]: '{"type":"te',
  };

  it('is assembled from its files, in their order, and one that grew keeps its position', async () => {
    using tree = createTree(FILES);
    const [source, child] = sourcesIn(tree.root);
    expect(child).toMatchObject({ id: 'ses_2', parent: 'ses_1' });
    const reader = openForeign(opencode, source!, files);
    const events = await eventsOf(reader);
    expect(textsOf(events)).toEqual(['How long is the mast?', 'I look.', 'Nine metres.']);
    expect(events[0]?.data).toMatchObject({ title: 'The mast', cwd: '/home/ada/boat' });
    expect(readHead(opencode, source!, files)).toEqual({
      id: 'ses_1',
      title: 'The mast',
      cwd: '/home/ada/boat',
      version: '1.0.1',
      model: 'gpt-5.4',
      startedAt: '2026-03-01T08:00:00.000Z',
      lastActivity: '2026-03-01T08:00:03.000Z',
      firstPrompt: 'How long is the mast?',
    });
    tree.write({
      [`${storage}/message/ses_1/msg_3.json`]: json({ role: 'user', time: { created: START + 4000 } }),
      [`${storage}/part/msg_3/prt_5.json`]: json({ type: 'text', text: 'And the boom?' }),
    });
    const later = await eventsOf(reader);
    expect(later.slice(0, events.length)).toEqual(events);
    expect(textsOf(later).at(-1)).toBe('And the boom?');
  });

  it('is kept as lines with the same events', async () => {
    using tree = createTree(FILES);
    const [source] = sourcesIn(tree.root);
    const kept = Buffer.concat([...bytesOf(opencode, source!, files)]);
    tree.write({ kept });
    const there = { ...source!, path: join(tree.root, 'kept') };
    const expected = (await eventsOf(openForeign(opencode, source!, files))).slice(1);
    expect((await eventsOf(openForeign(overKept(opencode), there, files))).slice(1)).toEqual(expected);
  });

  it('is missing once it is deleted, and a part that is a link is not read', async () => {
    using tree = createTree({ ...FILES, elsewhere: json({ type: 'text', text: 'of another' }) });
    const [source] = sourcesIn(tree.root);
    symlinkSync(join(tree.root, 'elsewhere'), join(tree.root, storage, 'part/msg_1/prt_9.json'));
    expect(textsOf(await eventsOf(openForeign(opencode, source!, files)))[0]).toBe('How long is the mast?');
    expect(textsOf(await eventsOf(openForeign(opencode, source!, files)))).not.toContain('of another');
    const gone = { ...source!, path: join(tree.root, storage, 'session/global/ses_9.json') };
    await expect(eventsOf(openForeign(opencode, gone, files))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(() => readHead(opencode, gone, files)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
  });

  function sourcesIn(home: string): readonly Source[] {
    const found = [...discover(opencode, { env: {}, home, platform: 'linux' }, files)];
    return found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
  }
});

describe('the conversation of opencode', () => {
  it('counts each answer once, tokens of the cache and of reasoning included', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 2, inputTokens: 35, outputTokens: 6, totalCost: 0.5 });
    expect(summary).toMatchObject({ title: 'The mast', turnCount: 2 });
  });

  it('has after a compaction its summary, the kept messages, and later ones', async () => {
    expect(textsInView((await statesOf('compaction', 15)).view)).toEqual(['And nails?', '200.', 'Screws?']);
    expect(textsInView((await statesOf('compaction')).view)).toEqual(['Continue if you have next steps.', '12.']);
  });

  it.each([
    ['undone', ['Say one', 'one']],
    ['undone-part', ['Do two things', 'First']],
    ['exported-undone', ['Say one', 'one']],
  ])('has no undone messages in its view: %s', async (name, texts) => {
    expect(textsInView((await statesOf(name)).view)).toEqual(texts);
  });

  async function statesOf(name: string, seq?: number) {
    const folder = fileURLToPath(new URL(`cases/${name}`, import.meta.url));
    const isDocument = existsSync(join(folder, 'record.json'));
    const path = join(folder, isDocument ? 'record.json' : 'record.jsonl');
    const agent = isDocument ? opencode : { ...opencode, stored: () => ({ kind: 'lines' }) as const };
    const reader = openForeign(agent, { agent: 'opencode', id: name, path }, files);
    const folds = { view: viewFold, budget: budgetFold, summary: summaryFold };
    const { states, counts } = await replay(reader, folds, seq === undefined ? {} : { at: { seq } });
    expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
    return states;
  }
});

describe('the places of opencode', () => {
  it('have the sessions of each database, also of OPENCODE_DB, and the parents of subagents', () => {
    using tree = createTree({ '.local/share/opencode/auth.json': '{}', 'data/opencode/': '', 'own/': '' });
    const share = join(tree.root, '.local/share/opencode');
    using one = new Owner(share, 'WAL');
    one.addSession('ses_2', 'ses_1');
    using other = new Owner(share, 'DELETE', 'opencode-dev.db');
    using elsewhere = new Owner(join(tree.root, 'data/opencode'), 'WAL');
    using named = new Owner(join(tree.root, 'own'), 'WAL', 'mine.db');
    const found = (env: Record<string, string>) =>
      [...discover(opencode, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
        each.kind === 'source'
          ? `${each.source.path.slice(tree.root.length)} ${each.source.id} ${each.source.parent ?? '-'}`
          : each.reason,
      );
    expect(found({})).toEqual([
      '/.local/share/opencode/opencode-dev.db ses_1 -',
      '/.local/share/opencode/opencode.db ses_1 -',
      '/.local/share/opencode/opencode.db ses_2 ses_1',
    ]);
    expect(found({ XDG_DATA_HOME: join(tree.root, 'data') })).toEqual(['/data/opencode/opencode.db ses_1 -']);
    expect(found({ XDG_DATA_HOME: join(tree.root, 'data'), OPENCODE_DB: join(tree.root, 'own/mine.db') })).toEqual([
      '/data/opencode/opencode.db ses_1 -',
      '/own/mine.db ses_1 -',
    ]);
    expect(found({ XDG_DATA_HOME: '/nowhere', OPENCODE_DB: ':memory:' })).toEqual([]);
    for (const { source } of [one, other, elsewhere, named]) expect(existsSync(source.path)).toBe(true);
  });
});

/** The program that writes the database. */
class Owner {
  readonly source: Source;
  readonly #database: DatabaseSync;
  #count = 0;

  constructor(directory: string, mode: string, name = 'opencode.db') {
    this.source = { agent: 'opencode', id: 'ses_1', path: join(directory, name) };
    this.#database = new DatabaseSync(this.source.path);
    this.#database.exec(`
      PRAGMA journal_mode = ${mode};
      CREATE TABLE session (id text PRIMARY KEY, project_id text, workspace_id text, parent_id text, slug text,
        directory text, path text, title text, version text, share_url text, summary_additions integer,
        summary_deletions integer, summary_files integer, summary_diffs text, metadata text, cost real,
        tokens_input integer, tokens_output integer, tokens_reasoning integer, tokens_cache_read integer,
        tokens_cache_write integer, revert text, permission text, agent text, model text, time_created integer,
        time_updated integer, time_compacting integer, time_archived integer);
      CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
      CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
        time_updated integer, data text);
      CREATE TABLE session_share (session_id text PRIMARY KEY, id text, secret text, url text);
      INSERT INTO session_share VALUES ('ses_1', 'x', 'SECRET', 'https://x.invalid');
    `);
    this.addSession('ses_1', null);
  }

  addSession(id: string, parent: string | null): void {
    this.insert('session', {
      id,
      parent_id: parent,
      directory: '/home/ada/boat',
      title: 'The mast',
      version: '1.18.33',
      time_created: START,
      time_updated: START,
    });
  }

  insert(table: string, row: Readonly<Record<string, string | number | null>>): void {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    this.#database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
  }

  prompt(text: string): string {
    const model = { providerID: 'openai', modelID: 'gpt-5.4' };
    const id = this.#message({ role: 'user', model });
    this.part(id, { type: 'text', text });
    return id;
  }

  begin(): string {
    return this.#message({ role: 'assistant', providerID: 'openai', modelID: 'gpt-5.4' });
  }

  part(message: string, data: JsonObject): string {
    this.#count += 1;
    const id = `prt_${String(this.#count).padStart(4, '0')}`;
    this.insert('part', { id, message_id: message, session_id: 'ses_1', data: JSON.stringify(data) });
    return id;
  }

  end(message: string, more: JsonObject): void {
    const data = { role: 'assistant', providerID: 'openai', modelID: 'gpt-5.4' };
    const tokens = { total: 12, input: 10, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
    const created = START + Number(message.slice('msg_'.length)) * 1000;
    const time = { created, completed: created + 500 };
    this.change('message', message, { ...data, tokens, time, ...more });
  }

  converse(question: string, answer: string): string {
    const prompt = this.prompt(question);
    const id = this.begin();
    this.part(id, { type: 'text', text: answer, time: { start: 1, end: 2 } });
    this.end(id, { finish: 'stop' });
    this.#touch();
    return prompt;
  }

  change(table: string, id: string, data: JsonObject): void {
    this.#database.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(JSON.stringify(data), id);
  }

  summarize(): void {
    this.#database.exec(
      `UPDATE message SET data = json_set(data, '$.summary', json('{"diffs":[{"file":"a","before":"","after":"b"}]}'))
       WHERE json_extract(data, '$.role') = 'user'`,
    );
  }

  revert(revert: JsonObject): void {
    this.#database.prepare("UPDATE session SET revert = ? WHERE id = 'ses_1'").run(JSON.stringify(revert));
  }

  removeFrom(message: string): void {
    this.#database.prepare('DELETE FROM part WHERE message_id >= ?').run(message);
    this.#database.prepare('DELETE FROM message WHERE id >= ?').run(message);
    this.#database.exec("UPDATE session SET revert = NULL WHERE id = 'ses_1'");
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #message(data: JsonObject): string {
    this.#count += 1;
    const id = `msg_${String(this.#count).padStart(4, '0')}`;
    const created = START + this.#count * 1000;
    const whole = { ...data, time: { created } };
    this.insert('message', { id, session_id: 'ses_1', time_created: created, data: JSON.stringify(whole) });
    return id;
  }

  #touch(): void {
    this.#database.prepare("UPDATE session SET time_updated = ? WHERE id = 'ses_1'").run(START + this.#count * 1000);
  }
}
