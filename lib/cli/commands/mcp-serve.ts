// `ollm mcp serve`: ollm as a server of the Model Context Protocol on standard input and output, for an agent that
// starts it. Standard output has nothing but the protocol.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';

interface Options {
  readonly project?: string;
  readonly allProjects?: boolean;
}

export function defineMcpServe(parent: Command, finish: Finish): void {
  const command = parent
    .command('serve')
    .description(
      'let another agent list, search, read and recall stored sessions, by MCP over standard input and output',
    )
    .option('--project <directory>', 'sessions of this directory and below (default: the current project)')
    .option('--all-projects', 'sessions of every project')
    .action(
      action<Options, []>(finish, async (shell, { project, allProjects }) => {
        if (project !== undefined && allProjects)
          throw new OllmError('USAGE', '--project and --all-projects exclude each other.');
        if (process.stdin.isTTY)
          shell.output.note('This speaks MCP to the program that starts it; Ctrl+C ends it. See docs/mcp.md.');
        const app = await shell.openApp('mcp serve', { asksNothing: true });
        const { serveStdio } = await import('../../mcp-server/serve-stdio.ts');
        const scope = { project: allProjects ? undefined : resolve(project ?? app.paths.project) };
        await serveStdio(app, scope, shell.signal);
      }),
    );
  withExamples(command, [
    { line: 'claude mcp add ollm -- ollm mcp serve', does: 'for Claude Code: the sessions of the project it works in' },
    { line: 'codex mcp add ollm -- ollm mcp serve --all-projects', does: 'for Codex: the sessions of every project' },
    { line: 'gemini mcp add past ollm mcp serve', does: 'for Gemini CLI' },
  ]);
}
