// What the calls of one reply share while they run.

import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';
import type { Lanes } from './lanes.ts';

export interface Round {
  readonly turn: Turn;
  /** Undefined where no tools are offered. */
  readonly tools: TurnTools | undefined;
  /** Tokens of an output that the model is given: less than the settings say where the window is small. */
  readonly maxOutputTokens: number;
  /** Ids of the calls that have their result. */
  readonly finished: Set<string>;
  /** One at a time: the user cannot answer two questions together, and the answer to one may decide on the next. */
  readonly alone: Lanes;
}
