// Moves several folds on by one event after the other, and remembers the place of their states. Data is parsed and
// checked only where a fold reads the type. An event that cannot be applied is counted and is never fatal: an unknown
// type, data that is not as its schema says, a line with a seq that came before.
import { isEventType } from '../events/catalogue.ts';
import { decodeEvent } from '../events/decode.ts';
import { FORMAT, OWN_TYPES } from '../journal/format.ts';
import type { Position, SessionEvent } from '../journal/types.ts';
import type { Fold } from './projection.ts';

// biome-ignore lint/suspicious/noExplicitAny: folds of any types of events
export type Folds = Readonly<Record<string, Fold<unknown, any, any>>>;

/** The states of these folds, by the same names. */
export type StatesOf<Some extends Folds> = { [Name in keyof Some]: ReturnType<Some[Name]['initial']> };

export interface ReplayCounts {
  /** Events of any type. */
  events: number;
  /** Places that could not be read. */
  damaged: number;
  /** Events of types that this version does not know. */
  unknown: number;
  /** Events with data that is not as the schema of their type says. */
  invalid: number;
  /** Events with a seq that is not above the one before: a repeated line, or a line of a second writer. */
  outOfOrder: number;
}

export interface Replayed<Some extends Folds, At = Position> {
  readonly states: StatesOf<Some>;
  /** The seq of the last event that the states include; -1 before the first event. */
  readonly lastSeq: number;
  /** The place after that event; undefined before the first event. */
  readonly position: At | undefined;
  /** The format that the journal was written in. */
  readonly format: number;
  readonly counts: Readonly<ReplayCounts>;
}

export interface ReplayerOptions<Some extends Folds, Event extends SessionEvent = SessionEvent> {
  /** States to continue from. They are taken over and changed. */
  readonly from?: Replayed<Some, Event['position']> | undefined;
  /** Tokens of the largest window that matters: states drop older content. Default: they keep everything. */
  readonly capTokens?: number | undefined;
  /** Called with each event that has data which is not as the schema of its type says. */
  readonly onInvalid?: ((event: Event, reason: string) => void) | undefined;
}

export interface Replayer<Some extends Folds, Event extends SessionEvent = SessionEvent>
  extends Replayed<Some, Event['position']> {
  see(event: Event): void;
  seeDamage(): void;
}

/** How many events pass before states are trimmed again. */
const EVENTS_BETWEEN_TRIMS = 1024;

export function createReplayer<Some extends Folds, Event extends SessionEvent = SessionEvent>(
  folds: Some,
  options: ReplayerOptions<Some, Event> = {},
): Replayer<Some, Event> {
  return new FoldReplayer(folds, options);
}

class FoldReplayer<Some extends Folds, Event extends SessionEvent> implements Replayer<Some, Event> {
  readonly states: StatesOf<Some>;
  readonly counts: ReplayCounts;
  format: number;
  lastSeq: number;

  readonly #folds: Some;
  readonly #options: ReplayerOptions<Some, Event>;
  readonly #namesByType: ReadonlyMap<string, readonly (keyof Some)[]>;
  /** The names of the folds that see each event. */
  readonly #watchers: readonly (keyof Some)[];
  #last: Event | undefined;

  constructor(folds: Some, options: ReplayerOptions<Some, Event>) {
    const { from } = options;
    this.#folds = folds;
    this.#options = options;
    this.#namesByType = namesByType(folds);
    this.#watchers = Object.keys(folds).filter((name) => folds[name]?.see !== undefined);
    const initial = Object.entries(folds).map(([name, fold]) => [name, from?.states[name] ?? fold.initial()]);
    this.states = Object.fromEntries(initial) as StatesOf<Some>;
    this.counts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0, ...from?.counts };
    this.format = from?.format ?? FORMAT;
    this.lastSeq = from?.lastSeq ?? -1;
  }

  get position(): Event['position'] | undefined {
    return this.#last?.position ?? this.#options.from?.position;
  }

  see(event: Event): void {
    const { counts } = this;
    const { capTokens } = this.#options;
    counts.events += 1;
    if (event.seq <= this.lastSeq) {
      counts.outOfOrder += 1;
      return;
    }
    this.lastSeq = event.seq;
    this.#last = event;
    if (event.type === OWN_TYPES.created) this.format = formatOf(event);
    const states: Record<keyof Some, unknown> = this.states;
    for (const name of this.#watchers) states[name] = this.#folds[name]!.see!(states[name], event);
    const names = this.#namesByType.get(event.type);
    if (names !== undefined) this.#apply(event, names);
    else if (!isEventType(event.type)) counts.unknown += 1;
    if (capTokens !== undefined && counts.events % EVENTS_BETWEEN_TRIMS === 0) {
      trimStates(this.#folds, this.states, capTokens);
    }
  }

  seeDamage(): void {
    this.counts.damaged += 1;
  }

  #apply(stored: Event, names: readonly (keyof Some)[]): void {
    const decoded = decodeEvent(stored, { format: this.format });
    if (decoded.kind === 'invalid') {
      this.counts.invalid += 1;
      this.#options.onInvalid?.(stored, decoded.reason);
    }
    if (decoded.kind === 'invalid') return;
    const states: Record<keyof Some, unknown> = this.states;
    for (const name of names) states[name] = this.#folds[name]!.apply(states[name], decoded.event);
  }
}

/** Lets each state forget what a window of `capTokens` cannot reach. */
export function trimStates(folds: Folds, states: Readonly<Record<string, unknown>>, capTokens: number): void {
  for (const [name, fold] of Object.entries(folds)) fold.trim?.(states[name], capTokens);
}

/** The names of the folds that read each type. */
function namesByType<Some extends Folds>(folds: Some): ReadonlyMap<string, readonly (keyof Some)[]> {
  const names = new Map<string, string[]>();
  for (const [name, { reads }] of Object.entries(folds)) {
    for (const type of reads) names.set(type, [...(names.get(type) ?? []), name]);
  }
  return names;
}

function formatOf({ data }: SessionEvent): number {
  return typeof data.format === 'number' ? data.format : FORMAT;
}
