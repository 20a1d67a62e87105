// Names of programs and scopes. A file of its own: the help of a command loads the names only.

/** Programs whose settings can have ollm as a server, by the names that they have in an address. */
export const MCP_PROGRAM_NAMES = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'] as const;

export type McpProgramName = (typeof MCP_PROGRAM_NAMES)[number];

/** Programs that can call ollm after a turn, by the names that they have in an address. */
export const HOOK_PROGRAM_NAMES = ['claude', 'codex', 'gemini'] as const;

export type HookProgramName = (typeof HOOK_PROGRAM_NAMES)[number];

/** Programs whose servers for MCP can be listed and changed. */
export const MCP_AGENTS = ['claude', 'codex', 'cursor', 'gemini'] as const;

export type McpAgentName = (typeof MCP_AGENTS)[number];

export const MCP_SCOPES = ['user', 'local', 'project'] as const;

/**
 * - `user`: in every directory
 * - `local`: in one directory, for this user only
 * - `project`: in one directory, in a file of the project
 */
export type McpScope = (typeof MCP_SCOPES)[number];
