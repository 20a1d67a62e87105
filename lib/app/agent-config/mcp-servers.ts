// The servers for MCP in the settings of other programs: listed without the values of their secrets, set, and removed.
// A file is changed as a whole, with every other byte as it was, and kept before that.
import { changedEntry, missingValues, shownServer, withHiddenValues } from '../../agent-config/changed-entry.ts';
import { problemOfScope, problemOfServer } from '../../agent-config/check-server.ts';
import { editedSettings, objectAt } from '../../agent-config/edited.ts';
import { type McpAgent, mcpAgent } from '../../agent-config/mcp-agents.ts';
import type { McpServerEntry } from '../../agent-config/mcp-server-entry.ts';
import { MCP_AGENTS, MCP_SCOPES, type McpAgentName, type McpScope } from '../../agent-config/program-names.ts';
import type { SettingsFile } from '../../agent-config/settings-file.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { changeSettingsFile } from './change-settings-file.ts';
import { formatOf } from './settings-format.ts';
import { readForeignSettings } from './this-machine.ts';

/** A server, without the values of variables and headers. */
export interface ListedMcpServer extends McpServerEntry {
  readonly provider: McpAgentName;
  readonly scope: McpScope;
  readonly name: string;
}

/** A file, or an entry of one, that cannot be read. */
interface McpProblem {
  readonly provider: McpAgentName;
  readonly scope: McpScope;
  readonly path: string;
  /** As the end of a sentence after the path. */
  readonly reason: string;
}

interface ListedMcpServers {
  readonly servers: readonly ListedMcpServer[];
  readonly problems: readonly McpProblem[];
}

interface ListRequest {
  /** Default: all four. */
  readonly agents?: readonly McpAgentName[] | undefined;
  /** Default: each that a program has. */
  readonly scope?: McpScope | undefined;
  /** The directory of the scopes `local` and `project`. Default: the current one. */
  readonly workspace?: string | undefined;
}

/** A server by its name, in one scope of one program. */
export interface McpServerPlace {
  readonly agent: McpAgentName;
  readonly scope: McpScope;
  readonly name: string;
  readonly workspace?: string | undefined;
}

interface ChangedMcpServer {
  /** The file. */
  readonly path: string;
  /** The file as it was is there; undefined where nothing was changed, or no file was there. */
  readonly kept: string | undefined;
}

interface SetMcpServer extends ChangedMcpServer {
  readonly server: ListedMcpServer;
  /** Whether none had the name. */
  readonly isNew: boolean;
}

/**
 * Reads the settings and starts nothing.
 *
 * @example
 * const { servers } = await listMcpServers(app, { agents: ['claude'] });
 * @throws OllmError USAGE: the program has no such scope
 */
export async function listMcpServers(
  app: App,
  { agents = MCP_AGENTS, scope, workspace = app.cwd }: ListRequest = {},
): Promise<ListedMcpServers> {
  const servers: ListedMcpServer[] = [];
  const problems: McpProblem[] = [];
  const redact = await secretsOut(app);
  for (const name of agents) {
    const agent = mcpAgent(name);
    const places = placesOf(app, agent, workspace);
    if (scope !== undefined && agents.length === 1) refuse(problemOfScope(agent, scope));
    for (const each of MCP_SCOPES) {
      const place = places[each];
      if (place === undefined || (scope !== undefined && scope !== each)) continue;
      const at = { provider: name, scope: each, path: place.path };
      try {
        const { entries } = await read(app, agent, place);
        for (const [server, entry] of Object.entries(entries)) {
          const known = isObject(entry) ? agent.serverIn(entry) : undefined;
          if (known === undefined)
            problems.push({ ...at, reason: `has “${server}”, which is neither started nor asked` });
          else servers.push({ provider: name, scope: each, name: server, ...shownServer(known, redact) });
        }
      } catch (error) {
        if (!isOllmError(error)) throw error;
        problems.push({ ...at, reason: `cannot be used: ${error.message}` });
      }
    }
  }
  return { servers, problems };
}

/**
 * A server as it is in the file, with its secrets: for a caller that starts it, or asks it.
 * @throws OllmError USAGE (no such scope, no such server), CONFIG_INVALID, IO_FAILED
 */
export async function knownMcpServer(app: App, place: McpServerPlace): Promise<McpServerEntry> {
  const { agent, settings } = placed(app, place);
  const { entries } = await read(app, agent, settings);
  const entry = Object.hasOwn(entries, place.name) ? entries[place.name] : undefined;
  const server = isObject(entry) ? agent.serverIn(entry) : undefined;
  if (server !== undefined) return server;
  throw new OllmError('USAGE', `${settings.path} has no server “${place.name}”.`, {
    hint: `"ollm mcp list --agent ${place.agent}" names them.`,
    data: { code: 'MCP_SERVER_NOT_FOUND' },
  });
}

