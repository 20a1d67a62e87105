// The user's hooks run before a turn begins. After a veto nothing of the turn is stored.
import { defer, from, mergeMap, type Observable } from 'rxjs';
import { OllmError } from '../errors/index.ts';
import { untilAborted } from '../platform/waiting.ts';
import type { TurnInput } from './begin-turn.ts';
import type { TurnSignal } from './signals.ts';
import type { Turn } from './turn.ts';

/** Errors with POLICY_DENIED after a veto. */
export function hooksBefore$(turn: Turn, { text }: TurnInput): Observable<TurnSignal> {
  return defer(() => askHooks(turn, text)).pipe(mergeMap((notices) => from(notices)));
}

async function askHooks({ session, dependencies, cancelled }: Turn, input: string): Promise<TurnSignal[]> {
  const { hooks } = dependencies;
  if (hooks === undefined) return [];
  const asked = hooks.beforeTurn({ turn: session.states.openEnds.turns + 1, input }, cancelled);
  const outcome = await untilAborted(asked, cancelled);
  if (outcome?.veto === undefined) return (outcome?.notices ?? []).map((text) => ({ type: 'notice', text }));
  const { rule, reason } = outcome.veto;
  throw new OllmError('POLICY_DENIED', `A hook did not allow the message: ${reason}`, {
    hint: `The rule is ${rule}. The message was not stored and not sent.`,
    data: { rule },
  });
}
