// The state that the calls of one reply share while they run.
import type { Lanes } from '../../platform/lanes.ts';
import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';

export interface Round {
  readonly turn: Turn;
  /** Undefined where no tools are offered. */
  readonly tools: TurnTools | undefined;
  /** Tokens of an output that the model is given: less than the settings say where the window is small. */
  readonly maxOutputTokens: number;
  /** Ids of the calls that have their result. */
  readonly finished: Set<string>;
  /** A lane for questions: the user cannot answer two at once, and the answer to the first may decide the next. */
  readonly decisions: Lanes;
}
