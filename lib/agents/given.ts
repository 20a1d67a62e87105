// What one record gives while a module reads it: events in their order, and content that none of them says.
import type { EventData, EventType } from '../events/index.ts';

/** Bytes of a picture or file that an event names by the sha256 of its content. */
export interface Attachment {
  /** 64 hex digits. */
  readonly blob: string;
  readonly base64: string;
}

/** An event as a record says it. The time and the place of the record are added to it. */
export type AgentEvent = {
  [Type in Exclude<EventType, 'session.created'>]: {
    readonly type: Type;
    readonly data: Omit<EventData<Type>, 'origin' | 'at'> & { at?: string };
    /** The turn that it belongs to, where that is not the one of the record. */
    readonly turn?: number | undefined;
    readonly attachments?: readonly Attachment[] | undefined;
  };
}[Exclude<EventType, 'session.created'>];

/** The memory of a module between two records. */
export interface AgentState {
  /** The number of the last turn, 0 before the first. */
  readonly turn: number;
}

export class Given<State extends AgentState> {
  readonly events: AgentEvent[] = [];
  /** Content that no event says, and that `Agent.said` cannot name: a kind of block, such as `content[audio]`. */
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
