// A server at an address on this machine: made with the SDK, or one whose answers the test writes itself.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface HttpServer extends AsyncDisposable {
  readonly url: URL;
  /** The body and the headers of each request. */
  readonly authorizations: (string | undefined)[];
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export async function serve(answer: Answer): Promise<HttpServer> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    // What a client does not want any more cannot be written.
    response.on('error', () => undefined);
    void answer(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Wants this token, in a header or as `?key=`, where one is given. */
export function serveMcp(token?: string): Promise<HttpServer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'web', version: '1.0.0' });
    server.registerTool(
      'echo',
      { description: 'Says it again.', inputSchema: z.object({ text: z.string() }) },
      async ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
    server.registerTool('large', { inputSchema: z.object({}) }, async () => ({
      content: [{ type: 'text', text: 'x'.repeat(3_000_000) }],
    }));
    return server;
  });
  return serve(async (request, response) => {
    const key = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('key');
    if (token !== undefined && key !== token && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = chunks.length === 0 ? null : Buffer.concat(chunks);
    const url = `http://${request.headers.host}${request.url}`;
    const answer = await handler.fetch(new Request(url, { method: request.method ?? 'POST', headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
}
