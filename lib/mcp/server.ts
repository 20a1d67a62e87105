// One server over the time of a run: started when it is needed, started again with growing pauses when it ended, given up
// for a while when it keeps failing. What its tools are is what it said last.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { sanitizeLine } from '../display/sanitize.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type CallOptions, type Connection, connect, ServerFailure } from './connection.ts';
import { type ListedTool, readTools, type ToolDefinition } from './definition.ts';
import type { ServerSettings } from './settings.ts';

export type ServerStatus =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  /** `reason`: as the end of a sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface ServerMeans {
  readonly timeoutMs: number;
  readonly version: string;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Unguessable, another one each time. */
  token(): string;
  /** Something the user should know, a sentence. */
  onNotice(text: string): void;
}

export interface Server {
  readonly settings: ServerSettings;
  readonly status: ServerStatus;
  /** What it said last; empty before it was ready for the first time. */
  readonly definitions: readonly ToolDefinition[];
  /** Starts it unless it runs, or failed a moment ago. Resolves when it is ready or has failed; never rejects. */
  start(): Promise<void>;
  /** Starts it first where it ended. @throws ServerFailure */
  call(tool: ToolDefinition, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult>;
  /** Ends it for good. */
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that ran for so long is started again as if it had never failed. */
const HEALTHY_MS = 60_000;

export function createServer(settings: ServerSettings, means: ServerMeans): Server {
  const { name, launch } = settings;
  const { clock, log, timeoutMs } = means;
  let status: ServerStatus = { kind: 'waiting' };
  let definitions: readonly ToolDefinition[] = [];
  let connection: Connection | undefined;
  let starting: Promise<void> | undefined;
  const closing = new AbortController();
  let failures = 0;
  let readyAtMs = 0;
  let retryAtMs = 0;
  let told: string | undefined;

  function start(): Promise<void> {
    if (connection !== undefined || closing.signal.aborted || clock.monotonic() < retryAtMs)
      return starting ?? Promise.resolve();
    starting ??= tryStart().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function tryStart(): Promise<void> {
    status = { kind: 'starting' };
    try {
      if (launch.kind === 'refused') throw new ServerFailure(`cannot be used: ${launch.reason.replace(/\.$/, '')}`);
      let fresh: Connection | undefined;
      fresh = await connect(launch, {
        timeoutMs,
        signal: closing.signal,
        version: means.version,
        maxMessageBytes: means.maxMessageBytes,
        mark: means.token(),
        onText: (line) => log.info({ service: 'mcp', operation: 'server', server: name, line }, 'A server wrote'),
        onToolsChanged: (tools) => takeTools(fresh, tools),
        onEnd: (reason) => ended(fresh, reason),
      });
      connection = fresh;
      if (closing.signal.aborted) return await fresh.close();
      try {
        readAll(await fresh.listTools());
      } catch (error) {
        connection = undefined;
        await fresh.close();
        throw error;
      }
      if (connection !== fresh) throw new ServerFailure('ended as soon as it had begun');
      readyAtMs = clock.monotonic();
      told = undefined;
      status = { kind: 'ready' };
    } catch (error) {
      failed(error instanceof ServerFailure ? error.message : `could not be started (${String(error)})`);
    }
  }

  function takeTools(from: Connection | undefined, tools: readonly ListedTool[] | undefined): void {
    // Before it is ready nobody has asked yet.
    if (from === undefined || connection !== from) return;
    if (tools === undefined) {
      means.onNotice(`The MCP server ${name} has other tools now, and they cannot be read.`);
      return;
    }
    readAll(tools);
  }

  function readAll(tools: readonly ListedTool[]): void {
    const read = readTools(name, tools, { only: settings.only });
    definitions = read.definitions;
    for (const problem of read.problems) log.warn({ service: 'mcp', operation: 'tools', server: name }, problem);
    if (read.problems.length === 0) return;
    const more = read.problems.length > 1 ? ` And ${read.problems.length - 1} more; the log has all of them.` : '';
    means.onNotice(`The MCP server ${name}: ${read.problems[0]}${more}`);
  }

  function ended(from: Connection | undefined, reason: string): void {
    if (from === undefined || connection !== from) return;
    connection = undefined;
    failed(reason);
  }

  function failed(reason: string): void {
    if (clock.monotonic() - readyAtMs > HEALTHY_MS) failures = 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    failures += 1;
    retryAtMs = clock.monotonic() + pauseMs;
    status = { kind: 'failed', reason };
    log.warn(
      { service: 'mcp', operation: 'start', server: name, action: 'See "ollm doctor".' },
      `The server ${reason}`,
    );
    // Once for the same trouble: what does not work is tried again at each turn.
    if (told !== reason && !closing.signal.aborted)
      means.onNotice(`The MCP server ${name} ${reason}. Its tools cannot be used now.`);
    told = reason;
  }

  return {
    settings,
    get status() {
      return status;
    },
    get definitions() {
      return definitions;
    },
    start,
    async call(tool, args, options) {
      await start();
      if (connection === undefined) throw new ServerFailure(status.kind === 'failed' ? status.reason : 'does not run');
      const now = definitions.find(({ remoteName }) => remoteName === tool.remoteName);
      if (now === undefined) throw new ServerFailure(`has no tool ${sanitizeLine(tool.remoteName)} any more`);
      if (now.fingerprint !== tool.fingerprint) {
        throw new ServerFailure(
          `says something else of its tool ${tool.remoteName} now; the user must approve it again`,
        );
      }
      return connection.callTool(tool.remoteName, args, options);
    },
    async close() {
      closing.abort();
      await connection?.close();
      await starting;
    },
  };
}
