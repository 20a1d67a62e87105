// The programs themselves list the servers that were added for them, and ollm lists the ones that they added.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  listMcpServers,
  type McpServerPlace,
  removeMcpServer,
  setMcpServer,
} from '../../lib/app/agent-config/mcp-servers.ts';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { gemini } from '../agents/programs/gemini.ts';
import { commandOf } from '../agents/programs/program.ts';
import { goOffline } from '../support/offline.ts';

const URL_OF_NONE = 'http://127.0.0.1:9/mcp';
/** The command of each program that adds a server. */
const ADDS = {
  claude: ['mcp', 'add', '--scope', 'user', 'theirs', '--env', 'KEY=value', '--', 'their-server', '--fast'],
  codex: ['mcp', 'add', 'theirs', '--env', 'KEY=value', '--', 'their-server', '--fast'],
  gemini: ['mcp', 'add', '--scope', 'user', '-e', 'KEY=value', 'theirs', 'their-server', '--', '--fast'],
};

describe.each([claude, codex, gemini])('the servers for MCP of $agent', (program) => {
  const command = commandOf(program);
  const agent = program.agent as keyof typeof ADDS;
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }

  it('are the same for the program and for ollm', async () => {
    await using offline = await goOffline([], program.files);
    const cwd = join(offline.home, 'project');
    mkdirSync(cwd);
    const options = { cwd, env: program.env(offline.url) };
    const at = (name: string): McpServerPlace => ({ agent, scope: 'user', name, workspace: cwd });
    await withApp(offline.home, cwd, async (app) => {
      await setMcpServer(app, at('ours'), { transport: 'stdio', command: 'our-server', args: ['--slow'] });
      await setMcpServer(app, at('web'), { transport: 'http', url: URL_OF_NONE });
    });
    const listed = await offline.run([command, 'mcp', 'list'], options);
    expect(['ours', 'our-server --slow', 'web', URL_OF_NONE].filter((text) => !folded(listed).includes(text))).toEqual(
      [],
    );
    await offline.run([command, ...ADDS[agent]], options);
    await withApp(offline.home, cwd, async (app) => {
      const { servers, problems } = await listMcpServers(app, { agents: [agent], scope: 'user', workspace: cwd });
      expect(problems).toEqual([]);
      expect(servers).toMatchObject([
        { name: 'ours', args: ['--slow'] },
        { name: 'web', transport: 'http', url: URL_OF_NONE },
        { name: 'theirs', transport: 'stdio', command: 'their-server', args: ['--fast'], env: { KEY: '[hidden]' } },
      ]);
      await removeMcpServer(app, at('theirs'));
    });
    expect(await offline.run([command, 'mcp', 'list'], options)).not.toContain('their-server');
  });
});

/** Columns are as wide as the texts in them. */
function folded(text: string): string {
  return text.replace(/[ \t]+/g, ' ');
}

async function withApp(home: string, cwd: string, work: (app: App) => Promise<void>): Promise<void> {
  const env = { HOME: home, OLLM_HOME: join(home, 'ollm') };
  const app = await createApp({ env, cwd, flags: {}, command: 'test' });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}
