// The MCP servers of the settings, each with its state as far as that is known without starting it.
import { join } from 'node:path';
import { withoutSecret } from '../../config/explain.ts';
import { countOf } from '../../display/quantities.ts';
import { openApprovals } from '../../mcp/approvals.ts';
import type { App } from '../app.ts';
import { mcpSettings, missingVariables } from './mcp-settings.ts';

export interface ListedServer {
  readonly name: string;
  readonly state: 'ready' | 'disabled' | 'refused';
  /** For people: tools that are approved, or why it is not started. */
  readonly text: string;
  /** The program with its arguments, or the address, without secrets. */
  readonly where: string;
  readonly approvedTools: readonly string[];
}

export async function listServers(app: App): Promise<readonly ListedServer[]> {
  const { paths, fileSystem, ids, process } = app;
  const path = join(paths.home, 'mcp-approvals.json');
  const { servers: approved } = openApprovals({ path, fileSystem, ids, uid: process.uid }).read();
  const settings = new Map(mcpSettings(app).map((each) => [each.name, each]));
  const redact = await app.redactor({ onRequest: true });
  return Object.entries(app.config.mcp.servers ?? {}).map(([name, configured]): ListedServer => {
    const shown = withoutSecret(`mcp.servers.${name}`, configured, (text) => redact(text).text) as typeof configured;
    const where = shown.url ?? (shown.command ?? []).join(' ');
    const server = settings.get(name);
    if (server === undefined) return { name, state: 'disabled', text: 'disabled', where, approvedTools: [] };
    const known = approved.get(name);
    const approvedTools = known?.identity === server.identity ? [...known.tools.keys()] : [];
    const { launch } = server;
    if (launch.kind === 'refused') return { name, state: 'refused', text: launch.reason, where, approvedTools };
    const missing = missingVariables(app, configured);
    const unset = missing.length === 0 ? '' : `; not set: ${missing.join(', ')}`;
    const text = `${countOf(approvedTools.length, 'tool')} approved${unset}`;
    return { name, state: 'ready', text, where, approvedTools };
  });
}
