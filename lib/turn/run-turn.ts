// A turn: the user's text is stored, the view goes to the model, the answer streams and is stored whole, the
// requested tools run, and the model is asked again until it is done. A turn that was started is always ended, whatever
// happens to the provider, the tools, the disk or the listener.
import { Observable } from 'rxjs';
import { DEFAULT_LOOP_CONFIG, type LoopVerdict } from '../projections/loop.ts';
import type { Session } from '../session/session.ts';
import { beginTurn } from './begin-turn.ts';
import { compactWhenDue, requestWithRoom } from './compaction/make-room.ts';
import { decide, type NextStep, type StepOutcome, stoppedBy } from './decide.ts';
import { endTurn, giveUp } from './end-turn.ts';
import { requireHooks } from './hooks-before-turn.ts';
import { incompleteness } from './incomplete.ts';
import { type RecordOptions, type RequestStep, recordReply } from './request/record-reply.ts';
import { emptyReply, requireFinish } from './request/reply.ts';
import { retrieveOnce } from './retrieve.ts';
import type { TurnSignal } from './signals.ts';
import { takeSteering } from './steer.ts';
import { runCalls } from './tools/tool-round.ts';
import { newTurn, providerError, type Turn, type TurnDependencies } from './turn.ts';
import type { TurnInput } from './turn-input.ts';

export type { AskToGoOn, TurnDependencies } from './turn.ts';
export type { Steer, TurnInput } from './turn-input.ts';

/** How a turn is run. */
export interface TurnOptions {
  /** Cancels the turn: what had arrived is stored, then comes `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The signals of one turn, which runs once for each subscription, after the turns of the session that were started
 * before. Never errors: what goes wrong is the signal `error`. Ends with one of `done`, `error`, `cancelled`, each sent
 * when the journal has it. Unsubscribing cancels; the end is then recorded in the background, and `session.close`
 * waits.
 *
 * @example
 * runTurn(session, { text: 'What is a journal?' }, dependencies).subscribe((signal) => {
 *   if (signal.type === 'delta') process.stdout.write(signal.content);
 * });
 */
export function runTurn(
  session: Session,
  input: TurnInput,
  dependencies: TurnDependencies,
  { signal }: TurnOptions = {},
): Observable<TurnSignal> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const cancelled = signal ? AbortSignal.any([signal, unsubscribed.signal]) : unsubscribed.signal;
    const show = (item: TurnSignal): void => subscriber.next(item);
    session
      .exclusively(() => run(newTurn({ session, dependencies, cancelled, show }), input))
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    return () => unsubscribed.abort();
  });
}

async function run(turn: Turn, input: TurnInput): Promise<void> {
  try {
    await requireHooks(turn, input);
    await beginTurn(turn, input);
    for (;;) {
      const next = await afterStep(turn, await takeStep(turn));
      if (next.kind === 'end') return await endTurn(turn, next);
      await takeSteering(turn);
    }
  } catch (error) {
    await giveUp(turn, error);
  }
}

/** A request to the model, and the tools that the answer asks for. */
async function takeStep(turn: Turn): Promise<StepOutcome> {
  const step: RequestStep = { reply: emptyReply(), isSent: false, requestTokens: 0, isChanting: false };
  const outcome = await answered(turn, step);
  const calls = await recordReply(turn, step, recordingOf(step, outcome));
  if (calls.length > 0) await runCalls(turn, calls, loopOf(turn)?.details);
  // Tools that ran until the user stopped them are followed by no further request.
  return outcome.kind === 'asked-for-tools' && turn.cancelled.aborted ? { kind: 'cancelled' } : outcome;
}

async function answered(turn: Turn, step: RequestStep): Promise<StepOutcome> {
  try {
    await compactWhenDue(turn);
    await retrieveOnce(turn);
    await requestWithRoom(turn, step);
    const { reply, isChanting } = step;
    if (turn.cancelled.aborted && reply.finish === undefined) return { kind: 'cancelled' };
    if (!isChanting) requireFinish(reply);
    turn.incomplete = incompleteness(turn, reply);
    turn.ending = reply.finishWord;
    const calls = isChanting ? 0 : reply.calls.length;
    return calls > 0 ? { kind: 'asked-for-tools', calls } : { kind: 'answered' };
  } catch (error) {
    if (turn.cancelled.aborted) return { kind: 'cancelled' };
    return { kind: 'failed', error: providerError(turn.dependencies, error) };
  }
}

function recordingOf({ reply, isChanting }: RequestStep, outcome: StepOutcome): RecordOptions {
  switch (outcome.kind) {
    case 'answered':
    case 'asked-for-tools':
      return { finish: isChanting ? 'other' : reply.finish, withCalls: !isChanting };
    case 'cancelled':
      return { finish: 'cancelled', withCalls: false };
    case 'failed':
      return { finish: 'failed', withCalls: false };
  }
}

/** The next step, by the user's decision if there is one to make. */
async function afterStep(turn: Turn, outcome: StepOutcome): Promise<Exclude<NextStep, { kind: 'ask' }>> {
  const { steps, stepsAllowed, dependencies } = turn;
  const canAsk = dependencies.askToGoOn !== undefined;
  const { maxSteps = canAsk ? DEFAULT_LOOP_CONFIG.maxTurns : Number.POSITIVE_INFINITY } = dependencies;
  const next = decide(outcome, { steps: steps - stepsAllowed, maxSteps, canAsk, loop: loopOf(turn) });
  return next.kind === 'ask' ? letGoOn(turn, next.limit) : next;
}

/** The repetition that the loop detection sees in the session now. The number of requests is limited by `maxSteps`. */
function loopOf({ session, dependencies }: Turn): LoopVerdict | undefined {
  const { verdict } = session.states.loop;
  return dependencies.stopAtLoop === false || verdict?.pattern === 'turn-limit' ? undefined : verdict;
}

/** Asks the user about a turn of many requests. A yes is stored: from there, requests are counted again. */
async function letGoOn(turn: Turn, limit: LoopVerdict): Promise<Exclude<NextStep, { kind: 'ask' }>> {
  const { session, dependencies, number, cancelled } = turn;
  const asking = dependencies.askToGoOn?.(limit.count, cancelled) ?? Promise.resolve(false);
  const goesOn = await asking.catch((error: unknown) => {
    if (cancelled.aborted) return false;
    throw error;
  });
  if (cancelled.aborted) return { kind: 'end', status: 'cancelled' };
  if (!goesOn) return stoppedBy(limit);
  await session.append({ type: 'loop.detected', turn: number, data: { ...limit, action: 'ask' } });
  turn.stepsAllowed = turn.steps;
  return { kind: 'go-on' };
}
