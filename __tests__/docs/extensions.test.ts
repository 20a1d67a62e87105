// The examples of docs/mcp.md and docs/hooks.md, run as they stand there. What the pages show of files (configuration, hooks)
// is written from the page before; the server is one made with the SDK.
import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, OLLM, ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';
import { createTree } from '../support/tree.ts';

const missing = ['bash', 'jq'].filter((tool) => spawnSync('which', [tool]).status !== 0);
if (missing.length > 0) console.info(`skipped: the examples need ${missing.join(', ')}`);

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

(missing.length > 0 ? describe.skip : describe)('the examples print what the page shows', () => {
  beforeAll(ensureBuilt, 150_000);

  it.each(['docs/mcp.md', 'docs/hooks.md'])(
    '%s',
    async (page) => {
      const commands = documentedCommands(join(ROOT, page));
      using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
      using home = createTree({
        'servers/package.json': '{"type":"module"}',
        'servers/sums.js': SUMS,
        'bin/ollm': `#!/bin/sh\nexec '${process.execPath}' '${OLLM}' "$@"\n`,
        'bin/node': `#!/bin/sh\nexec '${process.execPath}' "$@"\n`,
        ...shownFiles(commands),
      });
      symlinkSync(join(ROOT, 'node_modules'), join(home.root, 'node_modules'));
      for (const program of ['bin/ollm', 'bin/node', '.ollm/hooks/rota', '.ollm/hooks/guard']) {
        if (spawnSync('test', ['-e', join(home.root, program)]).status === 0)
          chmodSync(join(home.root, program), 0o755);
      }
      const env = { PATH: `${join(home.root, 'bin')}:${process.env.PATH}`, HOME: home.root, LC_ALL: 'C' };
      const runs = await runInOneShell(commands, { cwd: project.root, env });
      expect(commands.length).toBeGreaterThan(3);
      for (const [index, { command, expected, line }] of commands.entries()) {
        const { output } = runs[index]!;
        if (!outputFits(output, expected))
          expect({ line, command, output }).toEqual({ line, command, output: expected.join('\n') });
      }
    },
    120_000,
  );
});

/** What `cat` shows is what is there. */
function shownFiles(commands: ReturnType<typeof documentedCommands>): Record<string, string> {
  return Object.fromEntries(
    commands.flatMap(({ command, expected }) => {
      const path = /^cat ~\/(\S+)$/.exec(command)?.[1];
      return path === undefined ? [] : [[path, `${expected.join('\n')}\n`]];
    }),
  );
}
