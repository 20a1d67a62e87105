// A turn without a model: one call of a tool, recorded, decided on, limited and shown like a call that a model asked
// for.
import type { Session } from '../session/session.ts';
import { beginTurn } from './begin-turn.ts';
import { endTurn } from './end-turn.ts';
import type { TurnSignal } from './signals.ts';
import { runCalls } from './tools/tool-round.ts';
import { newTurn, type TurnDependencies } from './turn.ts';

interface OneCall {
  /** The user's words, as they are recorded. */
  readonly text: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly show: (signal: TurnSignal) => void;
}

/** Resolves when the call has ended, however it did. @throws what an append throws */
export async function runOneCall(
  session: Session,
  dependencies: TurnDependencies,
  { text, name, args, signal, show }: OneCall,
): Promise<void> {
  await session.exclusively(async () => {
    const turn = newTurn({ session, dependencies, cancelled: signal, show });
    await beginTurn(turn, { text });
    const call = { callId: `typed-${turn.number}`, name, args };
    show({ type: 'tool_call', call });
    await session.append({ type: 'tool.requested', turn: turn.number, data: call });
    await runCalls(turn, [call]);
    await endTurn(turn, { kind: 'end', status: signal.aborted ? 'cancelled' : 'completed' });
  });
}
