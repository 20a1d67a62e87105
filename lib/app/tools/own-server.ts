// Servers for MCP in the user's own configuration: `ollm mcp add`, `remove` and `test` without a program. It has names
// of variables and never their values.
import type { McpServerEntry } from '../../agent-config/mcp-server-entry.ts';
import { OllmError } from '../../errors/index.ts';
import { type ProbedServer, probeLaunch } from '../agent-config/probe-mcp-server.ts';
import type { App } from '../app.ts';
import { dropSetting, keepSetting, userFileOfApp } from '../start/user-file.ts';
import { listServers } from './list-servers.ts';
import { launchOf } from './mcp-settings.ts';

/** A server as the settings have it. */
type OwnServer = NonNullable<App['config']['mcp']['servers']>[string];

interface SetServer {
  readonly path: string;
  /** As it may be shown. */
  readonly server: unknown;
  readonly isNew: boolean;
  /** Why it will not be started, if it will not. */
  readonly refused?: string | undefined;
}

/** As the tools of the server carry it. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Adds the server to the configuration of the user, or changes it. `env`: names of variables.
 *
 * @example
 * await setOwnServer(app, 'docs', { transport: 'stdio', command: 'docs-server', args: ['--stdio'] }, []);
 * @throws OllmError USAGE: the settings cannot have it; CONFIG_INVALID: it holds a secret, or the file cannot be edited
 */
export async function setOwnServer(
  app: App,
  name: string,
  wanted: McpServerEntry,
  env: readonly string[],
): Promise<SetServer> {
  const server = ownServer(name, wanted, env);
  const { file, configuration } = { file: userFileOfApp(app), configuration: app.config };
  const { before, value } = await keepSetting(file, keyOf(name), JSON.stringify(server));
  const servers = { ...configuration.mcp.servers, [name]: server };
  const rows = await listServers({ ...app, config: { ...configuration, mcp: { ...configuration.mcp, servers } } });
  const row = rows.find((each) => each.name === name);
  const refused = row?.state === 'refused' ? row.text : undefined;
  return { path: file.path, server: value, isNew: before === undefined, ...(refused && { refused }) };
}

/** Takes it out of the configuration of the user. `removed`: whether it was there. @throws OllmError CONFIG_INVALID */
export async function removeOwnServer(
  app: App,
  name: string,
): Promise<{ readonly path: string; readonly removed: boolean }> {
  const file = userFileOfApp(app);
  if (!NAME.test(name)) return { path: file.path, removed: false };
  const { before } = await dropSetting(file, keyOf(name));
  return { path: file.path, removed: before !== undefined };
}

/**
 * Starts or asks it for at most five seconds, also if it is disabled.
 *
 * @example
 * const { reachable, tools } = await probeOwnServer(app, 'docs', signal);
 * @throws OllmError USAGE: there is no such server
 */
export function probeOwnServer(app: App, name: string, signal: AbortSignal): Promise<ProbedServer> {
  const servers = app.config.mcp.servers ?? {};
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (server === undefined) {
    throw new OllmError('USAGE', `Your settings have no server “${name}”.`, {
      hint: '"ollm mcp list" shows those that there are. With --agent, one of another program is tested.',
    });
  }
  const launch = launchOf(app, server);
  const transport = server.url === undefined ? 'stdio' : 'http';
  return probeLaunch(app, launch.kind === 'refused' ? launch.reason : launch, { transport, signal });
}

function ownServer(name: string, wanted: McpServerEntry, env: readonly string[]): OwnServer {
  const { transport, command = '', args = [], cwd, url = '', headers = {}, bearerTokenEnvVar: tokenEnv } = wanted;
  if (!NAME.test(name)) throw refusal('A name has 1 to 64 letters, digits, hyphens and underscores.');
  if (transport === 'sse') throw refusal('ollm does not speak “sse” with a server.', 'Its address may speak http too.');
  if (Object.keys(headers).length > 0) {
    throw refusal(
      'The settings of ollm have no headers.',
      'Name the variable of a token: --bearer-token-env-var NAME.',
    );
  }
  const valued = env.find((each) => !VARIABLE.test(each));
  if (valued !== undefined) {
    const variable = valued.split('=')[0]!;
    throw refusal(
      `The settings of ollm have names of variables, and no values: “${variable}” has one.`,
      `Use --env ${variable}, and set the variable before you start ollm.`,
    );
  }
  if (transport === 'stdio') {
    return { command: [command, ...args], ...(cwd && { cwd }), ...(env.length > 0 && { env: [...env] }) };
  }
  return { url, ...(tokenEnv && { tokenEnv }) };
}

function keyOf(name: string): string {
  return `mcp.servers.${name}`;
}

function refusal(message: string, hint = '"ollm help mcp add" shows examples.'): OllmError {
  return new OllmError('USAGE', message, { hint });
}
