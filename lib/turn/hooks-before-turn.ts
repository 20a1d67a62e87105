// The user's hooks run before a turn begins. After a veto nothing of the turn is stored.
import { OllmError } from '../errors/index.ts';
import { untilAborted } from '../platform/waiting.ts';
import type { TurnInput } from './begin-turn.ts';
import type { Turn } from './turn.ts';

/** @throws OllmError POLICY_DENIED after a veto */
export async function requireHooks(turn: Turn, { text: input }: TurnInput): Promise<void> {
  const { session, dependencies, cancelled, show } = turn;
  const asked = dependencies.hooks?.beforeTurn({ turn: session.states.openEnds.turns + 1, input }, cancelled);
  const outcome = asked && (await untilAborted(asked, cancelled));
  if (outcome?.veto === undefined) {
    for (const text of outcome?.notices ?? []) show({ type: 'notice', text });
    return;
  }
  const { rule, reason } = outcome.veto;
  throw new OllmError('POLICY_DENIED', `A hook did not allow the message: ${reason}`, {
    hint: `The rule is ${rule}. The message was not stored and not sent.`,
    data: { rule },
  });
}