/**
 * Adds a server, or changes the one that has the name. A value that is hidden, and each member as it is listed, stay as
 * they are: a server as it was listed changes no byte.
 *
 * @throws OllmError USAGE (with the reason in `data.code`), CONFIG_INVALID (the file cannot be changed), IO_FAILED
 */
export async function setMcpServer(app: App, place: McpServerPlace, wanted: McpServerEntry): Promise<SetMcpServer> {
  const { agent, settings } = placed(app, place);
  const { file, entries } = await read(app, agent, settings);
  const before = Object.hasOwn(entries, place.name) ? entries[place.name] : undefined;
  const entry = isObject(before) ? before : undefined;
  const redact = await secretsOut(app);
  const server = withHiddenValues(wanted, entry && agent.serverIn(entry), redact);
  refuse(problemOfServer(agent, place.name, server));
  const missing = missingValues(server);
  if (missing.length > 0) {
    throw new OllmError('USAGE', `The value of ${missing.join(', ')} is not known.`, { hint: 'Send it.' });
  }
  const value = changedEntry(agent, entry, server);
  const changed = value === entry ? undefined : await change(app, { agent, place, settings, file, value });
  const shown = shownServer(agent.serverIn(value) ?? server, redact);
  return {
    ...{ path: settings.path, kept: changed, isNew: before === undefined },
    server: { provider: place.agent, scope: place.scope, name: place.name, ...shown },
  };
}

/** `removed`: whether it was there. @throws OllmError USAGE, CONFIG_INVALID, IO_FAILED */
export async function removeMcpServer(
  app: App,
  place: McpServerPlace,
): Promise<ChangedMcpServer & { readonly removed: boolean }> {
  const { agent, settings } = placed(app, place);
  const { file, entries } = await read(app, agent, settings);
  const removed = Object.hasOwn(entries, place.name);
  const kept = removed ? await change(app, { agent, place, settings, file, value: undefined }) : undefined;
  return { removed, path: settings.path, kept };
}

type Places = ReturnType<McpAgent['places']>;
type Settings = NonNullable<Places[McpScope]>;

function placesOf(app: App, agent: McpAgent, workspace: string): Places {
  return agent.places(foreignPorts(app).surroundings, workspace);
}

function placed(
  app: App,
  { agent: name, scope, workspace = app.cwd }: McpServerPlace,
): { readonly agent: McpAgent; readonly settings: Settings } {
  const agent = mcpAgent(name);
  refuse(problemOfScope(agent, scope));
  return { agent, settings: placesOf(app, agent, workspace)[scope]! };
}

function refuse(problem: { readonly code: string; readonly message: string } | undefined): void {
  if (problem === undefined) return;
  throw new OllmError('USAGE', problem.message, { data: { code: problem.code } });
}

async function read(
  app: App,
  agent: McpAgent,
  { path, members }: Settings,
): Promise<{ readonly file: SettingsFile; readonly entries: Readonly<Record<string, unknown>> }> {
  const file = readForeignSettings(app, path);
  const settings = (await formatOf(agent.format)).parse(file.text);
  const entries = settings && objectAt(settings, members);
  if (entries !== undefined) return { file, entries };
  const fault = settings === undefined ? `is not valid ${agent.format.toUpperCase()}` : 'has no group of servers there';
  throw new OllmError('CONFIG_INVALID', `${path} ${fault}.`, { hint: 'Mend it in an editor.', data: { path } });
}

interface Change {
  readonly agent: McpAgent;
  readonly place: McpServerPlace;
  readonly settings: Settings;
  readonly file: SettingsFile;
  readonly value: unknown;
}

async function change(app: App, { agent, place, settings, file, value }: Change): Promise<string | undefined> {
  const edit = { path: settings.members, name: place.name, value };
  const text = editedSettings(file.text, edit, await formatOf(agent.format));
  if (text !== undefined) return changeSettingsFile(app, { name: `${place.agent}-${place.scope}`, file, text });
  throw new OllmError('CONFIG_INVALID', `${settings.path} cannot be changed as it is written.`, {
    hint: `Change “${place.name}” in an editor.`,
    data: { path: settings.path },
  });
}

async function secretsOut(app: App): Promise<(text: string) => string> {
  const redact = await app.redactor({ onRequest: true });
  return (text) => redact(text).text;
}
