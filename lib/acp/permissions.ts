// Questions to the user of the editor: whether a call may run, whether a long turn goes on, and whether tools of a
// server are offered.
import type { PermissionOption, RequestPermissionOutcome, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { unlessAborted } from '../platform/waiting.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../tools/decision.ts';
import type { AskToGoOn } from '../turn/run-turn.ts';
import { shownCall } from './tool-calls.ts';

/** Asks the client; resolves with its choice. Rejects when the connection ends. */
export type AskClient = (
  toolCall: ToolCallUpdate,
  options: readonly PermissionOption[],
) => Promise<RequestPermissionOutcome>;

const ONCE: PermissionOption = { optionId: 'once', name: 'Allow', kind: 'allow_once' };
const NO: PermissionOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' };

export function clientApprover(askClient: AskClient, options: Parameters<typeof shownCall>[1]): Approver {
  return {
    async ask(request, signal) {
      const { action, decision, callId, args } = request;
      const call = shownCall({ callId, name: action.tool, args }, options);
      const outcome = await unlessAborted(
        askClient({ ...call, title: titleOf(request) }, optionsOf(request.decision)),
        signal,
      );
      return answerOf(outcome, decision);
    },
  };
}

/** The title of a dangerous call has the reason for the question. */
function titleOf({ action, decision, asker }: ApprovalRequest): string {
  const who = asker === undefined ? '' : `${asker}: `;
  return `${who}${action.summary}${decision.dangerous === undefined ? '' : ` (dangerous: ${decision.dangerous})`}`;
}

function optionsOf({ grant, denial }: ApprovalRequest['decision']): readonly PermissionOption[] {
  return [
    ONCE,
    ...(grant === undefined
      ? []
      : [{ optionId: 'always', name: `Always allow ${grant}`, kind: 'allow_always' } as const]),
    NO,
    ...(denial === undefined
      ? []
      : [{ optionId: 'never', name: `Never allow ${denial}`, kind: 'reject_always' } as const]),
  ];
}

/** An option that was not offered is a no. */
function answerOf(outcome: RequestPermissionOutcome, decision: ApprovalRequest['decision']): ApprovalAnswer {
  if (outcome.outcome === 'cancelled') return { kind: 'unanswered', reason: 'The question was cancelled.' };
  switch (outcome.optionId) {
    case 'once':
      return { kind: 'once' };
    case 'always':
      return decision.grant === undefined ? { kind: 'no' } : { kind: 'always' };
    case 'never':
      return decision.denial === undefined ? { kind: 'no' } : { kind: 'never' };
    default:
      return { kind: 'no' };
  }
}

export function clientGoesOn(askClient: AskClient): AskToGoOn {
  return async (requests, signal) => {
    const question = { toolCallId: `go-on-${requests}`, title: `Go on after ${requests} requests to the model?` };
    const outcome = await unlessAborted(
      askClient({ ...question, kind: 'think', status: 'pending' }, [ONCE, NO]),
      signal,
    );
    return outcome.outcome === 'selected' && outcome.optionId === 'once';
  };
}

/** Whether the tools of a server are offered to the model. `text`: all that the server says of them. */
export async function offersTools(
  askClient: AskClient,
  { server, names, text }: { readonly server: string; readonly names: readonly string[]; readonly text: string },
): Promise<boolean> {
  const outcome = await askClient(
    {
      toolCallId: `offer-${server}`,
      title: `Offer the tools of the MCP server ${server}: ${names.join(', ')}`,
      kind: 'other',
      status: 'pending',
      content: [{ type: 'content', content: { type: 'text', text } }],
    },
    [{ optionId: 'always', name: 'Offer them, as they are now', kind: 'allow_always' }, NO],
  );
  return outcome.outcome === 'selected' && outcome.optionId === 'always';
}
