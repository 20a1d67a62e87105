// A server made with the SDK, as others make them; run as a program by the tests. Its argument chooses the revision of
// the protocol that it speaks: both, or only that of before 2026.
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function makeServer(): McpServer {
  const server = new McpServer({ name: 'good', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => text(String(a + b)),
  );
  server.registerTool(
    'structured',
    { inputSchema: z.object({}), outputSchema: z.object({ open: z.number() }) },
    async () => ({ ...text('{"open":4}'), structuredContent: { open: 4 } }),
  );
  server.registerTool('fail', { inputSchema: z.object({}) }, async () => ({
    ...text('No such issue.'),
    isError: true,
  }));
  server.registerTool('mixed', { inputSchema: z.object({}) }, async () => ({
    content: [
      { type: 'text' as const, text: 'A picture:' },
      { type: 'image' as const, mimeType: 'image/png', data: Buffer.from('picture').toString('base64') },
      { type: 'resource' as const, resource: { uri: 'file:///notes.md', mimeType: 'text/markdown', text: '# Notes' } },
      { type: 'resource' as const, resource: { uri: 'file:///a.bin', blob: Buffer.from('abc').toString('base64') } },
      {
        type: 'resource' as const,
        resource: { uri: 'file:///b.png', mimeType: 'image/png', blob: Buffer.from('abc').toString('base64') },
      },
      { type: 'resource_link' as const, name: 'more', uri: 'https://example.com/more' },
    ],
  }));
  server.registerTool('environment', { inputSchema: z.object({}) }, async () =>
    text(JSON.stringify({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(2) })),
  );
  server.registerTool('sleep', { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }) => {
    await setTimeout(ms);
    return text('slept');
  });
  server.registerTool('die', { inputSchema: z.object({}) }, async () => process.exit(7));
  server.registerTool('large', { inputSchema: z.object({ bytes: z.number() }) }, async ({ bytes }) =>
    text('x'.repeat(bytes)),
  );
  server.registerTool('family', { inputSchema: z.object({}) }, async () => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    return text(JSON.stringify([process.pid, child.pid, other.pid]));
  });
  server.registerTool('grow', { inputSchema: z.object({}) }, async () => {
    server.registerTool('added', { description: 'Came later.', inputSchema: z.object({}) }, async () => text('new'));
    return text('grown');
  });
  return server;
}

process.stderr.write('The good server starts.\n');
if (process.argv[2] === 'older') await makeServer().connect(new StdioServerTransport());
else serveStdio(makeServer);
