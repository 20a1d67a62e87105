// A tool of a server as a tool of ollm. It never counts as one that only reads: a server's description has no authority
// here. Each call shows exactly the data that is sent.
import { excerpt } from '../display/excerpt.ts';
import { isObject } from '../platform/json.ts';
import { type Tool, ToolFailure } from '../tools/tool.ts';
import { ServerFailure } from './connection.ts';
import { WRAPPED } from './current-schema.ts';
import type { McpToolDefinition } from './definition.ts';
import { resultOutput } from './result-output.ts';
import type { McpServer } from './server.ts';

const MAX_SUMMARY_CHARACTERS = 80;

export function serverTool(
  server: McpServer,
  definition: McpToolDefinition,
  { timeoutMs }: { timeoutMs: number },
): Tool {
  const { name, remoteName, parameters, isWrapped } = definition;
  const serverName = server.settings.name;
  return {
    name,
    description: `${definition.description}\n(A tool of the MCP server ${serverName}.)`.trim(),
    parameters,
    origin: `mcp:${serverName}`,
    async plan(args) {
      const inner = args[WRAPPED];
      const sent = isWrapped ? (isObject(inner) ? inner : {}) : args;
      const shown = excerpt(JSON.stringify(sent), MAX_SUMMARY_CHARACTERS);
      return {
        action: {
          tool: name,
          summary: `Call ${remoteName} of ${serverName} with ${shown}`,
          isReadOnly: false,
          accesses: [],
          isRemote: true,
          preview: { kind: 'text', text: JSON.stringify(sent, undefined, 2) },
        },
        async run({ signal, onProgress }) {
          try {
            return resultOutput(await server.call(definition, sent, { signal, timeoutMs, onProgress }));
          } catch (error) {
            if (!(error instanceof ServerFailure)) throw error;
            throw new ToolFailure(`The MCP server ${serverName} ${error.message}.`, { cause: error });
          }
        },
      };
    },
  };
}
