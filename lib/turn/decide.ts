// What a turn does next. Pure: how far it is and what just happened in, the next step out. run-turn.ts carries it out.
import { OllmError } from '../errors/index.ts';
import type { LoopVerdict } from '../projections/loop.ts';
import type { TurnStatus } from './signals.ts';

/** How a model request went. */
export type StepOutcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'asked-for-tools'; readonly calls: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: OllmError };

export interface TurnProgress {
  /** Model requests made so far in this turn. */
  readonly steps: number;
  readonly maxSteps: number;
  /** What the loop detection says of the session as it now is, results of the last calls included. */
  readonly loop: LoopVerdict | undefined;
}

export type NextStep =
  | { readonly kind: 'go-on' }
  /** `loop` is to be stored before the end; `error` is what the user is told. */
  | {
      readonly kind: 'end';
      readonly status: TurnStatus;
      readonly error?: OllmError | undefined;
      readonly loop?: LoopVerdict | undefined;
    };

export function decide(outcome: StepOutcome, progress: TurnProgress): NextStep {
  if (outcome.kind === 'cancelled') return { kind: 'end', status: 'cancelled' };
  if (outcome.kind === 'failed') return { kind: 'end', status: 'failed', error: outcome.error };
  const loop = progress.loop ?? (outcome.kind === 'asked-for-tools' ? tooManySteps(progress) : undefined);
  if (loop) return { kind: 'end', status: 'loop', loop, error: loopError(loop) };
  if (outcome.kind === 'asked-for-tools') return { kind: 'go-on' };
  return { kind: 'end', status: 'completed' };
}

function tooManySteps({ steps, maxSteps }: TurnProgress): LoopVerdict | undefined {
  if (steps < maxSteps) return undefined;
  return {
    pattern: 'turn-limit',
    details: `The model was asked ${steps} times in one turn and still wants more.`,
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
