// `!command`: the user runs a command, and the model sees it with its result. A turn without a model: recorded,
// limited, confined and shown as a call that a model asked for and the user allowed; hooks see it as one. Rules for
// models do not bind the user.
import { OllmError } from '../../errors/index.ts';
import type { Decision } from '../../tools/decision.ts';
import { runOneCall } from '../../turn/run-one-call.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import type { TurnDependencies } from '../../turn/turn.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { toolboxFor } from '../tools/toolbox.ts';
import { turnBasis } from './turn-basis.ts';

interface RunCommandOptions {
  /** Ends the command with all that it started. */
  readonly signal: AbortSignal;
  /** Called with what passes by, as of any turn. */
  readonly show: (signal: TurnSignal) => void;
}

const SHELL_TOOL = 'bash';
const TYPED: Decision = { kind: 'ask', rule: 'typed', reason: 'The user typed it.' };

/**
 * Runs a line in the shell of the tools. Resolves when it has ended, however it did.
 *
 * @throws OllmError USAGE: there are no tools; and what an append throws
 */
export async function runCommand(
  app: App,
  conversation: Conversation,
  line: string,
  { signal, show }: RunCommandOptions,
): Promise<void> {
  const call = { text: `!${line}`, name: SHELL_TOOL, args: { command: line }, signal, show };
  await runOneCall(conversation.session, await dependenciesOf(app, conversation), call);
}

async function dependenciesOf(app: App, conversation: Conversation): Promise<TurnDependencies> {
  const approver = { ask: async () => ({ kind: 'once' }) as const };
  const tools = await toolboxFor(app, conversation, { approver, only: [SHELL_TOOL] });
  if (tools === undefined) {
    throw new OllmError('USAGE', 'No command is run: tools.enabled is off.', { hint: 'Run it in a shell of yours.' });
  }
  const policy = { decide: () => TYPED, grant() {} };
  return { ...(await turnBasis(app, conversation)), tools: { ...tools, policy } };
}
