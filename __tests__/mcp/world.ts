// Servers as real programs, and the messages that the client gets about them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApprovalFile, openApprovals } from '../../lib/mcp/approvals.ts';
import { type Launch, launchIdentity, type ServerSettings } from '../../lib/mcp/server-settings.ts';
import { createMcpServers, type McpServers } from '../../lib/mcp/servers.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds } from '../../lib/platform/index.ts';
import type { Log } from '../../lib/platform/log.ts';
import type { ToolMeans, ToolOutput } from '../../lib/tools/tool.ts';
import { KEEP_COMPILED } from '../support/source-child.ts';

export const GOOD = fileURLToPath(new URL('good-server.ts', import.meta.url));
export const BROKEN = fileURLToPath(new URL('broken-server.ts', import.meta.url));

export function program(file: string, ...args: string[]): Launch {
  return programWith({}, file, ...args);
}

export function programWith(env: Readonly<Record<string, string>>, file: string, ...args: string[]): Launch {
  const path = process.env.PATH ?? '';
  return {
    kind: 'program',
    command: [process.execPath, file, ...args],
    cwd: tmpdir(),
    env: { ...KEEP_COMPILED, PATH: path, ...env },
  };
}

export function settingsOf(name: string, launch: ServerSettings['launch'], only?: readonly string[]): ServerSettings {
  const identity =
    launch.kind === 'program' ? launchIdentity({ command: launch.command }) : launchIdentity({ url: launch.kind });
  return { name, launch, identity, only };
}

export interface McpOptions {
  readonly timeoutMs?: number;
  readonly maxMessageBytes?: number;
  readonly clock?: Clock;
}

export interface McpWorld {
  readonly root: string;
  readonly approvals: ApprovalFile;
  readonly log: string[];
  /** A run of the program, with the approvals of those before it. */
  open(servers: readonly ServerSettings[], options?: McpOptions): McpServers;
  /** Starts them and approves all there is. */
  approved(servers: readonly ServerSettings[], options?: McpOptions): Promise<McpServers>;
  end(): Promise<void>;
}

export function mcpWorld(): McpWorld {
  const root = mkdtempSync(join(tmpdir(), 'ollm-mcp-'));
  const log: string[] = [];
  const keep = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields)}`);
  const listening: Log = { ...silentLog, info: keep, warn: keep, error: keep };
  const path = join(root, 'mcp-approvals.json');
  const approvals = openApprovals({ path, fileSystem: nodeFileSystem, ids: systemIds, uid: process.getuid?.() });
  const opened: McpServers[] = [];
  const world: McpWorld = {
    root,
    approvals,
    log,
    open(servers, { timeoutMs = 20_000, maxMessageBytes = 1 << 20, clock = systemClock } = {}) {
      const means = {
        timeoutMs,
        maxMessageBytes,
        version: '0',
        clock,
        log: listening,
        token: systemIds.token,
      };
      const made = createMcpServers(servers, { ...means, approvals });
      opened.push(made);
      return made;
    },
    async approved(servers, options) {
      const made = world.open(servers, options);
      await made.start();
      await made.approve(made.pending);
      made.takeNotices();
      return made;
    },
    async end() {
      await Promise.all(opened.map((each) => each.close()));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return world;
}

/** Plans and runs a tool of their own, as a turn does. */
export async function callTool(
  servers: McpServers,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutput> {
  const tool = servers.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name} among ${servers.tools.map((each) => each.name)}`);
  const plan = await tool.plan(args, { root: '/', cwd: '/' });
  const runProgram: ToolMeans['runProgram'] = () => Promise.reject(new Error('It needs no program.'));
  return plan.run({ signal, runProgram, onProgress: () => undefined });
}
