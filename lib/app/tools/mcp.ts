// The MCP servers of one run: one set of them for the whole program, whatever conversation is open. Nothing of it is
// loaded where none is configured. They end with the app.
import { join } from 'node:path';
import { printable } from '../../display/printable.ts';
import { redactValue } from '../../environment/redact-value.ts';
import type { ApprovalFile, ApprovedTool } from '../../mcp/approvals.ts';
import type { McpToolDefinition } from '../../mcp/definition.ts';
import type { McpServers, PendingTool } from '../../mcp/servers.ts';
import type { Tool } from '../../tools/tool.ts';
import { VERSION } from '../../version.ts';
import type { App, Redact } from '../app.ts';
import { type ProgramProblem, programProblem } from '../start/program-problem.ts';

/** A tool that waits for the user's approval, with what to look at. */
export interface ToolToApprove {
  readonly pending: PendingTool;
  /** The change of the tool, for people: the whole of a new tool, a diff of a changed one. Safe to print. */
  readonly text: string;
}

/** A larger answer to a call, in one piece, would hold up everything else while it is read. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Begins to start them, and waits for nothing: the first turn finds them ready, or waits for the rest. */
export function warmUpServers(app: App): void {
  if (!hasServers(app) || !app.config.tools.enabled) return;
  app
    .mcpServers()
    .then((servers) => servers?.start())
    .catch((error: unknown) => app.log.error({ service: 'mcp', operation: 'start', error }, 'No server was started'));
}

/**
 * The approved tools of all servers, after those that do not run were started. Waits for slow ones as long as they are
 * given to start, or `waitMs`.
 */
export async function mcpTools(
  app: App,
  options: { readonly waitMs?: number | undefined } = {},
): Promise<readonly Tool[]> {
  const servers = await app.mcpServers();
  await servers?.start(options);
  return servers?.tools ?? [];
}

/**
 * By the names of the servers: programs that other users can change. They run nevertheless: the user's settings name
 * them.
 */
export async function problemsOfServers(app: App): Promise<ReadonlyMap<string, ProgramProblem>> {
  if (!hasServers(app) || !app.config.tools.enabled) return new Map();
  const { mcpSettings } = await import('./mcp-settings.ts');
  return new Map(
    mcpSettings(app).flatMap(({ name, launch }) => {
      const problem = launch.kind === 'program' ? programProblem(app, launch.command) : undefined;
      return problem === undefined ? [] : [[name, problem] as const];
    }),
  );
}

/** News of the servers that the user has not seen yet, one sentence each. */
export async function mcpNotices(app: App): Promise<readonly string[]> {
  return (await app.mcpServers())?.takeNotices() ?? [];
}

/** The tools that wait for approval: of one server, or of all that are ready within `waitMs`. */
export async function toolsToApprove(
  app: App,
  server?: string,
  options: { readonly waitMs?: number | undefined } = {},
): Promise<readonly ToolToApprove[]> {
  const servers = await app.mcpServers();
  await servers?.start(options);
  const pending = (servers?.pending ?? []).filter((each) => server === undefined || each.server === server);
  const redact = await app.redactor();
  return Promise.all(pending.map(async (each) => ({ pending: each, text: await textOf(each, redact) })));
}

/**
 * Approves tools exactly as they were shown. They are offered from the next turn on, in this run and later ones.
 *
 * @throws OllmError IO_FAILED
 */
export async function approveTools(app: App, tools: readonly ToolToApprove[]): Promise<void> {
  await (await app.mcpServers())?.approve(tools.map(({ pending }) => pending));
}

function hasServers({ config }: Pick<App, 'config'>): boolean {
  return Object.keys(config.mcp.servers ?? {}).length > 0;
}

/** Starts none of them. They end with the app. */
export async function makeServers(app: App): Promise<McpServers> {
  const [{ createMcpServers }, { openApprovals }, { mcpSettings }] = await Promise.all([
    import('../../mcp/servers.ts'),
    import('../../mcp/approvals.ts'),
    import('./mcp-settings.ts'),
  ]);
  const { config, paths, fileSystem, ids, clock, log, process } = app;
  const path = join(paths.home, 'mcp-approvals.json');
  const servers = createMcpServers(mcpSettings(app), {
    approvals: redacting(openApprovals({ path, fileSystem, ids, uid: process.uid }), await app.redactor()),
    timeoutMs: config.mcp.timeoutSeconds * 1000,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    version: VERSION,
    clock,
    log,
    token: () => ids.token(),
  });
  app.onClose(() => servers.close());
  return servers;
}

/** The stored description is for people to compare; the fingerprint decides whether it is the same. */
function redacting(file: ApprovalFile, redact: Redact): ApprovalFile {
  const cleaned = (tool: ApprovedTool): ApprovedTool => {
    const words = redactValue(
      { description: tool.description, parameters: tool.parameters },
      (text) => redact(text).text,
    );
    return { ...tool, ...(words as Pick<ApprovedTool, 'description' | 'parameters'>) };
  };
  return {
    ...file,
    add: (server, { identity, tools }) =>
      file.add(server, { identity, tools: new Map([...tools].map(([name, tool]) => [name, cleaned(tool)])) }),
  };
}

async function textOf({ definition, before, why }: PendingTool, redact: Redact): Promise<string> {
  const now = redact(describe(definition)).text;
  if (before === undefined || why === 'moved') return printable(now);
  const { unifiedDiff } = await import('../../tools/builtin/unified-diff.ts');
  const { text } = await unifiedDiff(definition.name, redact(describe(before)).text, now);
  return printable(
    text === '' ? `${now}\nWhat changed is not shown: hidden characters, or beyond where it was cut.` : text,
  );
}

function describe({ description, parameters }: McpToolDefinition | ApprovedTool): string {
  return `${description}\n\nArguments: ${JSON.stringify(parameters, undefined, 2)}\n`;
}
