// The tools of a conversation, to be offered, listed and switched: the built-in ones, those of the program that embeds
// ollm, and those of servers.
import { checkArguments } from '../../errors/arguments.ts';
import { OllmError } from '../../errors/index.ts';
import { BUILTIN_TOOL_NAMES } from '../../tools/builtin/names.ts';
import type { Approver } from '../../tools/decision.ts';
import type { GrantStore } from '../../tools/policy/grants.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Toolbox } from '../../tools/toolbox.ts';
import { isOffered, offeredTools } from '../../turn/request/offered-tools.ts';
import type { TurnTools } from '../../turn/turn-tools.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { requestWindow } from '../providers/request-window.ts';
import { mcpTools } from './mcp.ts';
import { toolSetupOf } from './tool-setup.ts';

interface ToolWishes {
  /** Asks the user; without it, calls that would ask are denied. */
  readonly approver?: Approver | undefined;
  /** Only these are offered. */
  readonly only?: readonly string[] | undefined;
  /** Whether a guest began the turn: every call is then asked about, or denied. */
  readonly isGuest?: boolean | undefined;
}

/** A tool as `/tools` lists it. */
export interface ToolboxTool {
  readonly tool: Tool;
  /** Whether models are offered it. */
  readonly isOffered: boolean;
}

/**
 * Undefined where the settings offer no tools, or `only` names none.
 *
 * @throws OllmError USAGE: one of `only` does not exist
 */
export async function toolboxFor(
  app: App,
  conversation: Conversation,
  { approver, only, isGuest }: ToolWishes = {},
): Promise<TurnTools | undefined> {
  if (!app.config.tools.enabled || only?.length === 0) return undefined;
  const { turn, builtin } = await toolSetupOf(app, conversation);
  const { createToolbox } = await import('../../tools/toolbox.ts');
  const all = createToolbox([...builtin, ...app.tools, ...(await mcpTools(app, { waitMs: 0 }))]);
  const { guestPolicy } = await import('../../tools/policy/guest-policy.ts');
  const policy = isGuest ? guestPolicy(turn.policy) : turn.policy;
  return { ...turn, policy, approver, toolbox: only === undefined ? all : createToolbox(chosen(all, only)) };
}

/**
 * Checks names against the tools that exist and may be offered. Servers are started, and waited for, where one of
 * the names may be theirs.
 *
 * @throws OllmError USAGE: one that does not exist, or that the settings switch off
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
export async function listTools(app: App, conversation: Conversation): Promise<readonly ToolboxTool[]> {
  checkArguments('listTools', { app: 'App', conversation: 'Conversation' }, [app, conversation]);
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
 * Switches a tool on or off for this session. Returns the earlier state.
 *
 * @throws OllmError USAGE: there is no such tool; and what an append throws
 */
export async function switchTool(
  app: App,
  conversation: Conversation,
  wish: { readonly name: string; readonly enabled: boolean },
): Promise<boolean> {
  const table = { app: 'App', conversation: 'Conversation', wish: { name: 'text', enabled: 'boolean' } } as const;
  checkArguments('switchTool', table, [app, conversation, wish]);
  const { name, enabled } = wish;
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

/** What the user allowed permanently, to be listed and taken back; that of an ephemeral session ends with it. */
export async function grantsOf(app: App, conversation: Conversation): Promise<GrantStore> {
  return (await toolSetupOf(app, conversation)).grants;
}

/** What was wrong in the rules and grants, one sentence each. */
export async function toolWarnings(app: App, conversation: Conversation): Promise<readonly string[]> {
  return app.config.tools.enabled ? (await toolSetupOf(app, conversation)).warnings : [];
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
