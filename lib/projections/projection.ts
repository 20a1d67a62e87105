// A projection: how a state follows from the events of a journal. Pure: no clock, no I/O, no randomness.
// A fold owns its state and may change it in place; whoever is handed a state may only read it.
import type { OllmEvent } from '../events/index.ts';

export interface Fold<State> {
  readonly name: string;
  /** Raised when the same events give another state than before: states on disk with another version are rebuilt. */
  readonly version: number;
  /** The event types it reads; the data of the others is not even parsed. */
  readonly reads: readonly OllmEvent['type'][];
  initial(): State;
  apply(state: State, event: OllmEvent): State;
  /** Called for each event, of any type: its envelope alone. For states that count or date. */
  see?(state: State, envelope: Envelope): State;
}

export interface Envelope {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn?: number | undefined;
}
