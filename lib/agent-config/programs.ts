// Where each program keeps the MCP servers of its user, and the form of an entry there: as its own command writes it.
// Only programs that start a server in the directory that they work in: ollm serves the sessions of that project.
import { join } from 'node:path';
import type { Surroundings } from '../agents/agent.ts';
import { ownDirectory } from '../agents/finding.ts';
import { xdgDirectory } from '../platform/xdg.ts';
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
  roots: (surroundings) => [ownDirectory.claude(surroundings)],
  files: ({ env, home }) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: (server) => ({ type: 'stdio', ...commandAndArgs(server) }),
};

const codex: McpProgram = {
  name: 'codex',
  roots: (surroundings) => [ownDirectory.codex(surroundings)],
  files: (surroundings) => [join(ownDirectory.codex(surroundings), 'config.toml')],
  format: 'toml',
  member: 'mcp_servers',
  entryOf: commandAndArgs,
};

const copilot: McpProgram = {
  name: 'copilot',
  roots: (surroundings) => [ownDirectory.copilot(surroundings)],
  files: (surroundings) => [join(ownDirectory.copilot(surroundings), 'mcp-config.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: (server) => ({ type: 'local', ...commandAndArgs(server), tools: ['*'] }),
};

const gemini: McpProgram = {
  name: 'gemini',
  roots: (surroundings) => [ownDirectory.gemini(surroundings)],
  files: (surroundings) => [join(ownDirectory.gemini(surroundings), 'settings.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: commandAndArgs,
};

const opencode: McpProgram = {
  name: 'opencode',
  roots: ({ env, home }) => [
    join(xdgDirectory('config', { env, home }), 'opencode'),
    join(xdgDirectory('data', { env, home }), 'opencode'),
  ],
  // It reads both, and the second counts.
  files: ({ env, home }) => {
    const folder = join(xdgDirectory('config', { env, home }), 'opencode');
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
  roots: (surroundings) => [ownDirectory.qwen(surroundings)],
  files: (surroundings) => [join(ownDirectory.qwen(surroundings), 'settings.json')],
  format: 'json',
  member: 'mcpServers',
  entryOf: commandAndArgs,
};

/** By the names that they have in an address. */
export const MCP_PROGRAMS: readonly McpProgram[] = [claude, codex, copilot, gemini, opencode, qwen];

function commandAndArgs({ words: [command = '', ...args], env }: StartedServer): Readonly<Record<string, unknown>> {
  return { command, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
}
