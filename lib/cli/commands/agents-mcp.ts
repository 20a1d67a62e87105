// `ollm agents --mcp`: ollm as an MCP server in the settings of other programs, after a look at what would be changed.
import type { ServerRow } from '../../app/agent-config/server-plan.ts';
import { printableLine } from '../../display/printable.ts';
import { OllmError } from '../../errors/index.ts';
import type { Shell } from '../shell.ts';
import { changeSettings } from './agents-settings.ts';

/** Options of `ollm agents --mcp`. */
export interface AgentsMcpOptions {
  readonly mcp?: true | readonly string[];
  readonly remove?: boolean;
  readonly allProjects?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Answers with the exit code: 1 if a file could not be changed, or the user said no. */
export async function agentsMcp(shell: Shell, options: AgentsMcpOptions): Promise<number> {
  const { mcp, remove, allProjects, dryRun, yes } = options;
  if (remove && allProjects) throw new OllmError('USAGE', '--remove and --all-projects exclude each other.');
  const app = await shell.openApp('agents');
  const { ownProgram } = await import('../../app/agent-config/own-program.ts');
  const { planServers } = await import('../../app/agent-config/server-plan.ts');
  const program = ownProgram(app, { node: process.execPath, script: process.argv[1] ?? 'ollm' });
  const agents = mcp === true ? undefined : mcp;
  const plans = await planServers(app, { agents, program, allProjects, remove });
  return changeSettings(shell, app, plans, {
    dryRun,
    yes,
    sentenceOf,
    copyOf: ({ name }) => name,
    nothing: 'No program was found here that ollm could be added to. See docs/mcp-server.md.',
    afterwards: ['Each program sees it when it is started next.'],
  });
}

function sentenceOf({ title, state, path, server, command, reason }: ServerRow): string {
  const name = printableLine(server);
  const words = printableLine((command ?? []).join(' '));
  const file = printableLine(path);
  switch (state) {
    case 'add':
      return `${title}: add ${name} (${words}) to ${file}`;
    case 'change':
      return `${title}: change ${name} to "${words}" in ${file}`;
    case 'remove':
      return `${title}: take ${name} (${words}) out of ${file}`;
    case 'done':
      return command === undefined
        ? `${title}: ${file} has no server of ollm`
        : `${title}: ${file} has it: ${name} (${words})`;
    case 'taken':
      return `${title}: a different server is called ${name} in ${file}: rename it there first`;
    case 'unused':
      return `${title}: it was never started here: start it once, so that it makes its directories`;
    case 'refused':
      return `${title}: ${reason}`;
  }
}
