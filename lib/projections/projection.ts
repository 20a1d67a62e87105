// A projection: how a state follows from the events of a session. Pure: no clock, no I/O, no randomness.
// A fold owns its state and may change it in place. A reader of a state must not change it, and must not keep it beyond
// the next event. States are plain JSON, so that they can be saved and continued later.
import type { EventOf, EventType, NoOwnEvents, OwnEvents } from '../events/index.ts';
import type { SessionEvent } from '../journal/types.ts';

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
 * @example
 * interface GardenEvents { 'garden.watered': { litres: number } }
 * const water: Fold<number, 'garden.watered', GardenEvents> = {
 *   name: 'water',
 *   version: 1,
 *   reads: ['garden.watered'],
 *   initial: () => 0,
 *   apply: (litres, { data }) => litres + data.litres,
 * };
 */
export interface Fold<State, Type extends string = EventType, Own extends OwnEvents<Own> = NoOwnEvents> {
  readonly name: string;
  /** Raised when the same events give a different state than before: saved states of another version are rebuilt. */
  readonly version: number;
  /** The event types that it reads. Data of types that no fold of a replay reads is not parsed. */
  readonly reads: readonly Type[];
  initial(): State;
  /** Data of a type of the catalogue is as its schema says; that of another type is as it was appended. */
  apply(state: State, event: EventOf<Type, Own>): State;
  /**
   * Called with each event, of any type, before `apply`: for states that count or date events that they do not read,
   * such as the expiry of a context entry. Its data is parsed at the first use, without a check: avoid reading it if
   * you can.
   */
  see?(state: State, event: Seen): State;
  /** Forgets what no window of `capTokens` can reach, so that the state does not grow with the session. */
  trim?(state: State, capTokens: number): void;
}

/** An event without its data. */
export type Envelope = Pick<SessionEvent, 'seq' | 'ts' | 'type' | 'turn'>;

/** An envelope, and of the data when it happened. */
export type Seen = Envelope & { readonly data: { readonly at?: unknown; readonly origin?: unknown } };
