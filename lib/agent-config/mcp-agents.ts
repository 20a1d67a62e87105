// Where four programs keep their servers for MCP, in each scope, and the form of an entry there. Members of an entry
// that are not in the common form stay as they are.
import { join } from 'node:path';
import type { Surroundings } from '../agents/agent.ts';
import { variableText } from '../environment/text-variables.ts';
import { isObject } from '../platform/json.ts';
import type { McpServerEntry, McpTransport } from './mcp-server-entry.ts';
import type { McpAgentName, McpScope } from './program-names.ts';
import { MCP_PROGRAMS } from './programs.ts';

/** An object in a settings file. */
interface SettingsPlace {
  readonly path: string;
  /** The members that lead to it, from the root on. */
  readonly members: readonly string[];
}

type Entry = Readonly<Record<string, unknown>>;

export interface McpAgent {
  readonly name: McpAgentName;
  readonly format: 'json' | 'toml';
  readonly scopes: readonly McpScope[];
  readonly transports: readonly McpTransport[];
  /** The place of each of its scopes. `workspace`: absolute. */
  places(surroundings: Surroundings, workspace: string): Readonly<Partial<Record<McpScope, SettingsPlace>>>;
  /** Members of an entry that `entryOf` may set. */
  readonly members: readonly string[];
  /** Undefined for an entry that names neither a program nor an address. */
  serverIn(entry: Entry): McpServerEntry | undefined;
  entryOf(server: McpServerEntry): Entry;
  /** How an address names a variable there; undefined: it cannot. */
  readonly variableForm?: string;
}

function userPlace(name: 'claude' | 'codex' | 'gemini', surroundings: Surroundings): SettingsPlace {
  const program = MCP_PROGRAMS.find((each) => each.name === name)!;
  return { path: program.files(surroundings)[0]!, members: [program.member] };
}

const claude: McpAgent = {
  name: 'claude',
  variableForm: variableText('NAME'),
  format: 'json',
  scopes: ['user', 'local', 'project'],
  transports: ['stdio', 'http', 'sse'],
  places(surroundings, workspace) {
    const user = userPlace('claude', surroundings);
    return {
      user,
      local: { path: user.path, members: ['projects', workspace, 'mcpServers'] },
      project: { path: join(workspace, '.mcp.json'), members: ['mcpServers'] },
    };
  },
  members: ['type', 'command', 'args', 'env', 'url', 'headers'],
  serverIn: (entry) => common(entry, transportIn(entry) ?? (entry.url === undefined ? 'stdio' : 'http')),
  entryOf: ({ transport, command, args = [], env, url, headers }) =>
    transport === 'stdio' ? { type: transport, command, args, env } : { type: transport, url, headers },
};

const codex: McpAgent = {
  name: 'codex',
  format: 'toml',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http'],
  places: (surroundings, workspace) => ({
    user: userPlace('codex', surroundings),
    project: { path: join(workspace, '.codex', 'config.toml'), members: ['mcp_servers'] },
  }),
  members: [
    ...['command', 'args', 'env', 'cwd', 'env_vars'],
    ...['url', 'http_headers', 'bearer_token_env_var', 'env_http_headers'],
  ],
  serverIn(entry) {
    const server = common({ ...entry, headers: entry.http_headers }, entry.url === undefined ? 'stdio' : 'http');
    return (
      server && {
        ...server,
        envVars: wordsIn(entry.env_vars),
        bearerTokenEnvVar: textIn(entry.bearer_token_env_var),
        envHttpHeaders: textsIn(entry.env_http_headers),
      }
    );
  },
  entryOf({ transport, command, args, env, cwd, envVars, url, headers, bearerTokenEnvVar, envHttpHeaders }) {
    if (transport === 'stdio') return { command, args, env, cwd, env_vars: envVars };
    return { url, http_headers: headers, bearer_token_env_var: bearerTokenEnvVar, env_http_headers: envHttpHeaders };
  },
};

const cursor: McpAgent = {
  name: 'cursor',
  variableForm: variableText('env:NAME'),
  format: 'json',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http', 'sse'],
  places: ({ home }, workspace) => ({
    user: { path: join(home, '.cursor', 'mcp.json'), members: ['mcpServers'] },
    project: { path: join(workspace, '.cursor', 'mcp.json'), members: ['mcpServers'] },
  }),
  members: ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'],
  // It finds out by itself which of the two an address speaks.
  serverIn: (entry) => common(entry, transportIn(entry) ?? (entry.url === undefined ? 'stdio' : 'http')),
  entryOf: ({ transport, command, args, env, cwd, url, headers }) =>
    transport === 'stdio'
      ? { command, args, env, cwd }
      : { ...(transport === 'sse' && { type: transport }), url, headers },
};

const gemini: McpAgent = {
  name: 'gemini',
  variableForm: variableText('NAME'),
  format: 'json',
  scopes: ['user', 'project'],
  transports: ['stdio', 'http', 'sse'],
  places: (surroundings, workspace) => ({
    user: userPlace('gemini', surroundings),
    project: { path: join(workspace, '.gemini', 'settings.json'), members: ['mcpServers'] },
  }),
  members: ['type', 'command', 'args', 'env', 'cwd', 'url', 'httpUrl', 'headers'],
  serverIn(entry) {
    if (entry.httpUrl !== undefined) return common({ ...entry, url: entry.httpUrl }, 'http');
    return common(entry, transportIn(entry) ?? (entry.url === undefined ? 'stdio' : 'sse'));
  },
  entryOf: ({ transport, command, args, env, cwd, url, headers }) =>
    transport === 'stdio' ? { command, args, env, cwd } : { url, type: transport, headers },
};

const AGENTS: Readonly<Record<McpAgentName, McpAgent>> = { claude, codex, cursor, gemini };

export function mcpAgent(name: McpAgentName): McpAgent {
  return AGENTS[name];
}

/** The members that most of them share. */
function common(entry: Entry, transport: McpTransport): McpServerEntry | undefined {
  const { command, url } = { command: textIn(entry.command), url: textIn(entry.url) };
  if (transport === 'stdio') {
    if (command === undefined) return undefined;
    return { transport, command, args: wordsIn(entry.args), env: textsIn(entry.env), cwd: textIn(entry.cwd) };
  }
  return url === undefined ? undefined : { transport, url, headers: textsIn(entry.headers) };
}

/** Some programs write the long name of `http`. */
function transportIn({ type }: Entry): McpTransport | undefined {
  if (type === 'streamable-http' || type === 'streamableHttp') return 'http';
  return type === 'stdio' || type === 'http' || type === 'sse' ? type : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function wordsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

function textsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}
