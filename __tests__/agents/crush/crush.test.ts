import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Source } from '../../../lib/agents/agent.ts';
import { crush } from '../../../lib/agents/crush/crush.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, lookBelow, overKept, statesOf, textsInView, textsOf } from '../reading.ts';

const REAL = fileURLToPath(
  new URL('../../../../shared/data/agents-new/crush/dbos-inc__dbos-transact-golang/crush.db', import.meta.url),
);
const ofAnyone = { ...files, uid: undefined };

describeAgent(crush);

it('a summary replaces the messages before it', async () => {
  const { view } = await statesOf(overKept(crush), caseOf('crush', 'summary'));
  expect(textsInView(view)).toEqual(['And screws?']);
  expect(JSON.stringify(view)).toContain('Nails were counted: 200.');
});

describe('the database of a project', () => {
  it('is found by the list of projects, and read as it grows, without a new file next to it', async () => {
    using tree = createTree({ 'boat/.crush/': '' });
    using owner = new Owner(join(tree.root, 'boat/.crush/crush.db'));
    owner.session('a20c', 'Counting nails');
    owner.session('m9$$c9', 'Scout', 'a20c');
    owner.message('m1', 'user', [{ type: 'text', data: { text: 'How many nails?' } }]);
    owner.message('m2', 'assistant', [{ type: 'text', data: { text: 'There' } }]);
    listProjects(tree, [
      { path: join(tree.root, 'boat'), data_dir: join(tree.root, 'boat/.crush') },
      { path: join(tree.root, 'boat'), data_dir: '.crush' },
      { path: 'boat' },
      { path: join(tree.root, 'gone') },
    ]);
    const [main, scout, ...others] = sourcesIn(tree.root);
    expect(others).toEqual([]);
    expect(scout).toMatchObject({ id: 'm9$$c9', parent: 'a20c' });
    const before = lookBelow(tree.root);
    const reader = openForeign(crush, main!, files);
    const first = await eventsOf(reader);
    expect(textsOf(first)).toEqual(['How many nails?']);
    expect(lookBelow(tree.root)).toEqual(before);
    owner.change('m2', [
      { type: 'text', data: { text: 'There are 200.' } },
      { type: 'finish', data: { reason: 'end_turn' } },
    ]);
    const later = await eventsOf(reader);
    expect(later.slice(0, first.length)).toEqual(first);
    expect(later.slice(first.length).map(({ type }) => type)).toEqual(['model.changed', 'message.added', 'turn.ended']);
    expect(readHead(crush, main!, files)).toEqual({
      id: 'a20c',
      title: 'Counting nails',
      cwd: join(tree.root, 'boat'),
      model: 'gpt-5.4',
      startedAt: '2026-01-02T10:00:00.000Z',
      lastActivity: '2026-01-02T10:05:00.000Z',
      firstPrompt: 'How many nails?',
    });
  });

  it('has no sessions if it is damaged, or its list is invalid', () => {
    using tree = createTree({ 'boat/.crush/crush.db': 'not a database', '.local/share/crush/projects.json': '[1' });
    expect(sourcesIn(tree.root)).toEqual([]);
    listProjects(tree, [{ path: join(tree.root, 'boat') }]);
    const found = [...discover(crush, { env: {}, home: tree.root, platform: 'linux' }, files)];
    expect(found).toEqual([
      {
        kind: 'unreadable',
        path: join(tree.root, 'boat/.crush/crush.db'),
        reason: expect.stringContaining('not a database'),
      },
    ]);
  });
});

const describeReal = existsSync(REAL) ? describe : describe.skip;
describeReal('a real database of Crush', () => {
  it.each([
    ['a20c5ed5-41d4-45f7-88eb-7ba0645f1341', { prompts: 12, calls: 40, results: 40, failed: 3 }],
    ['f306c145-4c83-492c-b575-739c30bbced4', { prompts: 1, calls: 1, results: 1, failed: 0 }],
  ])('is read with all messages of %s', async (id, expected) => {
    const source: Source = { agent: 'crush', id, path: REAL };
    const reader = openForeign(crush, source, ofAnyone);
    const events = await eventsOf(reader);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    const failed = events.filter(({ type, data }) => type === 'turn.ended' && data.status === 'failed').length;
    expect({
      prompts: count('turn.started'),
      calls: count('tool.requested'),
      results: count('tool.finished'),
      failed,
    }).toEqual(expected);
    expect(await reader.fidelity()).toMatchObject({ notUnderstood: {}, damaged: [] });
    expect(readHead(crush, source, ofAnyone)).toMatchObject({ title: expect.any(String), model: expect.any(String) });
  });
});

/** A database as Crush made it in 2025. */
class Owner implements Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(
      'CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, ' +
        'updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT); ' +
        'CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL, ' +
        'model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT)',
    );
  }

  session(id: string, title: string, parent: string | null = null): void {
    this.#database
      .prepare('INSERT INTO sessions VALUES (?, ?, ?, 1767348300, 1767348000, NULL)')
      .run(id, parent, title);
  }

  message(id: string, role: string, parts: readonly object[]): void {
    const model = role === 'assistant' ? 'gpt-5.4' : null;
    this.#database
      .prepare("INSERT INTO messages VALUES (?, 'a20c', ?, ?, ?, 1767348000, 1767348000, NULL, 'openai')")
      .run(id, role, JSON.stringify(parts), model);
  }

  change(id: string, parts: readonly object[]): void {
    this.#database.prepare('UPDATE messages SET parts = ? WHERE id = ?').run(JSON.stringify(parts), id);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function listProjects(tree: ReturnType<typeof createTree>, projects: readonly object[]): void {
  tree.write({ '.local/share/crush/projects.json': JSON.stringify({ projects }) });
}

function sourcesIn(home: string): Source[] {
  const found = [...discover(crush, { env: {}, home, platform: 'linux' }, files)];
  return found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
}
