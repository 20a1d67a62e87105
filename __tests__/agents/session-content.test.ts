// The hash of a session in a database has at least all that the session is read from: a module that reads more would
// miss a change of it.
import type { Hash } from 'node:crypto';
import type { ForeignDatabase, Source } from '../../lib/agents/agent.ts';
import { discover } from '../../lib/agents/discover.ts';
import { loadAgent } from '../../lib/agents/registry.ts';
import { openDatabase } from '../../lib/agents/sqlite.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { databaseOwners } from '../support/sessions-in-databases.ts';
import { createTree } from '../support/tree.ts';

const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

it('each value that a module reads of a session in a database is in the hash of it', async () => {
  using tree = createTree();
  tree.write({
    '.local/share/crush/projects.json': JSON.stringify({
      projects: [{ path: `${tree.root}/boat`, data_dir: '.crush' }],
    }),
  });
  for (const { agent: name, database: owned, ...owner } of databaseOwners(tree.root)) {
    for (const session of ['it', 'other']) {
      owner.begin(session);
      for (const number of [0, 1]) owner.say(session, number, `${session} says ${number}`);
    }
    const agent = await loadAgent(name);
    const found = [...discover(agent, { env: {}, home: tree.root, platform: 'linux' }, files)];
    const source = found.flatMap((each): Source[] => (each.kind === 'source' ? [each.source] : []))[0]!;
    expect(source.id).toBe('it');
    const stored = agent.stored(source);
    if (stored.kind !== 'rows') throw new Error(`${name} has no rows.`);
    using database = openDatabase(files, source.path, stored.columns);
    const read: unknown[] = [];
    const watched: ForeignDatabase = {
      has: (...column) => database.has(...column),
      all(...query) {
        const rows = database.all(...query);
        read.push(...rows.flatMap((row) => Object.values(row)));
        return rows;
      },
      close: () => {},
      [Symbol.dispose]: () => {},
    };
    expect([...stored.rows(watched, source)].length).toBeGreaterThan(2);
    stored.head(watched, source);
    let hashed = '';
    const hash = { update: (text: string) => (hashed += text) } as unknown as Hash;
    for (const rows of stored.own!(source)) database.hashRows(rows, hash);
    expect([name, read.filter((value) => !hashed.includes(JSON.stringify(value)))]).toEqual([name, []]);
    expect(stored.own!(source).map(({ table }) => table)).toEqual(Object.keys(stored.columns));
    expect(hashed).not.toContain('other says');
    owned.close();
  }
});
