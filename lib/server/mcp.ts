// `/mcp`: the stored sessions for agents that speak the Model Context Protocol over HTTP. A holder of the token may
// read all sessions by the other routes too, so all are served here. Loaded at the first request.
import type { App } from '../app/app.ts';
import { once } from '../platform/once.ts';

export const MCP_PATH = '/mcp';

type Answer = (request: Request) => Promise<Response>;

/** Answers requests that were let in. */
export function mcpEndpoint(app: App): Answer {
  const answer = once(() => load(app));
  return async (request) => (await answer())(request);
}

async function load(app: App): Promise<Answer> {
  const [{ createMcpHandler }, { makeServer, servedTools }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp-server/server.ts'),
  ]);
  const tools = await servedTools(app, {});
  const handler = createMcpHandler(() => makeServer(app, {}, tools));
  return (request) => handler.fetch(request);
}
