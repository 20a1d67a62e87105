// The conversation of a REPL in which an agent of another maker answers: a new one, or one that the agent continues.
import { parseAddress } from '../agents/address.ts';
import { isAgentName } from '../agents/registry.ts';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { OllmError } from '../errors/index.ts';
import type { TerminalRun } from '../lead/runs/run-conversation.ts';
import { profileOf, RUN_AGENTS } from '../runs/profiles.ts';

interface StartOptions {
  /** Lets the user choose a session; undefined for none. */
  readonly pick: () => Promise<string | undefined>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Undefined: the user was asked for a session and chose none. @throws OllmError as `openRunConversation` */
export async function startRun(
  app: App,
  { agent, resume, model, permissions, force }: TerminalRun,
  { pick, say, signal }: StartOptions,
): Promise<Conversation | undefined> {
  const reference = resume === true ? await pick() : resume;
  if (resume === true && reference === undefined) return undefined;
  const name = agentOf(agent, reference);
  const { openRunConversation } = await import('../lead/runs/run-conversation.ts');
  say(reference === undefined ? `Starting ${name} …` : `${name} takes up ${reference} …`);
  return openRunConversation(app, { agent: name, resume: reference, model, permissions, force, signal });
}

/** @throws OllmError USAGE */
function agentOf(agent: string | undefined, reference: string | undefined): string {
  const there = `Agents that can be run: ${RUN_AGENTS.join(', ')}.`;
  const named = reference === undefined ? undefined : parseAddress(reference)?.agent;
  if (agent !== undefined && named !== undefined && agent !== named) {
    throw new OllmError('USAGE', `${reference} is a session of ${named}, and ${agent} cannot go on with it.`, {
      hint: `Without --agent, ollm goes on with it in a session of your own. "ollm handover" writes it for ${agent}.`,
    });
  }
  const name = agent ?? named;
  if (name !== undefined && profileOf(name) !== undefined) return name;
  throw new OllmError('USAGE', whyNot(name), { hint: there });
}

function whyNot(name: string | undefined): string {
  if (name === undefined) return 'Which agent is meant?';
  return isAgentName(name) ? `ollm cannot run ${name}: it only reads its sessions.` : `“${name}” is not an agent.`;
}
