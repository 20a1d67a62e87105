// What a turn does next. Pure: takes how far the turn is and what just happened, returns the next step; run-turn.ts
// carries it out.
import { OllmError } from '../errors/index.ts';
import type { LoopVerdict } from '../projections/loop.ts';
import type { TurnStatus } from './signals.ts';

/** How a model request went. */
export type StepOutcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'asked-for-tools'; readonly calls: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: OllmError };

interface TurnProgress {
  /** Model requests since the user last said something, or last let the model continue. */
  readonly steps: number;
  readonly maxSteps: number;
  /** Whether the user can be asked to let the model continue. */
  readonly canAsk: boolean;
  /** The verdict of the loop detection on the session as it is now, including results of the last calls. */
  readonly loop: LoopVerdict | undefined;
}

export type NextStep =
  | { readonly kind: 'go-on' }
  /** The user decides whether the turn continues. */
  | { readonly kind: 'ask'; readonly limit: LoopVerdict }
  /** `loop` is stored before the end; `error` is for the user. */
  | {
      readonly kind: 'end';
      readonly status: TurnStatus;
      readonly error?: OllmError | undefined;
      readonly loop?: LoopVerdict | undefined;
    };

export function decide(outcome: StepOutcome, progress: TurnProgress): NextStep {
  if (outcome.kind === 'cancelled') return { kind: 'end', status: 'cancelled' };
  if (outcome.kind === 'failed') return { kind: 'end', status: 'failed', error: outcome.error };
  if (progress.loop) return stoppedBy(progress.loop);
  if (outcome.kind === 'answered') return { kind: 'end', status: 'completed' };
  const limit = tooManySteps(progress);
  if (limit === undefined) return { kind: 'go-on' };
  return progress.canAsk ? { kind: 'ask', limit } : stoppedBy(limit);
}

/** The end of a turn that repeats itself, or that the user does not let continue. */
export function stoppedBy(loop: LoopVerdict): NextStep & { readonly kind: 'end' } {
  return { kind: 'end', status: 'loop', loop, error: loopError(loop) };
}

function tooManySteps({ steps, maxSteps }: TurnProgress): LoopVerdict | undefined {
  if (steps < maxSteps) return undefined;
  return {
    pattern: 'turn-limit',
    details: `The model was asked ${steps} times since the last message of the user, and wants more.`,
    count: steps,
    threshold: maxSteps,
  };
}

function loopError(loop: LoopVerdict): OllmError {
  return new OllmError('LOOP_DETECTED', `The turn was stopped: ${loop.details}`, {
    hint: 'Say “go on” to let the model continue, or say in other words what you want. services.loopDetection sets the limits of the guard.',
    data: { pattern: loop.pattern, count: loop.count, threshold: loop.threshold },
  });
}
