// A server for MCP in the settings of another program, in one form for all of them: the command that it starts, or the
// address that it asks. Values of variables and headers are in it: show it without them.
export const MCP_TRANSPORTS = ['stdio', 'http', 'sse'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

type Texts = Readonly<Record<string, string>>;

/** Members are absent where the program's entry does not have them. */
export interface McpServerEntry {
  readonly transport: McpTransport;
  /** The program, for `stdio`. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Texts | undefined;
  readonly cwd?: string | undefined;
  /** Names of variables that the program hands on. */
  readonly envVars?: readonly string[] | undefined;
  /** The address, for `http` and `sse`. */
  readonly url?: string | undefined;
  readonly headers?: Texts | undefined;
  /** The variable that has the token of the header `Authorization`. */
  readonly bearerTokenEnvVar?: string | undefined;
  /** Headers, each with the variable that has its value. */
  readonly envHttpHeaders?: Texts | undefined;
}
