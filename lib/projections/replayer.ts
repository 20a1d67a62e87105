// Moves several folds on by one event after the other, and remembers on which line their states stand. Data is parsed and
// checked only where a fold reads the type. Whatever cannot be applied is counted, never fatal: an unknown type, data that
// is not what its schema says, a line whose seq was there before.

import { isEventType } from '../events/catalogue.ts';
import { type Decoded, decodeEvent } from '../events/decode.ts';
import { FORMAT, OWN_TYPES } from '../journal/format.ts';
import { dataWithoutText, type TextPath } from '../journal/partial-data.ts';
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
  /** The events that it sees are good only until the next one. */
  readonly transient?: boolean | undefined;
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
  { from, capTokens, transient = false, onInvalid }: ReplayerOptions<Some> = {},
): Replayer<Some> {
  const named = Object.entries(folds);
  const readers = readersByType(named);
  const watchers = named.filter(([, { see }]) => see !== undefined);
  const states: Record<string, unknown> = from?.states ?? initialStates(named);
  const counts: ReplayCounts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0, ...from?.counts };
  let last: Pick<StoredEvent, 'seq' | 'end' | 'xxh64'> | undefined;
  let lastSeq = from?.anchor?.seq ?? -1;
  let format = from?.format ?? FORMAT;

  function decode(event: StoredEvent, skipped: TextPath | undefined): Decoded {
    const data = skipped && format === FORMAT ? dataWithoutText(event.raw, skipped) : undefined;
    const decoded = decodeEvent(event, { format, data });
    // What is missing may be what was passed over.
    return data && decoded.kind === 'invalid' ? decodeEvent(event, { format }) : decoded;
  }

  function apply(event: StoredEvent, { interested, skipped }: Readers): void {
    const decoded = decode(event, skipped);
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
      return last ? { seq: last.seq, offset: last.end, xxh64: last.xxh64 } : from?.anchor;
    },
    get format() {
      return format;
    },
    counts,
    see(event) {
      counts.events += 1;
      if (event.seq <= lastSeq) {
        counts.outOfOrder += 1;
        return;
      }
      last = transient ? { seq: event.seq, end: event.end, xxh64: event.xxh64 } : event;
      lastSeq = event.seq;
      if (event.type === OWN_TYPES.created) format = formatOf(event);
      for (const [name, fold] of watchers) states[name] = fold.see?.(states[name], event);
      const known = readers.get(event.type);
      if (known !== undefined) apply(event, known);
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

/** The folds that read a type, and what none of them looks at. */
interface Readers {
  readonly interested: readonly [string, Fold<unknown>][];
  readonly skipped: TextPath | undefined;
}

function readersByType(named: readonly [string, Fold<unknown>][]): ReadonlyMap<string, Readers> {
  const types = new Set(named.flatMap(([, { reads }]) => reads));
  return new Map(
    [...types].map((type) => {
      const interested = named.filter(([, { reads }]) => reads.includes(type));
      const [first, ...others] = interested.map(([, { skips }]) => skips?.[type]);
      const skipped = first && others.every((path) => path?.join() === first.join()) ? first : undefined;
      return [type, { interested, skipped }];
    }),
  );
}

function formatOf({ data }: StoredEvent): number {
  return typeof data.format === 'number' ? data.format : FORMAT;
}
