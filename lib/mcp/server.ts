// A server over the time of a run: started when it is needed, started again with growing pauses when it ended, given
// up for a while when it keeps failing. Its tools are those of its last list.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { sanitizeLine } from '../display/sanitize.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { schemaProblem } from '../tools/arguments.ts';
import { connect, type ListedTools, type McpConnection, ServerFailure, type ToolCallOptions } from './connection.ts';
import { type McpToolDefinition, readTools } from './definition.ts';
import type { ServerSettings } from './server-settings.ts';

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
  /** Whether the user approved the tool as it is. */
  isApproved(server: string, tool: McpToolDefinition): boolean;
  /** Something the user should know, a sentence. */
  onNotice(text: string): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that ran for this time is restarted as if it had never failed. */
const HEALTHY_MS = 60_000;

export class McpServer {
  readonly settings: ServerSettings;
  readonly #means: ServerMeans;
  readonly #closing = new AbortController();
  #status: ServerStatus = { kind: 'waiting' };
  #definitions: readonly McpToolDefinition[] = [];
  #connection: McpConnection | undefined;
  #starting: Promise<void> | undefined;
  #failures = 0;
  #readyAtMs = 0;
  #retryAtMs = 0;
  /** The failure that the user was told last. */
  #reported: string | undefined;

  constructor(settings: ServerSettings, means: ServerMeans) {
    this.settings = settings;
    this.#means = means;
  }

  get status(): ServerStatus {
    return this.#status;
  }

  /** The last list of its tools; empty before it was ready for the first time. */
  get definitions(): readonly McpToolDefinition[] {
    return this.#definitions;
  }

  /** Starts it unless it runs, or failed a moment ago. Resolves when it is ready or has failed; never rejects. */
  start(): Promise<void> {
    const isDue = this.#means.clock.monotonic() >= this.#retryAtMs;
    if (this.#connection !== undefined || this.#closing.signal.aborted || !isDue)
      return this.#starting ?? Promise.resolve();
    this.#starting ??= this.#tryStart().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Starts it first if it ended. @throws ServerFailure */
  async call(
    tool: McpToolDefinition,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions,
  ): Promise<CallToolResult> {
    await this.start();
    if (this.#connection === undefined)
      throw new ServerFailure(this.#status.kind === 'failed' ? this.#status.reason : 'does not run');
    const now = this.#definitions.find(({ remoteName }) => remoteName === tool.remoteName);
    if (now === undefined) throw new ServerFailure(`has no tool ${sanitizeLine(tool.remoteName)} any more`);
    if (now.fingerprint !== tool.fingerprint) {
      throw new ServerFailure(`says something else of its tool ${tool.remoteName} now; the user must approve it again`);
    }
    return this.#connection.callTool(tool.remoteName, args, options);
  }

  /** Ends it permanently. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.#starting;
  }

  async #tryStart(): Promise<void> {
    this.#status = { kind: 'starting' };
    try {
      const connection = await this.#connect();
      this.#connection = connection;
      if (this.#closing.signal.aborted) return await connection.close();
      try {
        await this.#readAll(await connection.listTools());
      } catch (error) {
        this.#connection = undefined;
        await connection.close();
        throw error;
      }
      if (this.#connection !== connection) throw new ServerFailure('ended as soon as it had begun');
      this.#readyAtMs = this.#means.clock.monotonic();
      this.#reported = undefined;
      this.#status = { kind: 'ready' };
    } catch (error) {
      this.#failed(error instanceof ServerFailure ? error.message : `could not be started (${String(error)})`);
    }
  }

  async #connect(): Promise<McpConnection> {
    const { launch, name } = this.settings;
    const { timeoutMs, version, maxMessageBytes, log, token } = this.#means;
    if (launch.kind === 'refused') throw new ServerFailure(`cannot be used: ${launch.reason.replace(/\.$/, '')}`);
    let connection: McpConnection | undefined;
    connection = await connect(launch, {
      timeoutMs,
      signal: this.#closing.signal,
      version,
      maxMessageBytes,
      mark: token(),
      onText: (line) => log.info({ service: 'mcp', operation: 'server', server: name, line }, 'A server wrote'),
      onToolsChanged: (tools) => this.#takeTools(connection, tools),
      onEnd: (reason) => this.#ended(connection, reason),
    });
    return connection;
  }

  #takeTools(from: McpConnection | undefined, tools: ListedTools | undefined): void {
    // Before the connection is ready its tools were not asked for yet.
    if (from === undefined || this.#connection !== from) return;
    if (tools === undefined)
      this.#means.onNotice(`The MCP server ${this.settings.name} has other tools now, and they cannot be read.`);
    else void this.#readAll(tools);
  }

  async #readAll(listed: ListedTools): Promise<void> {
    const { name, only } = this.settings;
    const read = readTools(name, listed.tools, { only });
    const { valid, refused } = await this.#checked(read.definitions);
    const problems = [...listed.problems, ...read.problems, ...refused];
    this.#definitions = valid;
    for (const problem of problems) this.#means.log.warn({ service: 'mcp', operation: 'tools', server: name }, problem);
    if (problems.length === 0) return;
    const more = problems.length > 1 ? ` And ${problems.length - 1} more; the log has all of them.` : '';
    this.#means.onNotice(`The MCP server ${name}: ${problems[0]}${more}`);
  }

  /**
   * Whether arguments can be held against their schemas. Only of tools that are not approved: those were checked
   * before, and the check takes time.
   */
  async #checked(definitions: readonly McpToolDefinition[]) {
    const valid: McpToolDefinition[] = [];
    const refused: string[] = [];
    for (const definition of definitions) {
      const problem = this.#means.isApproved(this.settings.name, definition)
        ? undefined
        : await schemaProblem(definition);
      if (problem === undefined) valid.push(definition);
      else refused.push(`The tool ${sanitizeLine(definition.remoteName)} is left out: its schema ${problem}.`);
    }
    return { valid, refused };
  }

  #ended(from: McpConnection | undefined, reason: string): void {
    if (from === undefined || this.#connection !== from) return;
    this.#connection = undefined;
    this.#failed(reason);
  }

  #failed(reason: string): void {
    const { clock, log, onNotice } = this.#means;
    const { name } = this.settings;
    if (clock.monotonic() - this.#readyAtMs > HEALTHY_MS) this.#failures = 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retryAtMs = clock.monotonic() + pauseMs;
    this.#status = { kind: 'failed', reason };
    log.warn(
      { service: 'mcp', operation: 'start', server: name, action: 'See "ollm doctor".' },
      `The server ${reason}`,
    );
    // Once for the same failure: a server that does not work is tried again at each turn.
    if (this.#reported !== reason && !this.#closing.signal.aborted)
      onNotice(`The MCP server ${name} ${reason}. Its tools cannot be used now.`);
    this.#reported = reason;
  }
}
