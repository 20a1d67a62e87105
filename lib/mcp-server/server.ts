// ollm as a server of the Model Context Protocol: the stored sessions of every program, for any agent to look into. It
// reads, and changes nothing but the catalogue. Made with the protocol's own SDK, which speaks its revisions.
import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { App } from '../app/app.ts';
import { listAll } from '../app/list/list-all.ts';
import { isOllmError } from '../errors/index.ts';
import { UNTRUSTED_NOTE } from '../messages/untrusted.ts';
import { ToolFailure } from '../tools/tool.ts';
import { VERSION } from '../version.ts';
import { blameTool } from './blame-tool.ts';
import type { ServedScope } from './client-scope.ts';
import { quotedAnswer } from './delimited-answer.ts';
import { listTool } from './list-tool.ts';
import { readPart, readTool } from './read-tool.ts';
import { recallTool } from './recall-tool.ts';
import { searchTool } from './search-tool.ts';
import type { ServedTool } from './served-tool.ts';

const LISTED_RESOURCES = 50;
const SCHEME = 'ollm://session/';

/** The tools of a scope: the same for every connection. */
export async function servedTools(app: App, scope: ServedScope): Promise<readonly ServedTool[]> {
  const recall = await recallTool(app, scope);
  return [
    listTool(app, scope),
    searchTool(app, scope),
    readTool(app, scope),
    blameTool(app, scope),
    ...(recall === undefined ? [] : [recall]),
  ];
}

/**
 * A server for one connection. Answers are at most 32 KiB, without secrets, and between delimiters.
 *
 * @example
 * const tools = await servedTools(app, { project: app.paths.project });
 * serveStdio(() => makeServer(app, { project: app.paths.project }, tools));
 */
export function makeServer(app: App, scope: ServedScope, tools: readonly ServedTool[]): McpServer {
  const server = new McpServer(
    { name: 'ollm', title: 'ollm: stored sessions', version: VERSION },
    { instructions: instructions(scope) },
  );
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: fromJsonSchema<Record<string, unknown>>(tool.parameters as Parameters<typeof fromJsonSchema>[0]),
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      (args, { mcpReq }) => answer(app, tool, { args, signal: mcpReq.signal }),
    );
  }
  const template = new ResourceTemplate(`${SCHEME}{+address}`, {
    list: async () => ({ resources: await listedResources(app, scope) }),
  });
  server.registerResource(
    'session',
    template,
    {
      title: 'A stored session',
      description: 'The beginning of a conversation, as Markdown.',
      mimeType: 'text/markdown',
    },
    async (uri, { address }, { mcpReq }) => {
      const named = decodeURIComponent(String(address));
      const { quoted, notes } = await readPart(app, scope, { address: named, signal: mcpReq.signal });
      const text = [await quotedAnswer(app, quoted, named), ...notes].join('\n\n');
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
  return server;
}

function instructions({ project }: ServedScope): string {
  const which = project === undefined ? 'on this machine' : `about ${project}`;
  return (
    `Conversations with coding agents ${which}, as they were stored by each program. Look here for what was tried, ` +
    `decided or found before. ${UNTRUSTED_NOTE}`
  );
}

interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

async function answer(app: App, tool: ServedTool, { args, signal }: Call) {
  try {
    const { quoted, notes } = await tool.run(args, signal);
    const parts = [quoted === '' ? '' : await quotedAnswer(app, quoted, `answer of ${tool.name}`), ...notes];
    const text = parts.filter((part) => part !== '').join('\n\n');
    app.log.info({ service: 'mcp-server', operation: tool.name, characters: text.length }, 'A client was answered');
    return { content: [{ type: 'text' as const, text }] };
  } catch (error) {
    if (!isOllmError(error) && !(error instanceof ToolFailure)) throw error;
    const hint = isOllmError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    return { content: [{ type: 'text' as const, text: `${error.message}${hint}` }], isError: true };
  }
}

async function listedResources(app: App, { project }: ServedScope) {
  const { rows } = await listAll(app, { project, limit: LISTED_RESOURCES });
  const redact = await app.redactor({ onRequest: true });
  return rows.map(({ address, title }) => ({
    uri: `${SCHEME}${address}`,
    name: address,
    mimeType: 'text/markdown',
    ...(title === undefined ? {} : { title: redact(title).text }),
  }));
}
