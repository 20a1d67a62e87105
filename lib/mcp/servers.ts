// All servers of a configuration: started side by side in the background, their tools offered once the user has
// approved them as they are. A tool that is new, or of which something else is said than when it was approved, waits.
import { waitFor } from '../platform/waiting.ts';
import type { Tool } from '../tools/tool.ts';
import type { ApprovalFile, ApprovedTool } from './approvals.ts';
import type { McpToolDefinition } from './definition.ts';
import { McpServer, type ServerMeans, type ServerStatus } from './server.ts';
import type { ServerSettings } from './server-settings.ts';
import { serverTool } from './server-tool.ts';

/** A tool that is not offered before the user has looked at it. */
export interface PendingTool {
  readonly server: string;
  /**
   * `new`: never approved. `changed`: name, description or schema differ from the approved ones. `moved`: the
   * configuration's program or address differs from the approved one.
   */
  readonly why: 'new' | 'changed' | 'moved';
  readonly definition: McpToolDefinition;
  /** As it was approved. */
  readonly before?: ApprovedTool | undefined;
}

export interface ServerReport {
  readonly name: string;
  readonly status: ServerStatus;
  /** Names that models call. */
  readonly offered: readonly string[];
  readonly pending: readonly PendingTool[];
}

export interface McpServers {
  /** Starts all of them that do not run. Resolves when each is ready or has failed, at the latest after `waitMs`. */
  start(options?: { readonly waitMs?: number | undefined }): Promise<void>;
  /** The approved tools, in the order of the configuration: models see these. */
  readonly tools: readonly Tool[];
  readonly pending: readonly PendingTool[];
  readonly reports: readonly ServerReport[];
  /**
   * Approves tools as they were shown. One that says something else by now stays pending.
   *
   * @throws OllmError IO_FAILED
   */
  approve(tools: readonly PendingTool[]): Promise<void>;
  /** Notices for the user that were not shown yet, each as a sentence. */
  takeNotices(): readonly string[];
  /** Ends them all, with everything that they started. */
  close(): Promise<void>;
}

interface McpServersOptions extends Omit<ServerMeans, 'onNotice' | 'isApproved'> {
  readonly approvals: ApprovalFile;
}

export function createMcpServers(settings: readonly ServerSettings[], options: McpServersOptions): McpServers {
  return new ConfiguredServers(settings, options);
}

/** A server that keeps failing in new words must not fill the memory. */
const MAX_NOTICES = 100;

class ConfiguredServers implements McpServers {
  readonly #options: McpServersOptions;
  readonly #servers: readonly McpServer[];
  readonly #notices: string[] = [];
  readonly #toolFor: (server: McpServer, definition: McpToolDefinition) => Tool;
  /** The pending tools that the user was told of last. */
  #reportedPending = '';

  constructor(settings: readonly ServerSettings[], options: McpServersOptions) {
    this.#options = options;
    const means: ServerMeans = {
      ...options,
      onNotice: (text) => this.#notice(text),
      isApproved: (server, { remoteName, fingerprint }) =>
        options.approvals.read().servers.get(server)?.tools.get(remoteName)?.fingerprint === fingerprint,
    };
    this.#servers = settings.map((each) => new McpServer(each, means));
    const { timeoutMs } = options;
    this.#toolFor = memoized((server, definition) => serverTool(server, definition, { timeoutMs }));
  }

  get tools(): readonly Tool[] {
    return this.#servers.flatMap((server) =>
      this.#examine(server).offered.map((definition) => this.#toolFor(server, definition)),
    );
  }

  get pending(): readonly PendingTool[] {
    return this.#servers.flatMap((server) => this.#examine(server).pending);
  }

  get reports(): readonly ServerReport[] {
    return this.#servers.map((server) => {
      const { offered, pending } = this.#examine(server);
      return { name: server.settings.name, status: server.status, offered: offered.map(({ name }) => name), pending };
    });
  }

  async start({ waitMs }: { readonly waitMs?: number | undefined } = {}): Promise<void> {
    const all = Promise.all(this.#servers.map((server) => server.start()));
    await waitFor(all, { timeoutMs: waitMs });
    if (!waitMs) return;
    for (const { settings, status } of this.#servers)
      if (status.kind === 'starting')
        this.#notice(`The MCP server ${settings.name} is still starting; its tools come when it is ready.`);
  }

  async approve(tools: readonly PendingTool[]): Promise<void> {
    const { approvals, clock } = this.#options;
    const approvedAt = new Date(clock.now()).toISOString();
    for (const { settings } of this.#servers) {
      const its = tools.filter((tool) => tool.server === settings.name);
      if (its.length === 0) continue;
      const approved = its.map(({ definition: { remoteName, fingerprint, description, parameters } }) => {
        return [remoteName, { fingerprint, description, parameters, approvedAt }] as const;
      });
      await approvals.add(settings.name, { identity: settings.identity, tools: new Map(approved) });
    }
    // A user who approves some of them knows of the others.
    this.#reportedPending = stateOf(this.pending);
  }

  takeNotices(): readonly string[] {
    return [...this.#notices.splice(0), ...this.#pendingNotices()];
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #notice(text: string): void {
    if (this.#notices.length < MAX_NOTICES && !this.#notices.includes(text)) this.#notices.push(text);
  }

  #examine(server: McpServer): {
    readonly offered: readonly McpToolDefinition[];
    readonly pending: readonly PendingTool[];
  } {
    const { name, identity } = server.settings;
    const { servers: approved, problem } = this.#options.approvals.read();
    if (problem !== undefined) this.#notice(problem);
    const known = approved.get(name);
    const offered: McpToolDefinition[] = [];
    const pending: PendingTool[] = [];
    for (const definition of server.definitions) {
      const before = known?.tools.get(definition.remoteName);
      const isSame = before?.fingerprint === definition.fingerprint;
      const why = before === undefined ? 'new' : isSame ? 'moved' : 'changed';
      if (isSame && known?.identity === identity) offered.push(definition);
      else pending.push({ server: name, why, definition, before });
    }
    return { offered, pending };
  }

  /** Examined when they are told: tools that the user has approved meanwhile need no word. */
  #pendingNotices(): string[] {
    const { pending } = this;
    const state = stateOf(pending);
    if (state === this.#reportedPending) return [];
    this.#reportedPending = state;
    return [...new Set(pending.map((each) => each.server))].map((server) => {
      const its = pending.filter((each) => each.server === server);
      const changed = its.filter(({ why }) => why !== 'new').length;
      const what = changed === 0 ? 'not approved yet' : `not approved as ${changed === 1 ? 'it is' : 'they are'} now`;
      const tools = its.length === 1 ? '1 tool is' : `${its.length} tools are`;
      return `The MCP server ${server}: ${tools} ${what} and not offered. Look at them with /tools, approve with /tools approve ${server}.`;
    });
  }
}

function stateOf(pending: readonly PendingTool[]): string {
  return pending.map(({ server, definition }) => `${server} ${definition.fingerprint}`).join('\n');
}

/** Returns the same tool for the same definition, so that its schema is compiled once. */
function memoized(make: (server: McpServer, definition: McpToolDefinition) => Tool): typeof make {
  const made = new WeakMap<McpToolDefinition, Tool>();
  return (server, definition) => {
    const tool = made.get(definition) ?? make(server, definition);
    made.set(definition, tool);
    return tool;
  };
}
