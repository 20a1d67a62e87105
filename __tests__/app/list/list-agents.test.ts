// The newest session of a program is that of the newest record, whatever times its files have.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLAUDE_FILE, CLAUDE_ID, CLAUDE_OTHER_ID, claudePrompt, lines } from '../../support/agent-homes.ts';
import { createHome } from '../../support/cli.ts';

it('agents and the list name the same newest session and time if the files were copied in a different order', async () => {
  using home = createHome();
  const other = CLAUDE_FILE.replace(CLAUDE_ID, CLAUDE_OTHER_ID);
  const newer = lines([{ ...claudePrompt('b1', 'newer', '2026-07-14T10:00:00.000Z'), version: '2.1.209' }]);
  const older = lines([{ ...claudePrompt('a1', 'older', '2026-01-21T10:00:00.000Z'), version: '2.1.12' }]);
  mkdirSync(dirname(join(home.path, CLAUDE_FILE)), { recursive: true });
  writeFileSync(join(home.path, CLAUDE_FILE), newer);
  writeFileSync(join(home.path, other), older);
  const agents = JSON.parse((await home.here(['agents', '--json'])).stdout);
  const [first] = JSON.parse((await home.here(['list', '--all', '--json'])).stdout);
  const claude = agents.find(({ name }: { name: string }) => name === 'claude');
  expect([first.id, first.lastActivity]).toEqual([CLAUDE_ID, '2026-07-14T10:00:00.000Z']);
  expect([claude.newest, claude.lastActivity, claude.version]).toEqual([first.address, first.lastActivity, '2.1.209']);
});
