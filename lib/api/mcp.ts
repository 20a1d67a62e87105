// The servers for MCP in the settings of other programs.
import { route } from './route.ts';
import { listOf, PATH_PATTERN, shape } from './schema.ts';

const group = 'Servers for MCP';
const PATH = '/api/llm/providers/{provider}/mcp/servers';

const text = { type: 'string', maxLength: 8192 } as const;
const texts = { type: 'object', additionalProperties: text, maxProperties: 256 } as const;

const workspacePath = {
  type: 'string',
  maxLength: 4096,
  pattern: PATH_PATTERN,
  description: 'The directory of the scopes `local` and `project`. Default: that of the server.',
} as const;
const scope = {
  type: 'string',
  maxLength: 32,
  description: '`user`, `local` or `project`. Default: `project`.',
} as const;
const place = { scope, workspacePath } as const;

const ERRORS = [
  'INVALID_PARAMETER',
  'UNSUPPORTED_PROVIDER',
  'WORKSPACE_NOT_ALLOWED',
  'INVALID_MCP_SCOPE',
  'MCP_SCOPE_NOT_SUPPORTED',
] as const;
const CHANGE_ERRORS = [...ERRORS, 'CONFIG_INVALID', 'CHANGED_MEANWHILE'] as const;
const SERVER_ERRORS = [
  ...['INVALID_REQUEST_BODY', 'MCP_NAME_REQUIRED', 'MCP_TRANSPORT_REQUIRED', 'INVALID_MCP_TRANSPORT'],
  ...['MCP_COMMAND_REQUIRED', 'MCP_URL_REQUIRED', 'MCP_TRANSPORT_NOT_SUPPORTED', 'MCP_MEMBER_NOT_SUPPORTED'],
] as const satisfies readonly string[];

const server = {
  transport: { type: 'string', maxLength: 32, description: '`stdio`, `http` or `sse`.' },
  command: text,
  args: { type: 'array', maxItems: 256, items: text },
  env: { ...texts, description: 'The value `[hidden]` leaves a variable as it is.' },
  cwd: text,
  envVars: { type: 'array', maxItems: 256, items: text },
  url: text,
  headers: { ...texts, description: 'The value `[hidden]` leaves a header as it is.' },
  bearerTokenEnvVar: text,
  envHttpHeaders: texts,
} as const;
const name = { type: 'string', maxLength: 128 } as const;

export const MCP_ROUTES = [
  route({
    name: 'listMcpServers',
    method: 'GET',
    path: PATH,
    group,
    does: 'The servers for MCP in the settings of Claude Code, Codex, Cursor or Gemini CLI, without values of secrets.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: { ...place, scope: { ...scope, description: 'Only servers of this scope.' } },
    },
    answer: {
      type: 'object',
      required: ['provider', 'scopes', 'problems'],
      properties: {
        provider: { type: 'string' },
        scopes: {
          type: 'object',
          description: 'The servers by their scope: those that the program has.',
          additionalProperties: listOf(shape('McpServer')),
        },
        problems: listOf(shape('McpProblem')),
      },
    },
    errors: ERRORS,
  }),
  route({
    name: 'addMcpServer',
    method: 'POST',
    path: PATH,
    group,
    does: 'Adds a server, or changes the one that has the name. All other bytes of the file stay, and it is kept before.',
    body: { type: 'object', additionalProperties: false, properties: { name, ...server, ...place } },
    status: 201,
    answer: shape('McpServer'),
    errors: [...CHANGE_ERRORS, ...SERVER_ERRORS] as const,
  }),
  route({
    name: 'changeMcpServer',
    method: 'PUT',
    path: `${PATH}/{name}`,
    group,
    does: 'The same, with the name in the path. A server as it was listed changes nothing.',
    body: { type: 'object', additionalProperties: false, properties: { name, provider: text, ...server, ...place } },
    answer: shape('McpServer'),
    errors: [...CHANGE_ERRORS, ...SERVER_ERRORS] as const,
  }),
  route({
    name: 'removeMcpServer',
    method: 'DELETE',
    path: `${PATH}/{name}`,
    group,
    does: 'Takes a server out of the file.',
    query: { type: 'object', additionalProperties: false, properties: place },
    answer: {
      type: 'object',
      required: ['removed', 'provider', 'name', 'scope'],
      properties: {
        removed: { type: 'boolean', description: 'Whether it was there.' },
        provider: { type: 'string' },
        name: { type: 'string' },
        scope: { type: 'string' },
      },
    },
    errors: CHANGE_ERRORS,
  }),
  route({
    name: 'testMcpServer',
    method: 'POST',
    path: `${PATH}/{name}/run`,
    group,
    does: 'Starts or asks a server, at most five seconds, and lists its tools.',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...place,
        trust: {
          type: 'string',
          maxLength: 64,
          description: '`trust` of the refusal, after a user has seen which program would be started.',
        },
      },
    },
    answer: {
      type: 'object',
      required: ['reachable', 'transport', 'tools'],
      properties: {
        reachable: { type: 'boolean' },
        transport: { type: 'string' },
        tools: listOf({
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, description: { type: 'string' } },
        }),
        error: { type: 'string', description: 'Why it is not reachable.' },
      },
    },
    errors: [...ERRORS, 'CONFIG_INVALID', 'MCP_SERVER_NOT_FOUND', 'WORKSPACE_NOT_TRUSTED'] as const,
  }),
  route({
    name: 'addMcpServerToAll',
    method: 'POST',
    path: '/api/llm/mcp/servers/global',
    group,
    does: 'Adds a server to each of the four programs. A program that cannot take it does not keep the others from it.',
    body: { type: 'object', additionalProperties: false, properties: { name, ...server, ...place } },
    status: 201,
    answer: {
      type: 'object',
      required: ['results'],
      properties: {
        results: listOf({
          type: 'object',
          required: ['provider', 'created'],
          properties: { provider: { type: 'string' }, created: { type: 'boolean' }, error: { type: 'string' } },
        }),
      },
    },
    errors: ['WORKSPACE_NOT_ALLOWED', 'INVALID_MCP_SCOPE', ...SERVER_ERRORS] as const,
  }),
] as const;
