// All servers of a configuration: started side by side in the background, their tools offered once the user has approved
// them as they are. A tool that is new, or of which something else is said than when it was approved, waits.
import type { Tool } from '../tools/tool.ts';
import type { ApprovalFile, ApprovedTool } from './approvals.ts';
import type { ToolDefinition } from './definition.ts';
import { createServer, type Server, type ServerMeans, type ServerStatus } from './server.ts';
import { serverTool } from './server-tool.ts';
import type { ServerSettings } from './settings.ts';

/** A tool that is not offered before the user has looked at it. */
export interface PendingTool {
  readonly server: string;
  /**
   * `new`: never approved. `changed`: name, description or schema are others than those approved. `moved`: the
   * configuration names another program or address than when it was approved.
   */
  readonly why: 'new' | 'changed' | 'moved';
  readonly definition: ToolDefinition;
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
  /** Those that are approved, in the order of the configuration: what models are offered. */
  readonly tools: readonly Tool[];
  readonly pending: readonly PendingTool[];
  readonly reports: readonly ServerReport[];
  /**
   * Approves tools as they were shown. One that says something else by now stays pending.
   *
   * @throws OllmError IO_FAILED
   */
  approve(tools: readonly PendingTool[]): Promise<void>;
  /** What the user should know and was not told yet, a sentence each. */
  takeNotices(): readonly string[];
  /** Ends them all, with everything that they started. */
  close(): Promise<void>;
}

export interface McpServersOptions extends Omit<ServerMeans, 'onNotice'> {
  readonly approvals: ApprovalFile;
}

export function createMcpServers(settings: readonly ServerSettings[], options: McpServersOptions): McpServers {
  const { approvals, clock, timeoutMs } = options;
  const notices: string[] = [];
  const notice = (text: string): void => {
    // One that keeps failing in new words must not fill the memory.
    if (notices.length < 100 && !notices.includes(text)) notices.push(text);
  };
  const servers = settings.map((each) => createServer(each, { ...options, onNotice: notice }));
  const toolFor = memoized((server, definition) => serverTool(server, definition, { timeoutMs }));
  let toldPending = '';

  function examine(server: Server): {
    readonly offered: readonly ToolDefinition[];
    readonly pending: readonly PendingTool[];
  } {
    const { name, identity } = server.settings;
    const { servers: approved, problem } = approvals.read();
    if (problem !== undefined) notice(problem);
    const known = approved.get(name);
    const offered: ToolDefinition[] = [];
    const pending: PendingTool[] = [];
    for (const definition of server.definitions) {
      const before = known?.tools.get(definition.remoteName);
      const isSame = before?.fingerprint === definition.fingerprint;
      if (isSame && known?.identity === identity) offered.push(definition);
      else
        pending.push({
          server: name,
          why: before === undefined ? 'new' : isSame ? 'moved' : 'changed',
          definition,
          before,
        });
    }
    return { offered, pending };
  }

  function allPending(): readonly PendingTool[] {
    return servers.flatMap((server) => examine(server).pending);
  }

  /** Looked at when it is told: what the user has approved meanwhile needs no word. */
  function pendingNotices(): string[] {
    const pending = allPending();
    const state = stateOf(pending);
    if (state === toldPending) return [];
    toldPending = state;
    return [...new Set(pending.map((each) => each.server))].map((server) => {
      const its = pending.filter((each) => each.server === server);
      const changed = its.filter(({ why }) => why !== 'new').length;
      const what = changed === 0 ? 'not approved yet' : `not approved as ${changed === 1 ? 'it is' : 'they are'} now`;
      const tools = its.length === 1 ? '1 tool is' : `${its.length} tools are`;
      return `The MCP server ${server}: ${tools} ${what} and not offered. Look at them with /tools, approve with /tools approve ${server}.`;
    });
  }

  return {
    async start({ waitMs } = {}) {
      const all = Promise.all(servers.map((server) => server.start()));
      if (waitMs === undefined) return void (await all);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((tell) => {
        timer = setTimeout(tell, waitMs);
      });
      await Promise.race([all, late]);
      clearTimeout(timer);
      if (waitMs === 0) return;
      for (const { settings } of servers.filter((server) => server.status.kind === 'starting')) {
        notice(`The MCP server ${settings.name} is still starting; its tools come when it is ready.`);
      }
    },
    get tools() {
      return servers.flatMap((server) => examine(server).offered.map((definition) => toolFor(server, definition)));
    },
    get pending() {
      return allPending();
    },
    get reports() {
      return servers.map((server) => {
        const { offered, pending } = examine(server);
        return { name: server.settings.name, status: server.status, offered: offered.map(({ name }) => name), pending };
      });
    },
    async approve(tools) {
      const approvedAt = new Date(clock.now()).toISOString();
      for (const server of servers) {
        const its = tools.filter((tool) => tool.server === server.settings.name);
        if (its.length === 0) continue;
        const approved = its.map(({ definition: { remoteName, fingerprint, description, parameters } }) => {
          return [remoteName, { fingerprint, description, parameters, approvedAt }] as const;
        });
        await approvals.add(server.settings.name, { identity: server.settings.identity, tools: new Map(approved) });
      }
      // Whoever approves some of them knows of the others.
      toldPending = stateOf(allPending());
    },
    takeNotices: () => [...notices.splice(0), ...pendingNotices()],
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function stateOf(pending: readonly PendingTool[]): string {
  return pending.map(({ server, definition }) => `${server} ${definition.fingerprint}`).join('\n');
}

/** The same tool for the same definition: whoever compiled its schema need not do it again. */
function memoized(make: (server: Server, definition: ToolDefinition) => Tool): typeof make {
  const made = new WeakMap<ToolDefinition, Tool>();
  return (server, definition) => {
    const tool = made.get(definition) ?? make(server, definition);
    made.set(definition, tool);
    return tool;
  };
}
