// What one record gives while a module reads it: events in their order, and content that none of them says.
import type { AgentEvent } from './agent.ts';

export class Given<State extends { readonly turn: number }> {
  readonly events: AgentEvent[] = [];
  /** See Translation. */
  readonly left: string[] = [];
  readonly state: State;
  readonly #seq: number;

  /** `seq`: what the first event of the record will have. */
  constructor(state: State, seq: number) {
    this.state = state;
    this.#seq = seq;
  }

  /** What the next event will have. */
  get seq(): number {
    return this.#seq + this.events.length;
  }

  /** The event, made for this record alone, belongs to the turn that the state is in now, if any has begun. */
  add(event: AgentEvent): void {
    const { turn } = this.state;
    if (turn !== 0) (event as { turn?: number | undefined }).turn = turn;
    this.events.push(event);
  }
}
