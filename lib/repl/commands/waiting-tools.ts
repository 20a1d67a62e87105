// The tools of MCP servers that wait for approval, and how they are approved: only tools that were
// on the screen count. The first approval shows them.
import type { ToolToApprove } from '../../app/tools/mcp.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { CommandContext } from './command.ts';

const WHY = {
  new: 'new',
  changed: 'not as it was when you approved it',
  moved: 'from another program or address than when you approved it',
} as const;

/** How many wait, and how to continue; nothing if none do. */
export async function tellWaiting({ app, front }: Pick<CommandContext, 'app' | 'front'>): Promise<void> {
  const { toolsToApprove } = await import('../../app/tools/mcp.ts');
  const waiting = await toolsToApprove(app, undefined, { waitMs: 0 });
  for (const server of serversOf(waiting)) {
    const names = waiting.filter(({ pending }) => pending.server === server).map(titleOf);
    front.print(`Not offered before you approve: ${names.join(', ')}. See /tools approve ${sanitizeLine(server)}.`);
  }
}

/** Names of the servers that have such tools, for completion. */
export async function waitingServers({ app }: CommandContext): Promise<readonly string[]> {
  const { toolsToApprove } = await import('../../app/tools/mcp.ts');
  return serversOf(await toolsToApprove(app, undefined, { waitMs: 0 }));
}

/** Approves tools that were shown before; shows the others. */
export async function approveWaiting({ app, front, conversation }: CommandContext, server: string): Promise<void> {
  const { approveTools, toolsToApprove } = await import('../../app/tools/mcp.ts');
  const { toolWarnings } = await import('../../app/tools/toolbox.ts');
  const waiting = await toolsToApprove(app, server);
  if (waiting.length === 0) {
    const state = (await app.mcpServers())?.reports.find(({ name }) => name === server)?.status;
    front.print(
      state?.kind === 'failed'
        ? `The server ${sanitizeLine(server)} does not run: it ${state.reason}. No tool of it can be approved now.`
        : `No tool of ${sanitizeLine(server)} is waiting for approval.`,
    );
    for (const warning of await toolWarnings(app, conversation)) front.notice(warning);
    return;
  }
  const shown = conversation.state.shownTools;
  const seen = waiting.filter((tool) => shown.has(keyOf(tool)));
  const unseen = waiting.filter((tool) => !shown.has(keyOf(tool)));
  if (seen.length > 0) {
    await approveTools(app, seen);
    front.print(`Approved: ${seen.map(titleOf).join(', ')}.`);
  }
  for (const tool of unseen) {
    front.print(`${titleOf(tool)}: ${WHY[tool.pending.why]}`, ...tool.text.trimEnd().split('\n').map(indented), '');
    shown.add(keyOf(tool));
  }
  if (unseen.length > 0) front.print(`Repeat the command to approve ${unseen.length === 1 ? 'it' : 'them'} as shown.`);
}

function serversOf(tools: readonly ToolToApprove[]): string[] {
  return [...new Set(tools.map(({ pending }) => pending.server))];
}

function titleOf({ pending }: ToolToApprove): string {
  return sanitizeLine(pending.definition.name);
}

function keyOf({ pending }: ToolToApprove): string {
  return JSON.stringify([pending.server, pending.why, pending.definition.fingerprint]);
}

function indented(line: string): string {
  return `  ${line}`;
}
