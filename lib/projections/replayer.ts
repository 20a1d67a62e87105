// Moves several folds on by one event after the other, and remembers on which line their states stand. Data is parsed and
// checked only where a fold reads the type. Whatever cannot be applied is counted, never fatal: an unknown type, data that
// is not what its schema says, a line whose seq was there before.

import { isEventType } from '../events/catalogue.ts';
import { decodeEvent } from '../events/decode.ts';
import { FORMAT, OWN_TYPES } from '../journal/format.ts';
import type { Anchor, Damage, StoredEvent } from '../journal/types.ts';
import type { Fold } from './projection.ts';

export type Folds = Readonly<Record<string, Fold<unknown>>>;

/** The states of these folds, by the same names. */
export type StatesOf<Some extends Folds> = { [Name in keyof Some]: ReturnType<Some[Name]['initial']> };

export interface ReplayCounts {
  /** Events seen, of any type. */
  events: number;
  /** Places that could not be read. */
  damaged: number;
  /** Events of types that this version does not know. */
  unknown: number;
  /** Events whose data is not what their type says. */
  invalid: number;
  /** Events whose seq was not above the one before: a line that is there twice, or a second writer's. */
  outOfOrder: number;
}

export interface Replayed<Some extends Folds> {
  readonly states: StatesOf<Some>;
  /** The line that the states stand on; undefined before the first event. */
  readonly anchor: Anchor | undefined;
  /** The format that the journal was written in. */
  readonly format: number;
  readonly counts: Readonly<ReplayCounts>;
}

export interface ReplayerOptions<Some extends Folds> {
  /** States to go on from. They are taken over and changed. */
  readonly from?: Replayed<Some> | undefined;
  /** Tokens of the largest window that matters: states let go of what it cannot reach. Default: they keep everything. */
  readonly capTokens?: number | undefined;
  /** Told of each event whose data is not what its type says. */
  readonly onInvalid?: ((event: StoredEvent, reason: string) => void) | undefined;
}

export interface Replayer<Some extends Folds> extends Replayed<Some> {
  see(event: StoredEvent): void;
  seeDamage(damage: Damage): void;
}

/** How many events pass before states are trimmed again. */
const EVENTS_BETWEEN_TRIMS = 1024;

export function createReplayer<Some extends Folds>(
  folds: Some,
  { from, capTokens, onInvalid }: ReplayerOptions<Some> = {},
): Replayer<Some> {
  const named = Object.entries(folds);
  const readers = readersByType(named);
  const watchers = named.filter(([, { see }]) => see !== undefined);
  const states: Record<string, unknown> = from?.states ?? initialStates(named);
  const counts: ReplayCounts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0, ...from?.counts };
  let anchor = from?.anchor;
  let format = from?.format ?? FORMAT;

  function apply(event: StoredEvent, interested: readonly [string, Fold<unknown>][]): void {
    const decoded = decodeEvent(event, { format });
    if (decoded.kind === 'invalid') {
      counts.invalid += 1;
      onInvalid?.(event, decoded.reason);
    }
    if (decoded.kind !== 'known') return;
    for (const [name, fold] of interested) states[name] = fold.apply(states[name], decoded.event);
  }

  return {
    states: states as StatesOf<Some>,
    get anchor() {
      return anchor;
    },
    get format() {
      return format;
    },
    counts,
    see(event) {
      counts.events += 1;
      if (anchor !== undefined && event.seq <= anchor.seq) {
        counts.outOfOrder += 1;
        return;
      }
      anchor = { seq: event.seq, offset: event.end, xxh64: event.xxh64 };
      if (event.type === OWN_TYPES.created) format = formatOf(event);
      for (const [name, fold] of watchers) states[name] = fold.see?.(states[name], event);
      const interested = readers.get(event.type);
      if (interested !== undefined) apply(event, interested);
      else if (!isEventType(event.type)) counts.unknown += 1;
      if (capTokens !== undefined && counts.events % EVENTS_BETWEEN_TRIMS === 0) trimStates(folds, states, capTokens);
    },
    seeDamage() {
      counts.damaged += 1;
    },
  };
}

/** Lets each state forget what a window of `capTokens` cannot reach. */
export function trimStates(folds: Folds, states: Readonly<Record<string, unknown>>, capTokens: number): void {
  for (const [name, fold] of Object.entries(folds)) fold.trim?.(states[name], capTokens);
}

function initialStates(named: readonly [string, Fold<unknown>][]): Record<string, unknown> {
  return Object.fromEntries(named.map(([name, fold]) => [name, fold.initial()]));
}

function readersByType(named: readonly [string, Fold<unknown>][]): ReadonlyMap<string, [string, Fold<unknown>][]> {
  const readers = new Map<string, [string, Fold<unknown>][]>();
  for (const entry of named) {
    for (const type of entry[1].reads) readers.set(type, [...(readers.get(type) ?? []), entry]);
  }
  return readers;
}

function formatOf({ data }: StoredEvent): number {
  return typeof data.format === 'number' ? data.format : FORMAT;
}
