import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { discover } from '../../../lib/agents/discover.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { kiloCli, opencode } from '../../../lib/agents/opencode/opencode.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, overKept } from '../reading.ts';

describeAgent(kiloCli);

it('a call that a subagent carried out names its session, by the address of Kilo CLI', async () => {
  const events = await eventsOf(openForeign(overKept(kiloCli), caseOf('kilo-cli', 'call'), files));
  expect(events.find(({ type }) => type === 'tool.finished')?.data).toMatchObject({ subagent: 'kilo-cli:ses_2' });
});

it('the database of Kilo CLI is found, also by the variable that names it, and opencode does not claim it', () => {
  using tree = createTree({ '.local/share/kilo/': '', '.local/share/opencode/': '', 'other/': '' });
  for (const path of ['.local/share/kilo/kilo.db', 'other/mine.db']) {
    using database = new DatabaseSync(join(tree.root, path));
    database.exec(
      "CREATE TABLE session (id TEXT, parent_id TEXT, time_created INTEGER); INSERT INTO session (id) VALUES ('ses_1')",
    );
  }
  const find = (agent: typeof opencode, env: Record<string, string>) =>
    [...discover(agent, { env, home: tree.root, platform: 'linux' }, files)].map((found) =>
      found.kind === 'source' ? [found.source.agent, found.source.path.slice(tree.root.length)] : found,
    );
  expect(find(kiloCli, {})).toEqual([['kilo-cli', '/.local/share/kilo/kilo.db']]);
  expect(find(kiloCli, { KILO_DB: join(tree.root, 'other/mine.db') })).toEqual([
    ['kilo-cli', '/.local/share/kilo/kilo.db'],
    ['kilo-cli', '/other/mine.db'],
  ]);
  expect(find(opencode, {})).toEqual([]);
});
