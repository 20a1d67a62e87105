import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { JsonObject, Source } from '../../../lib/agents/agent.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { goose } from '../../../lib/agents/goose/goose.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, lookBelow, overKept, statesOf, textsInView, textsOf } from '../reading.ts';

describeAgent(goose);

const START = 1_767_348_000;

it('a summary replaces the marked messages, and a text that the user does not see begins no turn', async () => {
  const { view, summary } = await statesOf(overKept(goose), caseOf('goose', 'compaction'));
  expect(textsInView(view)).toEqual(['I go on from the summary.', 'And screws?']);
  expect(JSON.stringify(view)).toContain('Nails were counted: 200.');
  expect(summary).toMatchObject({ turnCount: 2 });
});

describe('the database of Goose', () => {
  it('is read with its sessions as they grow, without a new file next to it', async () => {
    using tree = createTree({ '.local/share/goose/sessions/': '' });
    using owner = new Owner(join(tree.root, '.local/share/goose/sessions/sessions.db'));
    owner.session('20260102_1', { name: 'Counting nails', provider_name: 'openai' });
    owner.message('20260102_1', 'user', [{ type: 'text', text: 'How many nails?' }]);
    owner.session('20260102_2', { name: 'Scout', session_type: 'sub_agent', parent_session_id: '20260102_1' });
    const [main, scout] = sourcesIn(tree.root);
    expect(scout).toMatchObject({ id: '20260102_2', parent: '20260102_1' });
    const before = lookBelow(tree.root);
    const reader = openForeign(goose, main!, files);
    const first = await eventsOf(reader);
    expect(first[0]).toMatchObject({
      ts: '2026-01-02T10:00:00.000Z',
      data: { title: 'Counting nails', cwd: '/home/ada/boat', provider: 'openai', model: 'gpt-5.4' },
    });
    expect(lookBelow(tree.root)).toEqual(before);
    owner.message('20260102_1', 'assistant', [{ type: 'text', text: '200.' }], {
      inference: { provider: 'openai', requestedModel: 'gpt-5.4' },
      usage: { inputTokens: 12, outputTokens: 3 },
    });
    const later = await eventsOf(reader);
    expect(later.slice(0, first.length)).toEqual(first);
    expect(textsOf(later)).toEqual(['How many nails?', '200.']);
    expect(readHead(goose, main!, files)).toEqual({
      id: '20260102_1',
      title: 'Counting nails',
      cwd: '/home/ada/boat',
      model: 'gpt-5.4',
      startedAt: '2026-01-02T10:00:00.000Z',
      lastActivity: '2026-01-02T10:05:00.000Z',
      firstPrompt: 'How many nails?',
    });
  });

  it('can be read in a version without names, models and marks too', async () => {
    using tree = createTree({ '.local/share/goose/sessions/': '' });
    using owner = new Owner(join(tree.root, '.local/share/goose/sessions/sessions.db'), 'old');
    owner.session('20251002_1', { description: 'Counting nails' });
    owner.message('20251002_1', 'user', [{ type: 'text', text: 'How many nails?' }]);
    const [source] = sourcesIn(tree.root);
    expect(textsOf(await eventsOf(openForeign(goose, source!, files)))).toEqual(['How many nails?']);
    expect(readHead(goose, source!, files)).toMatchObject({ title: 'Counting nails', firstPrompt: 'How many nails?' });
  });

  it('has the sessions that were files of lines before, and the files are not read twice', () => {
    using tree = createTree({
      '.local/share/goose/sessions/20250102_100000.jsonl': '{}',
      '.local/share/goose/sessions/20250103_100000.jsonl': '{}',
    });
    using owner = new Owner(join(tree.root, '.local/share/goose/sessions/sessions.db'));
    owner.session('20250102_100000', { name: 'Counting nails' });
    expect(sourcesIn(tree.root).map(({ id, path }) => [id, path.slice(path.lastIndexOf('.'))])).toEqual([
      ['20250102_100000', '.db'],
      ['20250103_100000', '.jsonl'],
    ]);
  });
});

it.each([
  ['linux', {}, ['/home/ada/.local/share/goose/sessions']],
  ['linux', { GOOSE_PATH_ROOT: '/srv/goose' }, ['/srv/goose/data/sessions']],
  [
    'darwin',
    {},
    ['/home/ada/Library/Application Support/Block.block.goose/sessions', '/home/ada/.local/share/goose/sessions'],
  ],
] as const)('sessions of Goose on %s with %j are in %j', (platform, env, expected) => {
  expect(goose.places({ platform, env, home: '/home/ada' })).toEqual(expected);
});

/** A database as goose makes it: of schema version 16, or of the first one. */
class Owner implements Disposable {
  readonly #database: DatabaseSync;
  readonly #isOld: boolean;

  constructor(path: string, version: 'new' | 'old' = 'new') {
    this.#database = new DatabaseSync(path);
    this.#isOld = version === 'old';
    const more = this.#isOld
      ? ''
      : ", name TEXT NOT NULL DEFAULT '', session_type TEXT NOT NULL DEFAULT 'user', provider_name TEXT, " +
        'model_config_json TEXT, parent_session_id TEXT';
    this.#database.exec(
      "CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL, " +
        `created_at TIMESTAMP, updated_at TIMESTAMP${more})`,
    );
    this.#database.exec(
      'CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, ' +
        `content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL${this.#isOld ? '' : ', message_id TEXT, metadata_json TEXT'})`,
    );
  }

  session(id: string, columns: Readonly<Record<string, string>>): void {
    const all: Record<string, string> = {
      id,
      working_dir: '/home/ada/boat',
      created_at: '2026-01-02 10:00:00',
      updated_at: '2026-01-02 10:05:00',
      ...(!this.#isOld && { model_config_json: '{"model_name":"gpt-5.4"}' }),
      ...columns,
    };
    this.#insert('sessions', all);
  }

  message(session_id: string, role: string, content: readonly JsonObject[], metadata?: JsonObject): void {
    this.#insert('messages', {
      session_id,
      role,
      content_json: JSON.stringify(content),
      created_timestamp: START,
      ...(metadata !== undefined && { metadata_json: JSON.stringify(metadata) }),
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #insert(table: string, columns: Readonly<Record<string, string | number>>): void {
    const names = Object.keys(columns);
    const places = names.map(() => '?').join(', ');
    this.#database
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`)
      .run(...Object.values(columns));
  }
}

function sourcesIn(home: string): Source[] {
  const found = [...discover(goose, { env: {}, home, platform: 'linux' }, files)];
  return found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
}
