// What `ollm doctor` says of MCP servers: whether each starts, how many tools it has, and whether they are approved.
import type { ServerReport } from '../../mcp/servers.ts';
import type { App } from '../app.ts';
import type { Check } from './check-data-directory.ts';

/** Starts them; they end with the app. */
export async function* checkServers(app: App): AsyncGenerator<Check, void, void> {
  const servers = await app.mcpServers();
  if (servers === undefined) return;
  const { missingVariables } = await import('../tools/mcp-settings.ts');
  await servers.start();
  for (const report of servers.reports) {
    const configured = app.config.mcp.servers?.[report.name];
    yield checkServer(report, configured === undefined ? [] : missingVariables(app, configured));
  }
}

function checkServer({ name: server, status, offered, pending }: ServerReport, missing: readonly string[]): Check {
  const name = `mcp ${server}`;
  const unset = missing.length === 0 ? '' : `; not set: ${missing.join(', ')}`;
  if (status.kind !== 'ready') {
    const reason = status.kind === 'failed' ? status.reason : 'does not run';
    const remedy = `See mcp.servers.${server} in your configuration, and the log for what the server wrote.`;
    return { name, status: 'fail', text: `${reason}${unset}`, remedy };
  }
  const tools = offered.length + pending.length;
  const text = `${tools} ${tools === 1 ? 'tool' : 'tools'}, ${offered.length} approved${unset}`;
  if (pending.length > 0) {
    const remedy = `Look at them in the REPL with /tools, and approve them with "/tools approve ${server}".`;
    return { name, status: 'warn', text, remedy };
  }
  if (missing.length > 0) return { name, status: 'warn', text, remedy: 'Set them, or take them out of its env.' };
  return { name, status: 'ok', text };
}
