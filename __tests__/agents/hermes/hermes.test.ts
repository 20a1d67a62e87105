import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Source } from '../../../lib/agents/agent.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { hermes } from '../../../lib/agents/hermes/hermes.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { eventsOf, files, lookBelow, textsOf } from '../reading.ts';

const REAL = fileURLToPath(new URL('../../../../shared/data/agents-new/hermes/irrlicht/', import.meta.url));

describeAgent(hermes);

const SCHEMA = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, model_config TEXT, parent_session_id TEXT,
    started_at REAL, title TEXT, title_source TEXT, cwd TEXT, git_branch TEXT, billing_provider TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, display_kind TEXT,
    active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0)`;

function sourcesIn(home: string): Source[] {
  const found = [...discover(hermes, { env: {}, home, platform: 'linux' }, files)];
  return found.flatMap((each) => (each.kind === 'source' ? [each.source] : []));
}

describe('the database of Hermes Agent', () => {
  const genuine = existsSync(REAL) ? readdirSync(REAL).filter((name) => name.endsWith('.jsonl')) : [];
  (genuine.length > 0 ? it : it.skip)('gives each message, call and result of its genuine rows', async () => {
    using tree = createTree({ '.hermes/': '' });
    const owner = new DatabaseSync(join(tree.root, '.hermes/state.db'));
    owner.exec(SCHEMA);
    const insert = owner.prepare(
      `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const counts = new Map<string, Record<string, number>>();
    for (const name of genuine) {
      owner.prepare('INSERT INTO sessions (id, source, model) VALUES (?, ?, ?)').run(name, 'cli', 'gpt-5.6-luna');
      const rows = readFileSync(join(REAL, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      for (const { role, content, tool_call_id, tool_calls, tool_name, _ts, finish_reason } of rows) {
        insert.run(name, role, content, tool_call_id, tool_calls, tool_name, _ts, finish_reason);
      }
      const said = rows.filter(({ role, content }) => role !== 'tool' && content !== '').length;
      const calls = rows.flatMap(({ tool_calls }) => (tool_calls === '' ? [] : JSON.parse(tool_calls))).length;
      counts.set(name, { said, calls, results: rows.filter(({ role }) => role === 'tool').length });
    }
    for (const source of sourcesIn(tree.root)) {
      const events = await eventsOf(openForeign(hermes, source, files));
      const count = (type: string) => events.filter((event) => event.type === type).length;
      expect({ said: count('message.added'), calls: count('tool.requested'), results: count('tool.finished') }).toEqual(
        counts.get(source.id),
      );
      expect((await openForeign(hermes, source, files).fidelity()).notUnderstood).toEqual({});
      expect(events.at(-1)?.type).toBe('turn.ended');
    }
    owner.close();
  });

  it('has its sessions, those of delegated tasks as subagents, and is read as it grows and as turns are undone', async () => {
    using tree = createTree({ '.hermes/': '' });
    const path = join(tree.root, '.hermes/state.db');
    const owner = new DatabaseSync(path);
    owner.exec(SCHEMA);
    const session = owner.prepare(
      'INSERT INTO sessions (id, source, model, model_config, started_at, title, cwd) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    session.run('s1', 'cli', 'gpt-5.6', '{}', 1785707674.5, 'Nails', '/home/ada/boat');
    session.run('s2', 'cli', 'gpt-5.6', '{"_delegate_from":"s1"}', 1785707675.5, null, null);
    session.run('s3', 'cli', 'gpt-5.6', '{"_branched_from":"s1"}', 1785707676.5, null, null);
    const say = owner.prepare(
      'INSERT INTO messages (session_id, role, content, timestamp, finish_reason) VALUES (?, ?, ?, ?, ?)',
    );
    say.run('s1', 'user', 'How many nails?', 1785707674.5, null);
    const [main, task, branch, ...others] = sourcesIn(tree.root);
    expect(others).toEqual([]);
    expect([main, task, branch].map((each) => [each?.id, each?.parent])).toEqual([
      ['s1', undefined],
      ['s2', 's1'],
      ['s3', undefined],
    ]);
    const before = lookBelow(tree.root);
    const reader = openForeign(hermes, main!, files);
    const first = await eventsOf(reader);
    expect(textsOf(first)).toEqual(['How many nails?']);
    expect(lookBelow(tree.root)).toEqual(before);
    say.run('s1', 'assistant', 'There are 200.', 1785707680.25, 'stop');
    const later = await eventsOf(reader);
    expect(later.slice(0, first.length)).toEqual(first);
    expect(later.slice(first.length).map(({ type }) => type)).toEqual(['message.added', 'turn.ended']);
    expect(readHead(hermes, main!, files)).toEqual({
      id: 's1',
      title: 'Nails',
      cwd: '/home/ada/boat',
      model: 'gpt-5.6',
      startedAt: '2026-08-02T21:54:34.500Z',
      lastActivity: '2026-08-02T21:54:40.250Z',
      firstPrompt: 'How many nails?',
    });
    owner.exec('UPDATE messages SET active = 0 WHERE id = 2');
    expect(textsOf(await eventsOf(openForeign(hermes, main!, files)))).toEqual(['How many nails?']);
    owner.close();
  });
});
