// `ollm mcp`: the MCP servers of the settings and of other programs, and ollm as one. `list` starts none of them; `ollm
// doctor` does.
import { type Command, Option } from 'commander';
import { MCP_AGENTS, type McpAgentName } from '../../agent-config/program-names.ts';
import type { ListedServer } from '../../app/tools/list-servers.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { defineMcpServe } from './mcp-serve.ts';
import { defineMcpAdd, defineMcpRemove, defineMcpTest, listServersOfAgents } from './mcp-servers.ts';

export function defineMcp(program: Command, finish: Finish): void {
  const command = program
    .command('mcp')
    .description('the MCP servers of your settings and of other programs, and ollm as one');
  withExamples(command, [
    { line: 'ollm mcp', does: 'which servers a session has' },
    { line: 'claude mcp add ollm -- ollm mcp serve', does: 'let Claude Code look into the stored sessions' },
  ]);
  defineList(command, finish);
  defineMcpAdd(command, finish);
  defineMcpRemove(command, finish);
  defineMcpTest(command, finish);
  defineMcpServe(command, finish);
}

function defineList(parent: Command, finish: Finish): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list the MCP servers of your settings, each with its state, or those of other programs; starts none')
    .addOption(new Option('--agent <agent>', 'those of this program, or of all four').choices([...MCP_AGENTS, 'all']))
    .action(
      action<{ readonly agent?: McpAgentName | 'all' }, []>(finish, async (shell, { agent }) => {
        if (agent !== undefined) return listServersOfAgents(shell, agent);
        const { output, openApp } = shell;
        const app = await openApp('mcp');
        const { listServers } = await import('../../app/tools/list-servers.ts');
        const servers = await listServers(app);
        if (output.json) return output.document(servers);
        const cells = ({ name, state, text, where }: ListedServer) => [name, state, text, where];
        await output.list(servers, cells, () => [
          { title: 'SERVER', cells: servers.map(({ name }) => name), style: 'cyan' },
          { title: 'STATE', cells: servers.map(({ text }) => text), grows: true },
          { title: 'WHERE', cells: servers.map(({ where }) => where), style: 'dim', dropAt: 70 },
        ]);
        output.note(
          servers.length === 0
            ? 'No server is set: mcp.servers in your config.yaml names them, docs/mcp.md says how.'
            : '"ollm doctor" starts them and says what they offer; /tools in the REPL approves their tools.',
        );
      }),
    );
  withExamples(command, [
    { line: 'ollm mcp list --json', does: 'the servers of your settings, for a script' },
    { line: 'ollm mcp list --agent all', does: 'those of Claude Code, Codex, Cursor and Gemini CLI in this directory' },
  ]);
}
