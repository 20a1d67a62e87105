// The servers for MCP in the settings of other programs, for a directory in which this server may work.
import { mcpAgent } from '../agent-config/mcp-agents.ts';
import { MCP_TRANSPORTS, type McpServerEntry } from '../agent-config/mcp-server-entry.ts';
import { MCP_AGENTS, MCP_SCOPES, type McpAgentName, type McpScope } from '../agent-config/program-names.ts';
import { API_ERRORS, type ApiErrorCode } from '../api/errors.ts';
import type { MCP_ROUTES } from '../api/mcp.ts';
import { listMcpServers, type McpServerPlace, removeMcpServer, setMcpServer } from '../app/agent-config/mcp-servers.ts';
import { probeMcpServer } from '../app/agent-config/probe-mcp-server.ts';
import { isOllmError } from '../errors/index.ts';
import { type Handlers, type NamesOf, type ServerContext, workspaceOf } from './context.ts';
import { ApiFailure, failureOf } from './failure.ts';

export const mcpServerHandlers: Handlers<NamesOf<typeof MCP_ROUTES>> = {
  async listMcpServers({ parameters, query, context }) {
    const provider = mcpAgentName(parameters.provider);
    const scope = query.scope === undefined ? undefined : scopeOf(query.scope);
    const workspace = await workspaceOf(context, query.workspacePath);
    const { servers, problems } = await withCodes(
      listMcpServers(context.app, { agents: [provider], scope, workspace }),
    );
    const scopes = scope === undefined ? mcpAgent(provider).scopes : [scope];
    const grouped = scopes.map((each) => [each, servers.filter((server) => server.scope === each)] as const);
    return { provider, scopes: Object.fromEntries(grouped), problems };
  },

  async addMcpServer({ parameters, body, context }) {
    const place = await placeOf(context, parameters.provider, body);
    const { server } = await withCodes(setMcpServer(context.app, { ...place, name: nameOf(body.name) }, entryOf(body)));
    return server;
  },

  async changeMcpServer({ parameters, body, context }) {
    const place = await placeOf(context, parameters.provider, body);
    const { server } = await withCodes(setMcpServer(context.app, { ...place, name: parameters.name }, entryOf(body)));
    return server;
  },

  async removeMcpServer({ parameters: { provider, name }, query, context }) {
    const place = { ...(await placeOf(context, provider, query)), name };
    const { removed } = await withCodes(removeMcpServer(context.app, place));
    return { removed, provider, name, scope: place.scope };
  },

  async testMcpServer({ parameters: { provider, name }, query, context, signal }) {
    const place = { ...(await placeOf(context, provider, query)), name };
    return withCodes(probeMcpServer(context.app, place, { trusted: query.trust, signal }));
  },

  async addMcpServerToAll({ body, context }) {
    const { scope, workspace } = await placeOf(context, MCP_AGENTS[0], body);
    if (scope === 'local') throw new ApiFailure('INVALID_MCP_SCOPE', 'All four have servers of “user” and “project”.');
    if (body.transport === 'sse') throw new ApiFailure('INVALID_MCP_TRANSPORT', 'All four speak “stdio” and “http”.');
    const [name, entry] = [nameOf(body.name), entryOf(body)];
    const results = [];
    for (const agent of MCP_AGENTS) {
      try {
        await withCodes(setMcpServer(context.app, { agent, scope, workspace, name }, entry));
        results.push({ provider: agent, created: true });
      } catch (error) {
        const { code, message } = failureOf(error);
        if (code === 'INTERNAL') throw error;
        results.push({ provider: agent, created: false, error: message });
      }
    }
    return { results };
  },
};

/** The codes that say more than that a request was wrong. */
async function withCodes<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isOllmError(error)) throw error;
    const { message, data } = error;
    if (error.code === 'POLICY_DENIED') throw new ApiFailure('WORKSPACE_NOT_TRUSTED', message, data);
    const { code } = data;
    if (typeof code === 'string' && code in API_ERRORS) throw new ApiFailure(code as ApiErrorCode, message);
    throw error;
  }
}

/** @throws ApiFailure UNSUPPORTED_PROVIDER */
function mcpAgentName(name: string): McpAgentName {
  const agent = MCP_AGENTS.find((each) => each === name);
  if (agent !== undefined) return agent;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `The servers of “${name}” are not known.`, { providers: MCP_AGENTS });
}

function scopeOf(scope: string = 'project'): McpScope {
  const known = MCP_SCOPES.find((each) => each === scope);
  if (known !== undefined) return known;
  throw new ApiFailure('INVALID_MCP_SCOPE', `“${scope}” is not a scope.`, { scopes: MCP_SCOPES });
}

function nameOf(name: string | undefined): string {
  if (name !== undefined && name !== '') return name;
  throw new ApiFailure('MCP_NAME_REQUIRED', 'The server has no name.');
}

async function placeOf(
  context: ServerContext,
  provider: string,
  { scope, workspacePath }: { readonly scope?: string | undefined; readonly workspacePath?: string | undefined },
): Promise<Omit<McpServerPlace, 'name'>> {
  const agent = mcpAgentName(provider);
  return { agent, scope: scopeOf(scope), workspace: await workspaceOf(context, workspacePath) };
}

type Body = Omit<McpServerEntry, 'transport'> & { readonly transport?: string | undefined };

function entryOf({ transport, ...body }: Body): McpServerEntry {
  if (transport === undefined) throw new ApiFailure('MCP_TRANSPORT_REQUIRED', 'The transport is missing.');
  const known = MCP_TRANSPORTS.find((each) => each === transport);
  if (known === undefined) {
    throw new ApiFailure('INVALID_MCP_TRANSPORT', `“${transport}” is not a transport.`, { transports: MCP_TRANSPORTS });
  }
  const { command, args, env, cwd, envVars, url, headers, bearerTokenEnvVar, envHttpHeaders } = body;
  return { transport: known, command, args, env, cwd, envVars, url, headers, bearerTokenEnvVar, envHttpHeaders };
}
