// The app of one session of an editor: the settings of its directory, and the MCP servers that the editor brings in
// addition to the user's own. Values of variables that it brings are for those servers, and tools do not see them.
import type { McpServer } from '@agentclientprotocol/sdk';
import type { App } from '../app/app.ts';
import { createApp } from '../app/compose.ts';
import type { SettingsOptions } from '../app/start/settings.ts';
import { variableOf } from '../config/variables.ts';
import { OllmError } from '../errors/index.ts';
import type { SessionPlaceRequest } from './sessions.ts';

interface BroughtServers {
  /** As `mcp.servers` of the settings has them. */
  readonly servers: Readonly<Record<string, object>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * `shared`: the app whose store, catalogue and log it uses.
 *
 * @throws OllmError USAGE: a server of a kind that is not supported; CONFIG_INVALID
 */
export async function sessionApp(
  shared: App,
  options: SettingsOptions,
  { cwd, mcpServers }: SessionPlaceRequest,
): Promise<App> {
  const parts = { shared, askPassphrase: () => undefined };
  const app = await createApp({ ...options, cwd, parts });
  if (mcpServers.length === 0) return app;
  await app.close();
  const { mcp, services } = app.config;
  const brought = broughtServers(mcpServers);
  const denied = [...(services.environment.denyPatterns ?? []), ...Object.keys(brought.env)];
  const env = {
    ...options.env,
    ...brought.env,
    [variableOf('mcp.servers')]: JSON.stringify({ ...mcp.servers, ...brought.servers }),
    ...(denied.length > 0 && { [variableOf('services.environment.denyPatterns')]: denied.join(',') }),
  };
  return createApp({ ...options, cwd, env, parts });
}

function broughtServers(mcpServers: readonly McpServer[]): BroughtServers {
  const servers: Record<string, object> = {};
  const env: Record<string, string> = {};
  for (const [index, server] of mcpServers.entries()) {
    if ('type' in server) {
      if (server.type !== 'http') {
        throw new OllmError('USAGE', `The MCP server ${server.name} uses ${server.type}.`, {
          hint: 'Servers over standard input or HTTP are supported.',
        });
      }
      const token = server.headers.find(({ name }) => name.toLowerCase() === 'authorization')?.value;
      const bearer = /^Bearer (.+)$/i.exec(token ?? '')?.[1];
      if (server.headers.length > (bearer === undefined ? 0 : 1)) {
        throw new OllmError('USAGE', `The MCP server ${server.name} needs headers that ollm does not send.`, {
          hint: 'A header "Authorization: Bearer …" is supported.',
        });
      }
      const tokenEnv = `ACP_MCP_SERVER_${index}_TOKEN`;
      if (bearer !== undefined) env[tokenEnv] = bearer;
      servers[server.name] = { url: server.url, ...(bearer !== undefined && { tokenEnv }) };
    } else {
      for (const { name, value } of server.env) env[name] = value;
      servers[server.name] = {
        command: [server.command, ...server.args],
        env: server.env.map(({ name }) => name),
      };
    }
  }
  return { servers, env };
}
