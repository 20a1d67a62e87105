// The tools of a conversation with all that a turn needs to run them: the built-in ones, those of the program that embeds
// ollm, those of servers; the policy with the grants; what programs are started in. Loads none of it before it is needed.
// What is made is kept as long as the conversation: grants and connections hold from turn to turn.
import { OllmError } from '../../errors/index.ts';
import type { Session } from '../../session/session.ts';
import { BUILTIN_TOOL_NAMES } from '../../tools/builtin/names.ts';
import type { BuiltinToolPorts } from '../../tools/builtin/ports.ts';
import type { Approver, Policy } from '../../tools/decision.ts';
import type { GrantStore } from '../../tools/policy/grants.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Toolbox } from '../../tools/toolbox.ts';
import { isOffered, offeredTools } from '../../turn/offered-tools.ts';
import type { TurnTools } from '../../turn/turn-tools.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { discoverySettings } from '../project/discovery-settings.ts';
import { requestWindow } from '../request-window.ts';
import { historyPort } from '../sessions/history-port.ts';
import { mcpTools } from './mcp.ts';
import { toolEnvironment } from './tool-environment.ts';
import { toolProgramsFor } from './tool-sandbox.ts';

export interface ToolWishes {
  /** Asks the user; without it nobody can be asked. */
  readonly approver?: Approver | undefined;
  /** Only these are offered. */
  readonly only?: readonly string[] | undefined;
}

/** A tool as `/tools` lists it. */
export interface ListedTool {
  readonly tool: Tool;
  /** Whether models are told of it. */
  readonly isOffered: boolean;
}

/** What stays the same from turn to turn. */
interface Foundation {
  readonly turn: Omit<TurnTools, 'toolbox' | 'approver'>;
  readonly builtin: readonly Tool[];
  readonly grants: GrantStore;
  readonly warnings: readonly string[];
}

const FOUNDATIONS = new WeakMap<Session, Promise<Foundation>>();

/**
 * Undefined where the settings offer no tools, or `only` names none.
 *
 * @throws OllmError USAGE: one of `only` that there is not
 */
export async function toolboxFor(
  app: App,
  conversation: Conversation,
  { approver, only }: ToolWishes = {},
): Promise<TurnTools | undefined> {
  if (!app.config.tools.enabled || only?.length === 0) return undefined;
  const { turn, builtin } = await foundationOf(app, conversation);
  const { createToolbox } = await import('../../tools/toolbox.ts');
  const all = createToolbox([...builtin, ...app.tools, ...(await mcpTools(app, { waitMs: 0 }))]);
  return { ...turn, approver, toolbox: only === undefined ? all : createToolbox(chosen(all, only)) };
}

/**
 * Holds names against the tools that there are and may be offered. Servers are started, and waited for, where one of the
 * names may be theirs.
 *
 * @throws OllmError USAGE: one that there is not, or that the settings switch off
 */
export async function requireTools(app: App, names: readonly string[]): Promise<void> {
  const { enabled, disabled } = app.config.tools;
  if (names.length > 0 && !enabled) throw switchedOff(names, 'tools.enabled is false');
  const off = names.filter((name) => disabled.includes(name));
  if (off.length > 0) throw switchedOff(off, 'see tools.disabled');
  const known = [...BUILTIN_TOOL_NAMES, ...app.tools.map(({ name }) => name)];
  const strange = names.filter((name) => !known.includes(name));
  if (strange.length === 0) return;
  known.push(...(await mcpTools(app)).map(({ name }) => name));
  const missing = strange.filter((name) => !known.includes(name));
  if (missing.length > 0) throw unknown(missing, known);
}

function switchedOff(names: readonly string[], why: string): OllmError {
  const message = `The configuration switches off ${names.join(', ')}: ${why}.`;
  return new OllmError('USAGE', message, { hint: '"ollm config explain" says where that is set.' });
}

/** Every tool that there is, with whether it is offered. Empty where the settings offer none. */
export async function listTools(app: App, conversation: Conversation): Promise<readonly ListedTool[]> {
  const tools = await toolboxFor(app, conversation);
  if (tools === undefined) return [];
  const { states } = conversation.session;
  return tools.toolbox.tools.map((tool) => ({ tool, isOffered: isOffered(tools, states, tool.name) }));
}

/** About how many tokens the definitions of the tools take in each request. */
export async function toolTokens(app: App, conversation: Conversation): Promise<number> {
  const { session, choice } = conversation;
  const tools = await toolboxFor(app, conversation);
  const { maxOutputTokens, services } = app.config;
  const { reserveForOutput } = services.budget;
  const room = { contextWindow: requestWindow(app, choice), maxOutputTokens, reserveForOutput };
  return offeredTools({ session, dependencies: { tools, provider: choice.provider, ...room } }).tokens;
}

/**
 * Switches a tool on or off for this session. What it was comes back.
 *
 * @throws OllmError USAGE: there is no such tool; and what an append throws
 */
