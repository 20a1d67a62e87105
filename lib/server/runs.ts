// Sessions in which another agent works, for the routes of providers: started, continued, stopped and shown by the
// address of the agent's session.
import { formatAddress, parseAddress } from '../agents/address.ts';
import { runnableAgent } from '../app/start/agent-program.ts';
import { isOllmError, unless } from '../errors/index.ts';
import type { Accepted, Actor } from '../host/port/prompts.ts';
import { type SnapshotAnswer, withMessages } from '../host/reading/snapshot-answer.ts';
import { knownChoices } from '../lead/runs/known-choices.ts';
import { defined } from '../platform/json.ts';
import { profileOf, RUN_AGENTS } from '../runs/profiles.ts';
import type { ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';
import { promptOf } from './turns.ts';

type Body = Parameters<typeof promptOf>[1] & {
  readonly workspacePath?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly force?: boolean | undefined;
};

interface RunCall {
  readonly agent: string;
  readonly body: Body;
  readonly by: Actor;
  /** Whether the answer comes at the end of the turn. */
  readonly isAwaited: boolean;
  readonly signal: AbortSignal;
}

export function isRunAgent(provider: string): boolean {
  return profileOf(provider) !== undefined;
}

/** The address of a session of an agent, by its id or by its address. */
export function addressOf(agent: string, id: string): string {
  return parseAddress(id)?.agent === agent ? id : formatAddress({ agent, id });
}

/** The agents that can be run, with the place of each, or with what installs it. */
export function agentProviders({ app }: ServerContext) {
  return RUN_AGENTS.map((id) => {
    const { family, capabilities, ...found } = runnableAgent(app, id)!;
    const { install, program } = { install: undefined, program: undefined, ...found };
    return { id, family, capabilities, ...defined({ install, program }) };
  });
}

/** The models that an agent offered when it ran last: only a program that runs can name them. */
export function agentModels(app: ServerContext['app'], agent: string) {
  const known = knownChoices(app, agent);
  if (known === undefined) {
    const found = runnableAgent(app, agent)!;
    const unreachable =
      'install' in found
        ? { answerer: agent, code: found.code, message: found.install }
        : {
            answerer: agent,
            code: 'AGENT_NOT_RUN_YET',
            message: `${agent} names its models when it runs, and has not run here yet. A session takes any that it has.`,
          };
    return { models: [], unreachable: [unreachable] };
  }
  const { models, thinking } = known;
  const modes = thinking.all.map(({ value }) => value);
  return {
    models: models.all.map(({ value, name, description }) => ({
      ...{ value, displayName: name, answerer: agent },
      ...(description && { description }),
      // It offers its modes of thinking for the model that it has now.
      ...(value === models.current && {
        ...{ current: true, supportsThinkingModes: modes.length > 0, supportedThinkingModes: modes },
      }),
    })),
    unreachable: [],
  };
}

export async function startRun(context: ServerContext, call: RunCall): Promise<SnapshotAnswer> {
  const { agent, body, by } = call;
  const { sessionId, workspacePath: workspace } = body;
  const { runs } = context.host;
  if (sessionId !== undefined) {
    const address = parseAddress(sessionId);
    if (address?.agent === agent) return resumeRun(context, { ...call, id: sessionId });
    requireTakingId(context, agent, sessionId);
  }
  const prompt = await promptOf(context, body, by, async () => workspace ?? context.app.cwd);
  return shown(context, await runs.start({ ...prompt, agent, workspace, id: sessionId }), call);
}

/** Only the own command of Claude Code lets a client choose. @throws ApiFailure SESSION_ID_NOT_SUPPORTED */
function requireTakingId({ app }: ServerContext, agent: string, id: string): void {
  const { runs } = app.config;
  const takesOne = profileOf(agent)?.commands.some(({ family }) => family === 'cli') && runs.claude.family !== 'acp';
  if (takesOne && UUID.test(id)) return;
  const words = takesOne ? 'takes a UUID as the id of a session' : 'gives its sessions their ids itself';
  throw new ApiFailure('SESSION_ID_NOT_SUPPORTED', `${agent} ${words}; the address of one resumes it.`);
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

export async function resumeRun(
  context: ServerContext,
  { id, ...call }: RunCall & { readonly id: string },
): Promise<SnapshotAnswer> {
  const { agent, body, by } = call;
  const address = addressOf(agent, id);
  const prompt = await promptOf(context, body, by, async () => body.workspacePath);
  return shown(context, await context.host.runs.prompt(address, { ...prompt, agent, force: body.force }), call);
}

export async function runSnapshots(
  { host: { runs } }: ServerContext,
  agent: string,
): Promise<{ readonly sessions: readonly SnapshotAnswer[] }> {
  const sessions: SnapshotAnswer[] = [];
  const isDeletedMeanwhile = (error: unknown) => isOllmError(error, 'SESSION_NOT_FOUND');
  for (const address of runs.lately(agent)) {
    const snapshot = await unless(isDeletedMeanwhile, () => runs.snapshot(address));
    if (snapshot !== undefined) sessions.push(withMessages(snapshot));
  }
  return { sessions };
}

async function shown({ host: { runs } }: ServerContext, { sessionId, seq }: Accepted, call: RunCall) {
  if (!call.isAwaited) return withMessages(await runs.snapshot(sessionId, seq));
  await runs.wait(sessionId, call.signal);
  return withMessages(await runs.snapshot(sessionId));
}
