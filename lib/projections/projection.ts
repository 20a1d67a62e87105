// A projection: how a state follows from the events of a journal. Pure: no clock, no I/O, no randomness.
// A fold owns its state and may change it in place; whoever is handed a state may only read it, and only until the
// next event. States are plain JSON, so that they can be saved and taken up again.
import type { EventData, EventType, OllmEventOf } from '../events/index.ts';
import { longText } from '../journal/partial-data.ts';
import type { LongText } from '../journal/types.ts';

/**
 * How one state follows from the events. Hand it to `replay` or `project`.
 *
 * @example
 * const turns: Fold<number, 'turn.started'> = {
 *   name: 'turns',
 *   version: 1,
 *   reads: ['turn.started'],
 *   initial: () => 0,
 *   apply: (count) => count + 1,
 * };
 */
export interface Fold<State, Type extends EventType = EventType> {
  readonly name: string;
  /** Raised when the same events give another state than before: states on disk with another version are rebuilt. */
  readonly version: number;
  /** The event types it reads; the data of the others is not even parsed. */
  readonly reads: readonly Type[];
  /**
   * A text that it does not look at, by type: `apply` may find it empty. Where no fold of a replay looks at it, it is not
   * even parsed. Of such events only members may be read that are always there.
   */
  readonly skips?: { readonly [Skipped in Type]?: Skip<OllmEventOf<Skipped>['data']> };
  /**
   * Where it begins afresh: behind such an event its state is `initial()`, whatever came before. A replay applies only what
   * came behind the last of them, and of all before it reads no more than it takes to find it.
   */
  readonly restarts?: Restarts<Type>;
  initial(): State;
  apply(state: State, event: OllmEventOf<Type>): State;
  /** Called for each event, of any type, before `apply`: its envelope alone. For states that count or date. */
  see?(state: State, envelope: Envelope): State;
  /** Forgets what no window of `capTokens` can reach, so that the state does not grow with the session. */
  trim?(state: State, capTokens: number): void;
}

/** The events behind which a fold begins afresh. */
export interface Restarts<Type extends EventType> extends Pick<Fold<unknown, Type>, 'skips'> {
  /** Their types. */
  readonly among: readonly Type[];
  /** Whether this one is such an event. */
  at(event: OllmEventOf<Type>): boolean;
}

/** A text that a fold does not look at. */
export interface Skip<Data> {
  readonly text: LongText;
  /** Whether it does look at it after all, by the rest of the data. */
  unless?(data: Data): boolean;
}

export const TOOL_OUTPUT: LongText = longText('result', '{"llmContent":"', '"}');
/** Of a message: its first part, or all of them if they follow one another up to the end of the last. */
export const MESSAGE_TEXT: LongText = longText('parts', '[{"type":"text","text":"', '"}]');

/** For those who count the tokens of a message alone: its text says how many there are where nobody counted them. */
export const UNLESS_UNCOUNTED: Skip<EventData<'message.added'>> = {
  text: MESSAGE_TEXT,
  unless: ({ tokens }) => tokens.method === 'unknown',
};

/** An event without its data. Good only during the call: its members are read from the line when they are asked for. */
export interface Envelope {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn?: number | undefined;
}
