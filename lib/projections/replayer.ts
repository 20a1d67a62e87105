// Moves several folds on by one event after the other, and remembers the line of their states. Data is parsed and
// checked only where a fold reads the type. An event that cannot be applied is counted and is never fatal: an unknown
// type, data that is not as its schema says, a line with a seq that came before.
import { isEventType } from '../events/catalogue.ts';
import { decodeEvent } from '../events/decode.ts';
import { FORMAT, OWN_TYPES } from '../journal/format.ts';
import type { Anchor, StoredEvent } from '../journal/types.ts';
import type { Fold } from './projection.ts';

export type Folds = Readonly<Record<string, Fold<unknown>>>;

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

export interface Replayed<Some extends Folds> {
  readonly states: StatesOf<Some>;
  /** The last line that the states include; undefined before the first event. */
  readonly anchor: Anchor | undefined;
  /** The format that the journal was written in. */
  readonly format: number;
  readonly counts: Readonly<ReplayCounts>;
}

export interface ReplayerOptions<Some extends Folds> {
  /** States to continue from. They are taken over and changed. */
  readonly from?: Replayed<Some> | undefined;
  /** Tokens of the largest window that matters: states forget what it cannot reach. Default: they keep everything. */
  readonly capTokens?: number | undefined;
  /** Called with each event that has data which is not as the schema of its type says. */
  readonly onInvalid?: ((event: StoredEvent, reason: string) => void) | undefined;
}

export interface Replayer<Some extends Folds> extends Replayed<Some> {
  see(event: StoredEvent): void;
  seeDamage(): void;
}

/** How many events pass before states are trimmed again. */
const EVENTS_BETWEEN_TRIMS = 1024;

export function createReplayer<Some extends Folds>(folds: Some, options: ReplayerOptions<Some> = {}): Replayer<Some> {
  return new FoldReplayer(folds, options);
}

class FoldReplayer<Some extends Folds> implements Replayer<Some> {
  readonly states: StatesOf<Some>;
  readonly counts: ReplayCounts;
  anchor: Anchor | undefined;
  format: number;

  readonly #folds: Some;
  readonly #options: ReplayerOptions<Some>;
  readonly #namesByType: ReadonlyMap<string, readonly (keyof Some)[]>;
  /** The names of the folds that see each event. */
  readonly #watchers: readonly (keyof Some)[];

  constructor(folds: Some, options: ReplayerOptions<Some>) {
    const { from } = options;
    this.#folds = folds;
    this.#options = options;
    this.#namesByType = namesByType(folds);
    this.#watchers = Object.keys(folds).filter((name) => folds[name]?.see !== undefined);
    const initial = Object.entries(folds).map(([name, fold]) => [name, from?.states[name] ?? fold.initial()]);
    this.states = Object.fromEntries(initial) as StatesOf<Some>;
    this.counts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0, ...from?.counts };
    this.format = from?.format ?? FORMAT;
    this.anchor = from?.anchor;
  }

  see(event: StoredEvent): void {
    const { counts } = this;
    const { capTokens } = this.#options;
    counts.events += 1;
    if (event.seq <= (this.anchor?.seq ?? -1)) {
      counts.outOfOrder += 1;
      return;
    }
    this.anchor = { seq: event.seq, offset: event.end, xxh64: event.xxh64 };
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

  #apply(stored: StoredEvent, names: readonly (keyof Some)[]): void {
    const decoded = decodeEvent(stored, { format: this.format });
    if (decoded.kind === 'invalid') {
      this.counts.invalid += 1;
      this.#options.onInvalid?.(stored, decoded.reason);
    }
    if (decoded.kind !== 'known') return;
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

function formatOf({ data }: StoredEvent): number {
  return typeof data.format === 'number' ? data.format : FORMAT;
}
