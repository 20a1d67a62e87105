// The servers for MCP in the settings of other programs.
import { routesOf } from './route.ts';
import { flag, listOf, object, optional, options, path, shape, text } from './schema.ts';

const route = routesOf('Servers for MCP');

const value = { type: 'string', maxLength: 8192 } as const;
const texts = { type: 'object', additionalProperties: value, maxProperties: 256 } as const;

const workspacePath = path('The directory of the scopes `local` and `project`. Default: that of the server.');
const scope = {
  type: 'string',
  maxLength: 32,
  description: '`user`, `local` or `project`. Default: `project`.',
} as const;
const place = { scope, workspacePath } as const;

const ERRORS = ['WORKSPACE_NOT_ALLOWED', 'INVALID_MCP_SCOPE', 'MCP_SCOPE_NOT_SUPPORTED'] as const;
const CHANGE_ERRORS = [...ERRORS, 'CONFIG_INVALID', 'CHANGED_MEANWHILE'] as const;
const SERVER_ERRORS = [
  ...['MCP_NAME_REQUIRED', 'MCP_TRANSPORT_REQUIRED', 'INVALID_MCP_TRANSPORT'],
  ...['MCP_COMMAND_REQUIRED', 'MCP_URL_REQUIRED', 'MCP_TRANSPORT_NOT_SUPPORTED', 'MCP_MEMBER_NOT_SUPPORTED'],
] as const satisfies readonly string[];

const server = {
  transport: { type: 'string', maxLength: 32, description: '`stdio`, `http` or `sse`.' },
  command: value,
  args: { type: 'array', maxItems: 256, items: value },
  env: { ...texts, description: 'The value `[hidden]` leaves a variable as it is.' },
  cwd: value,
  envVars: { type: 'array', maxItems: 256, items: value },
  url: value,
  headers: { ...texts, description: 'The value `[hidden]` leaves a header as it is.' },
  bearerTokenEnvVar: value,
  envHttpHeaders: texts,
} as const;
const name = { type: 'string', maxLength: 128 } as const;

export const MCP_ROUTES = [
  route('listMcpServers', 'GET /api/llm/providers/{provider}/mcp/servers', {
    does: 'The servers for MCP in the settings of Claude Code, Codex, Cursor or Gemini CLI, without values of secrets.',
    query: options({ ...place, scope: { ...scope, description: 'Only servers of this scope.' } }),
    answer: object({
      provider: text(),
      scopes: {
        type: 'object',
        description: 'The servers by their scope: those that the program has.',
        additionalProperties: listOf(shape('McpServer')),
      },
      problems: listOf(shape('McpProblem')),
    }),
    errors: ERRORS,
  }),
  route('addMcpServer', 'POST /api/llm/providers/{provider}/mcp/servers', {
    does: 'Adds a server, or changes the one that has the name. All other bytes of the file stay, and it is kept before.',
    body: options({ name, ...server, ...place }),
    status: 201,
    answer: shape('McpServer'),
    errors: [...CHANGE_ERRORS, ...SERVER_ERRORS] as const,
  }),
  route('changeMcpServer', 'PUT /api/llm/providers/{provider}/mcp/servers/{name}', {
    does: 'The same, with the name in the path. A server as it was listed changes nothing.',
    body: options({ name, provider: value, ...server, ...place }),
    answer: shape('McpServer'),
    errors: [...CHANGE_ERRORS, ...SERVER_ERRORS] as const,
  }),
  route('removeMcpServer', 'DELETE /api/llm/providers/{provider}/mcp/servers/{name}', {
    does: 'Takes a server out of the file.',
    query: options(place),
    answer: object({
      removed: flag('Whether it was there.'),
      provider: text(),
      name: text(),
      scope: text(),
    }),
    errors: CHANGE_ERRORS,
  }),
  route('testMcpServer', 'POST /api/llm/providers/{provider}/mcp/servers/{name}/run', {
    does: 'Starts or asks a server, at most five seconds, and lists its tools.',
    query: options({
      ...place,
      trust: {
        type: 'string',
        maxLength: 64,
        description: '`trust` of the refusal, after a user has seen which program would be started.',
      },
    }),
    answer: object({
      reachable: flag(),
      transport: text(),
      tools: listOf(object({ name: text(), description: optional(text()) })),
      error: optional(text('Why it is not reachable.')),
    }),
    errors: [...ERRORS, 'CONFIG_INVALID', 'MCP_SERVER_NOT_FOUND', 'WORKSPACE_NOT_TRUSTED'] as const,
  }),
  route('addMcpServerToAll', 'POST /api/llm/mcp/servers/global', {
    does: 'Adds a server to each of the four programs. A program that cannot take it does not keep the others from it.',
    body: options({ name, ...server, ...place }),
    status: 201,
    answer: object({
      results: listOf(
        object({
          provider: text(),
          created: flag(),
          error: optional(text()),
        }),
      ),
    }),
    errors: ['WORKSPACE_NOT_ALLOWED', 'INVALID_MCP_SCOPE', ...SERVER_ERRORS] as const,
  }),
] as const;
