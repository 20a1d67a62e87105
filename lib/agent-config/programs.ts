// Where each program keeps the MCP servers of its user, and the form of an entry there: as its own command writes it.
// Only programs that start a server in the directory that they work in: ollm serves the sessions of that project.
import { join } from 'node:path';
import type { Surroundings } from '../agents/agent.ts';
import type { McpProgramName } from './program-names.ts';
import type { StartedServer } from './server-entry.ts';

/** A program that starts MCP servers. */
export interface McpProgram {
  readonly name: McpProgramName;
  /** Directories of its own. One of them exists where it was ever started. */
  roots(surroundings: Surroundings): readonly string[];
  /** Files of the user's settings. The last one that exists is changed; if there is none, the first is made. */
  files(surroundings: Surroundings): readonly string[];
  readonly format: 'json' | 'toml';
  /** The member of the file that has the servers by their names. */
  readonly member: string;
  entryOf(server: StartedServer): Readonly<Record<string, unknown>>;
}

const claude: McpProgram = {
  name: 'claude',
  roots: ({ env, home }) => [env.CLAUDE_CONFIG_DIR || join(home, '.claude')],
  files: ({ env, home }) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: (server) => ({ type: 'stdio', ...commandAndArgs(server) }),
};

const codex: McpProgram = {
  name: 'codex',
  roots: ({ env, home }) => [env.CODEX_HOME || join(home, '.codex')],
  files: ({ env, home }) => [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
  format: 'toml',
  member: 'mcp_servers',
  entryOf: commandAndArgs,
};

const copilot: McpProgram = {
  name: 'copilot',
  roots: ({ env, home }) => [env.COPILOT_HOME || join(home, '.copilot')],
  files: ({ env, home }) => [join(env.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: (server) => ({ type: 'local', ...commandAndArgs(server), tools: ['*'] }),
};

const gemini: McpProgram = {
  name: 'gemini',
  roots: ({ env, home }) => [join(env.GEMINI_CLI_HOME || home, '.gemini')],
  files: ({ env, home }) => [join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: commandAndArgs,
};

const opencode: McpProgram = {
  name: 'opencode',
  roots: ({ env, home }) => [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
    join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
  ],
  // It reads both, and the second counts.
  files: ({ env, home }) => {
    const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
    return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
  },
  format: 'json',
  member: 'mcp',
  entryOf: ({ words, env }) => ({
    type: 'local',
    command: words,
    enabled: true,
    ...(Object.keys(env).length > 0 ? { environment: env } : {}),
  }),
};

const qwen: McpProgram = {
  name: 'qwen',
  roots: ({ home }) => [join(home, '.qwen')],
  files: ({ home }) => [join(home, '.qwen', 'settings.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: commandAndArgs,
};

/** By the names that they have in an address. */
export const MCP_PROGRAMS: readonly McpProgram[] = [claude, codex, copilot, gemini, opencode, qwen];

function commandAndArgs({ words: [command = '', ...args], env }: StartedServer): Readonly<Record<string, unknown>> {
  return { command, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
}
