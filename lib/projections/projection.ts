// A projection: how a state follows from the events of a journal. Pure: no clock, no I/O, no randomness.
// A fold owns its state and may change it in place; whoever is handed a state may only read it, and only until the
// next event. States are plain JSON, so that they can be saved and taken up again.
import type { EventData, EventType, OllmEventOf } from '../events/index.ts';
import type { DataShape } from '../journal/types.ts';

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
   * What it does not look at, by type: `apply` may find nothing in its place. Where no fold of a replay looks at it, it is not
   * even parsed. Of such events only members may be read that are always there, and nothing of them may be changed.
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

/** A part of an event that a fold does not look at. */
export interface Skip<Data> {
  readonly shape: DataShape;
  /** How many bytes of a text it looks at all the same: it finds as many, or more. Default: none. */
  readonly keptBytes?: number | undefined;
  /** Whether it needs all of it after all, by what is there. Asked where something was left out. */
  unless?(data: Data): boolean;
}

/** For `keptBytes`: the whole text. Such an event lacks nothing; it is only read by its likeness to others. */
export const ALL_BYTES = Number.POSITIVE_INFINITY;

/** Without its output. */
export const FINISHED_CALL: DataShape = {
  integers: ['tokens.count', 'durationMs'],
  strings: ['callId'],
  skipped: 'result.llmContent',
};

/** Without the arguments. */
export const REQUESTED_CALL: DataShape = {
  integers: ['tokens.count'],
  strings: ['callId', 'name', 'at'],
  skipped: 'args',
};

/** Without the text of its first part, or of all of them if they follow one another up to the last. */
export const MESSAGE: DataShape = { integers: ['tokens.count'], strings: ['at'], skipped: 'parts.0.text' };

/** For those who count the tokens of a message alone: its text says how many there are where nobody counted them. */
export const UNLESS_UNCOUNTED: Skip<EventData<'message.added'>> = { shape: MESSAGE, unless: isUncounted };

export function isUncounted({ tokens }: EventData<'message.added'>): boolean {
  return tokens.method === 'unknown';
}

/** An event without its data. Good only during the call: its members are read from the line when they are asked for. */
export interface Envelope {
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly turn?: number | undefined;
}