export async function switchTool(
  app: App,
  conversation: Conversation,
  { name, enabled }: { readonly name: string; readonly enabled: boolean },
): Promise<boolean> {
  const listed = await listTools(app, conversation);
  const known = listed.find(({ tool }) => tool.name === name);
  if (known === undefined)
    throw unknown(
      [name],
      listed.map(({ tool }) => tool.name),
    );
  if (known.isOffered !== enabled) {
    await conversation.session.append({ type: 'tools.changed', data: { name, enabled } });
  }
  return known.isOffered;
}

/** What the user allowed for good, to be listed and taken back; that of an ephemeral session ends with it. */
export async function grantsOf(app: App, conversation: Conversation): Promise<GrantStore> {
  return (await foundationOf(app, conversation)).grants;
}

/** What was wrong in the rules and grants, one sentence each. */
export async function toolWarnings(app: App, conversation: Conversation): Promise<readonly string[]> {
  return app.config.tools.enabled ? (await foundationOf(app, conversation)).warnings : [];
}

function foundationOf(app: App, conversation: Conversation): Promise<Foundation> {
  const { session } = conversation;
  const known = FOUNDATIONS.get(session);
  if (known !== undefined) return known;
  const made = layFoundation(app, conversation);
  FOUNDATIONS.set(session, made);
  made.catch(() => FOUNDATIONS.delete(session));
  return made;
}

async function layFoundation(app: App, { ephemeral, store, session }: Conversation): Promise<Foundation> {
  const [{ createBuiltinTools }, { createPolicy }, programs, { openGrants }, { closedPlaces }] = await Promise.all([
    import('../../tools/builtin/index.ts'),
    import('../../tools/policy/index.ts'),
    toolProgramsFor(app),
    import('./grants.ts'),
    import('./closed-places.ts'),
  ]);
  const { config, paths, fileSystem, ids } = app;
  const { tools, retention } = config;
  const root = await realPathOf(app, paths.project);
  const grants = openGrants({ ...app, mode: ephemeral ? 'ephemeral' : app.mode });
  const closed = closedPlaces(app);
  const { policy, warnings } = await createPolicy({
    settings: { ...tools, hidden: closed.hidden },
    root,
    home: paths.home,
    homeDirectory: homeDirectoryOf(app),
    protectedPaths: closed.protected,
    grants,
    isConfined: programs.isConfined,
    ownPlaces: programs.ownPlaces,
    realPath: await pathReader(app),
  });
  const timeoutMs = tools.timeoutSeconds * 1000;
  const { maxOutputTokens, maxOutputBytes } = tools;
  const ports: BuiltinToolPorts = {
    fileSystem,
    ids,
    discovery: discoveryOf(app),
    maxOutputTokens,
    timeoutMs,
    maxOutputBytes,
    history: historyPort(store, session.id),
    mayRead: (path) => mayRead(policy, path),
  };
  const { sandbox, words, network, envRemoved } = programs;
  const environment = Object.keys(toolEnvironment(app).variables);
  return {
    turn: {
      policy,
      disabled: tools.disabled,
      place: { root, cwd: await realPathOf(app, app.cwd) },
      boundary: { sandbox, words, network, envRemoved, environment },
      runProgram: programs.run,
      timeoutMs,
      maxOutputTokens,
      keepsOutputs: retention.storeToolOutputs,
    },
    builtin: createBuiltinTools(ports),
    grants,
    warnings: [...warnings, grants.problem?.()].filter((warning) => warning !== undefined),
  };
}

function mayRead(policy: Policy, path: string) {
  const accesses = [{ kind: 'read', path }] as const;
  return policy.decide({ tool: 'file_read', summary: '', isReadOnly: true, accesses }).kind;
}

function chosen({ tools, find }: Toolbox, only: readonly string[]): Tool[] {
  const missing = only.filter((name) => find(name) === undefined);
  if (missing.length > 0)
    throw unknown(
      missing,
      tools.map(({ name }) => name),
    );
  return tools.filter(({ name }) => only.includes(name));
}

function unknown(missing: readonly string[], names: readonly string[]): OllmError {
  return new OllmError('USAGE', `There is no tool ${missing.join(', ')}.`, { hint: `There are: ${names.join(', ')}.` });
}

/** As far as it exists, with its links followed. What cannot be followed stays as it is written. */
async function pathReader({ fileSystem }: App): Promise<(path: string) => string> {
  const { resolvePath } = await import('../../tools/paths.ts');
  return (path) => {
    try {
      return resolvePath(fileSystem, path, { root: '/', cwd: '/' }).path;
    } catch {
      return path;
    }
  };
}

async function realPathOf(app: App, path: string): Promise<string> {
  return (await pathReader(app))(path);
}

/** What finds files is loaded, and git is asked, when a tool first looks for some. */
function discoveryOf(app: App): BuiltinToolPorts['discovery'] {
  const load = async () => {
    const [{ discover }, settings] = await Promise.all([import('../../discovery/walk.ts'), discoverySettings(app)]);
    return (options: Parameters<typeof discover>[0]) => discover({ ...settings, ...options });
  };
  let loaded: ReturnType<typeof load> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
