import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Source } from '../../../lib/agents/agent.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { kiro } from '../../../lib/agents/kiro/kiro.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, lookBelow, statesOf, textsInView, textsOf } from '../reading.ts';

describeAgent(kiro, { real: (path) => /\/kiro-cli\/.*\.jsonl$/.test(path) });

it('a turn ends with an answer without calls, and a prompt without an answer is interrupted', async () => {
  const { view, summary } = await statesOf(kiro, caseOf('kiro', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 3 });
  expect(textsInView(view).filter((text) => text.endsWith('.') || text.endsWith('?'))).toEqual(
    expect.arrayContaining(['How many nails?', 'There are 200.', 'And screws?', 'Fine.']),
  );
});

describe('the places of Kiro CLI', () => {
  it('have each file of lines, with the directory of its document, and are in KIRO_HOME', () => {
    const [one, two] = ['1b480526-c7c0-47be-8f84-d4478e7f7687', '2b480526-c7c0-47be-8f84-d4478e7f7687'];
    using tree = createTree({
      [`.kiro/sessions/cli/${one}.jsonl`]: '',
      [`.kiro/sessions/cli/${one}.json`]: '{"cwd":"/home/ada/boat","title":"x"}',
      [`.kiro/sessions/cli/${one}.lock`]: '1',
      '.kiro/sessions/cli/notes.jsonl': '',
      [`there/sessions/cli/${two}.jsonl`]: '',
      [`there/sessions/cli/${two}.json`]: 'broken',
      'third/sessions/9f3c1d0b7a4e2856/sess_1/messages.jsonl': '',
      'third/sessions/9f3c1d0b7a4e2856/sess_1/session.json': '{"workspacePaths":["/home/ada/boat","/elsewhere"]}',
      'third/sessions/9f3c1d0b7a4e2856/sess_2/messages.jsonl': '',
      'third/sessions/9f3c1d0b7a4e2856/sess_3/session.json': '{}',
    });
    const found = (env: Record<string, string>) =>
      [...discover(kiro, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
        each.kind === 'source' ? [each.source.id, each.source.facts] : each.reason,
      );
    expect(found({})).toEqual([[one, { cwd: '/home/ada/boat' }]]);
    expect(found({ KIRO_HOME: `${tree.root}/there` })).toEqual([[two, undefined]]);
    expect(found({ KIRO_HOME: `${tree.root}/third` })).toEqual([
      ['sess_1', { cwd: '/home/ada/boat' }],
      ['sess_2', undefined],
    ]);
  });
});

/** As the migrations of the program make it, with a secret that is not for reading. */
const MIGRATIONS = `
  CREATE TABLE migrations (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, migration_time INTEGER NOT NULL);
  CREATE TABLE state (key TEXT PRIMARY KEY, value BLOB);
  CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT);
  INSERT INTO auth_kv VALUES ('kirocli:social:token', 'a-secret-token');
  CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)`;
const SECOND = `
  CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));
  CREATE INDEX idx_conversations_v2_key_updated ON conversations_v2(key, updated_at DESC);
  CREATE INDEX idx_conversations_v2_updated_at ON conversations_v2(updated_at DESC)`;

const BOAT = '/home/ada/boat';
const prompt = (text: string) => ({ content: { Prompt: { prompt: text } }, timestamp: '2026-02-03T09:15:20+01:00' });
const answer = (text: string, model_id?: string) => ({
  assistant: { Response: { message_id: `m-${text.length}`, content: text } },
  request_metadata: model_id === undefined ? null : { model_id, stream_end_timestamp_ms: 1770106525250 },
});
const document = (conversation_id: string, more: object) => JSON.stringify({ conversation_id, history: [], ...more });

function sourcesIn(home: string, env = {}): Source[] {
  const found = [...discover(kiro, { env, home, platform: 'linux' }, files)];
  return found.flatMap((each) => (each.kind === 'source' ? [each.source] : []));
}

describe('the database of the first engine of Kiro CLI', () => {
  it.each([
    [SECOND, 'conversations_v2 (key, conversation_id, value, created_at, updated_at)', ", 'c' || n, '{}', 1, 1"],
    ['', 'conversations (key, value)', ", '{}'"],
  ])('is listed to its end where 1000 keys are no texts: %#', (tables, into, values) => {
    using tree = createTree({ '.local/share/kiro-cli/': '' });
    using owner = new DatabaseSync(join(tree.root, '.local/share/kiro-cli/data.sqlite3'));
    owner.exec(`${MIGRATIONS}; ${tables};
      WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 1000)
      INSERT INTO ${into} SELECT CAST('k' || n AS BLOB)${values} FROM count`);
    expect(sourcesIn(tree.root)).toEqual([]);
  });

  it('has its conversations, each read as it grows, and no file of it changes', async () => {
    using tree = createTree({ '.local/share/kiro-cli/': '' });
    using owner = new DatabaseSync(join(tree.root, '.local/share/kiro-cli/data.sqlite3'));
    owner.exec(`${MIGRATIONS}; ${SECOND}`);
    const store = owner.prepare('INSERT OR REPLACE INTO conversations_v2 VALUES (?, ?, ?, 1, ?)');
    const [first, later] = [
      { user: prompt('How many nails?'), ...answer('200.', 'claude-sonnet-4') },
      prompt('And screws?'),
    ];
    store.run(BOAT, 'c1', document('c1', { history: [first], next_message: later }), 1770106530000);
    store.run('/elsewhere', 'c2', document('c2', { history: [] }), 5);
    store.run(BOAT, 'c2', document('c2', { history: [{ user: prompt('Hi'), ...answer('Ho.') }], model: 'm-1' }), 9);
    const [one, two, ...others] = sourcesIn(tree.root).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect([one?.id, one?.facts, two?.id, two?.facts, others]).toEqual(['c1', { cwd: BOAT }, 'c2', { cwd: BOAT }, []]);
    const before = lookBelow(tree.root);
    const reader = openForeign(kiro, one!, files);
    const events = await eventsOf(reader);
    expect(textsOf(events)).toEqual(['How many nails?', '200.', 'And screws?']);
    expect((await reader.fidelity()).notUnderstood).toEqual({});
    expect(readHead(kiro, one!, files)).toEqual({
      ...{ id: 'c1', cwd: BOAT, model: 'claude-sonnet-4', firstPrompt: 'How many nails?' },
      ...{ startedAt: '2026-02-03T08:15:20.000Z', lastActivity: '2026-02-03T08:15:30.000Z' },
    });
    expect((await eventsOf(openForeign(kiro, two!, files)))[0]?.data).toMatchObject({ model: 'm-1', cwd: BOAT });
    expect(lookBelow(tree.root)).toEqual(before);
    const grown = [first, { user: later, ...answer('No screws.', 'claude-sonnet-4') }];
    store.run(BOAT, 'c1', document('c1', { history: grown }), 1770106540000);
    const all = await eventsOf(reader);
    expect(all.slice(0, events.length)).toEqual(events);
    expect(textsOf(all.slice(events.length))).toEqual(['No screws.']);
  });

  it('is read before its second migration, from Amazon Q Developer CLI', async () => {
    using tree = createTree({ 'data/amazon-q/': '' });
    using owner = new DatabaseSync(join(tree.root, 'data/amazon-q/data.sqlite3'));
    owner.exec(MIGRATIONS);
    const store = owner.prepare('INSERT OR REPLACE INTO conversations VALUES (?, ?)');
    for (let index = 0; index < 12; index += 1) {
      const value = document(`c${index}`, { history: [{ user: prompt(`Number ${index}`), ...answer('Yes.') }] });
      store.run(`/home/ada/${index}`, value);
    }
    store.run('/damaged', '{');
    const found = sourcesIn(tree.root, { XDG_DATA_HOME: join(tree.root, 'data') });
    expect(found.map(({ id }) => id).sort()).toEqual(Array.from({ length: 12 }, (_, index) => `c${index}`).sort());
    for (const source of found) {
      expect(textsOf(await eventsOf(openForeign(kiro, source, files)))).toEqual([
        `Number ${source.id.slice(1)}`,
        'Yes.',
      ]);
    }
    // A new conversation takes the place of that of its directory.
    store.run('/home/ada/3', document('later', { history: [] }));
    const gone = found.find(({ id }) => id === 'c3')!;
    expect(await eventsOf(openForeign(kiro, gone, files))).toEqual([]);
  });
});
