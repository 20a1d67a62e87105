// Begins a run of another agent: what must hold before its program is started, and which session it goes on with.
import { formatAddress, importedId } from '../../agents/address.ts';
import type { Agent } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { loadAgent } from '../../agents/registry.ts';
import type { App } from '../../app/app.ts';
import { findForeign } from '../../app/find/find-foreign.ts';
import { importForeign } from '../../app/import/import-sessions.ts';
import { standingPolicy } from '../../app/policy/project-policy.ts';
import { agentProgram } from '../../app/start/agent-program.ts';
import { foreignPorts } from '../../app/start/foreign-ports.ts';
import { isTrustedDirectory } from '../../config/is-trusted.ts';
import { OllmError } from '../../errors/index.ts';
import type { InstalledAgent } from '../../runs/installed.ts';
import { type AgentProfile, profileOf, RUN_AGENTS } from '../../runs/profiles.ts';
import { AgentRun, type ResumedSession, type RunWish } from './agent-run.ts';
import { type ConfinedAgent, type Confinement, confineRun } from './confine-run.ts';
import { linkedSource } from './linked-source.ts';
import { endLeftRuns } from './run-note.ts';

/**
 * Starts the agent, in a new session or in one that goes on, and opens the journal of that.
 *
 * @example
 * const run = await openRun(app, { agent: 'qwen', permissions: 'ask', approver, signal });
 * run.ask('Describe this project', { promptId, signal }).subscribe(show);
 * await run.close();
 * @throws OllmError USAGE, AGENT_NOT_INSTALLED, AGENT_TOO_OLD, AGENT_START_FAILED, AGENT_NOT_SIGNED_IN,
 * WORKSPACE_NOT_TRUSTED, UNATTENDED_NOT_ALLOWED, RUNTIME_PERMISSION_NOT_SUPPORTED, SANDBOX_REQUIRED, SESSION_BUSY,
 * SESSION_EXISTS, and what finding and opening it throws
 */
export async function openRun(app: App, wish: RunWish): Promise<AgentRun> {
  const profile = requireProfile(wish.agent);
  requireAttended(app, wish.permissions);
  await endLeftRuns(app);
  const agent = await loadAgent(profile.name);
  if (wish.id !== undefined) await requireFree(app, agent, wish.id);
  const resumed = wish.resume === undefined ? undefined : await sessionToResume(app, agent, wish.resume);
  const workspace = resumed?.cwd ?? wish.workspace ?? app.cwd;
  requireTrusted(app, workspace);
  const { installed, isAsking } = inMode(
    app,
    profile,
    agentProgram(app, profile, { workspace, family: wish.id === undefined ? undefined : 'cli' }),
  );
  const { permissions } = wish;
  const { title } = agent;
  const confinement = await confinementOf(app, { profile, installed, workspace, title, isAsking, permissions });
  const policy = await standingPolicy(app, { mode: () => 'ask', ownPlaces: [] });
  const run = new AgentRun(app, { wish, agent, profile, installed, workspace, policy, confinement });
  await run.open(resumed);
  return run;
}

/** The agent itself may have a session of this id, which ollm has not imported. @throws OllmError SESSION_EXISTS */
async function requireFree(app: App, agent: Agent, id: string): Promise<void> {
  const isThere = (await app.store.has(importedId(agent.name, id))) || linkedSource(agent, id, foreignPorts(app));
  if (!isThere) return;
  throw new OllmError('SESSION_EXISTS', `${agent.title} has a session ${id} already.`, {
    hint: `The address ${agent.name}:${id} resumes it.`,
  });
}

/** With the mode of the settings. `isAsking`: whether it changes nothing without a question in that. */
function inMode({ config }: App, { name }: AgentProfile, installed: InstalledAgent) {
  const { mode } = config.runs[name];
  const { askMode, calmModes = [], asksNothing = false } = installed.command;
  if (mode === undefined || mode === askMode) return { installed, isAsking: !asksNothing };
  const command = { ...installed.command, askMode: mode };
  return { installed: { ...installed, command }, isAsking: calmModes.includes(mode) };
}

