// Programs whose settings can have ollm as a server. A file of its own: the help of a command loads the names only.

/** By the names that they have in an address. */
export const MCP_PROGRAM_NAMES = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'] as const;

export type McpProgramName = (typeof MCP_PROGRAM_NAMES)[number];
