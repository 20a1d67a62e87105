// The examples of docs/mcp.md, docs/mcp-server.md and docs/hooks.md, run as they are there. The files that the pages
// show (configuration, hooks) are written from the page before; the server is one made with the SDK.
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { documentedCommands } from '../support/documented-commands.ts';
import { describeExamples, runPage, writeProgram } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

const SUMS = `
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
serveStdio(() => {
  const server = new McpServer({ name: 'sums', version: '1.0.0' });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
});
`;

describeExamples('the examples print the output on the page', ['bash', 'jq'], () => {
  it.each(['docs/mcp.md', 'docs/mcp-server.md', 'docs/hooks.md'])('%s', async (page) => {
    const files = shownFiles(documentedCommands(join(ROOT, page)));
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    using home = createTree({
      'servers/package.json': '{"type":"module"}',
      'servers/sums.js': SUMS,
      'bin/.keep': '',
      ...files,
    });
    writeProgram(join(home.root, 'bin', 'node'), `'${process.execPath}'`);
    symlinkSync(join(ROOT, 'node_modules'), join(home.root, 'node_modules'));
    for (const path of Object.keys(files).filter((path) => path.startsWith('.ollm/hooks/')))
      chmodSync(join(home.root, path), 0o755);
    expect(await runPage(page, { project: project.root, home: home.root })).toBeGreaterThan(3);
  });
});

/** A file that `cat` shows has exactly this content. */
function shownFiles(commands: ReturnType<typeof documentedCommands>): Record<string, string> {
  return Object.fromEntries(
    commands.flatMap(({ command, expected }) => {
      const path = /^cat ~\/(\S+)$/.exec(command)?.[1];
      return path === undefined ? [] : [[path, `${expected.join('\n')}\n`]];
    }),
  );
}