/**
 * What confines the agent; undefined where it asks, and runs as the user.
 * @throws OllmError SANDBOX_REQUIRED; RUNTIME_PERMISSION_NOT_SUPPORTED: it would not ask, and is to be denied all
 */
async function confinementOf(
  app: App,
  run: Pick<ConfinedAgent, 'profile' | 'installed' | 'workspace'> & {
    readonly title: string;
    readonly isAsking: boolean;
    readonly permissions: RunWish['permissions'];
  },
): Promise<Confinement | undefined> {
  const { profile, installed, workspace, title, isAsking, permissions } = run;
  const { runs } = app.config;
  if (isAsking && !runs.confined) return undefined;
  const setting = isAsking ? 'runs.confined' : `runs.${profile.name}.mode`;
  const agent = { profile, installed, workspace };
  if (isAsking) return confineRun(app, { ...agent, why: `${title} is to be confined (${setting})`, remedy: REMEDY });
  const { askMode, asksNothing } = installed.command;
  const why = `${title} does not ask${askMode === undefined ? ' before it changes files' : ` in the mode “${askMode}” (${setting})`}`;
  const remedy = asksNothing
    ? `In the mode “plan” (${setting}) it changes nothing.`
    : `Without ${setting} it asks, and needs none.`;
  if (permissions !== 'deny') return confineRun(app, { ...agent, why, remedy });
  throw new OllmError('RUNTIME_PERMISSION_NOT_SUPPORTED', `${why}, so that nothing can be denied.`, { hint: remedy });
}

const REMEDY = 'Without runs.confined it runs as your user, and asks.';

/** @throws OllmError UNATTENDED_NOT_ALLOWED */
export function requireAttended({ config }: App, permissions: RunWish['permissions']): void {
  if (permissions !== 'allow' || config.server.allowUnattended) return;
  throw new OllmError('UNATTENDED_NOT_ALLOWED', 'An agent that asks nothing is not run here.', {
    hint: 'Leave the permissions at "ask", or set server.allowUnattended in your own configuration.',
  });
}

function requireProfile(name: string): AgentProfile {
  const profile = profileOf(name);
  if (profile !== undefined) return profile;
  throw new OllmError('USAGE', `“${name}” is not an agent that can be run.`, {
    hint: `There are: ${RUN_AGENTS.join(', ')}.`,
  });
}

function requireTrusted({ fileSystem, config }: App, workspace: string): void {
  if (isTrustedDirectory(fileSystem, workspace, config.trustedDirectories)) return;
  throw new OllmError('WORKSPACE_NOT_TRUSTED', `${workspace} is not a directory that you trust.`, {
    hint: 'An agent starts the hooks and servers of its project. Add the directory to trustedDirectories if you trust it.',
    data: { workspace },
  });
}

/** The session that goes on; its import is made, or brought up to date. */
async function sessionToResume(app: App, agent: Agent, reference: string): Promise<ResumedSession> {
  const id = reference.startsWith(`${agent.name}:`) ? reference.slice(agent.name.length + 1) : reference;
  const found = await findForeign(app, { agent: agent.name, id });
  if (found.source === undefined) {
    throw new OllmError('SESSION_NOT_FOUND', `${agent.title} no longer has ${agent.name}:${found.id}.`, {
      hint: `"ollm resume ${agent.name}:${found.id}" goes on with its import in a session of your own.`,
    });
  }
  const { source } = found;
  await importForeign(app, { addresses: [formatAddress(source)] });
  const { printedId, cwd, startedAt } = readHead(agent, source, foreignPorts(app).files);
  return { id: source.id, programId: source.ownId ?? printedId ?? source.id, work: { source }, cwd, startedAt };
}
