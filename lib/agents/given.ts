// What one record gives while a module reads it: events in their order, and content that none of them says.
import type { AgentEvent } from './agent.ts';

export class Given<State extends { readonly turn: number }> {
  readonly events: AgentEvent[] = [];
  /** See Translation. */
  readonly left: string[] = [];
  readonly state: State;
  readonly #seq: number;

  /** `seq`: that of the record's first event. */
  constructor(state: State, seq: number) {
    this.state = state;
    this.#seq = seq;
  }

  /** The seq of the next event. */
  get seq(): number {
    return this.#seq + this.events.length;
  }

  /** Assigns an event to the current turn of the state, if a turn has begun. The event is changed in place. */
  add(event: AgentEvent): void {
    const { turn } = this.state;
    if (turn !== 0) (event as { turn?: number | undefined }).turn = turn;
    this.events.push(event);
  }
}
