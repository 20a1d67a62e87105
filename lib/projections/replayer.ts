// Moves several folds on by one event after the other, and remembers on which line their states stand. Data is parsed and
// checked only where a fold reads the type. Whatever cannot be applied is counted, never fatal: an unknown type, data that
// is not what its schema says, a line whose seq was there before.

import { isEventType } from '../events/catalogue.ts';
import { decodeEvent } from '../events/decode.ts';
import type { OllmEvent } from '../events/index.ts';
import { FORMAT, OWN_TYPES } from '../journal/format.ts';
import { toHex } from '../journal/line/checksum.ts';
import { formOf } from '../journal/line/data-form.ts';
import { lineOf } from '../journal/reading/cursor.ts';
import type { Anchor, Damage, DataForm, DataShape, JournalLine, JsonObject, StoredEvent } from '../journal/types.ts';
import type { Fold, Skip } from './projection.ts';

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
  /** The same for a line, of which no event is made unless a fold reads its type. */
  pass(line: JournalLine): void;
  seeDamage(damage: Damage): void;
}

/** Of one type. */
const MAX_FORMS = 8;
/** In one replay, and for one type: lines that are not like any form after so many are not like each other. */
const MAX_TRIES = 64;

/**
 * What lines were found to be like, by shape and type: in one journal as in another. They are held for good: see also
 * `Examiner.held`.
 */
const formsByShape = new WeakMap<DataShape, Map<string, DataForm[]>>();

/** How many events pass before states are trimmed again. */
const EVENTS_BETWEEN_TRIMS = 1024;

export function createReplayer<Some extends Folds>(folds: Some, options: ReplayerOptions<Some> = {}): Replayer<Some> {
  return new FoldReplayer(folds, options);
}

/** A class, because what V8 made of a function goes with the last of its closures, and each replay would begin anew. */
class FoldReplayer<Some extends Folds> implements Replayer<Some> {
  /** As `Examiner.held`. */
  static readonly held: unknown = new FoldReplayer({}, {});
  readonly states: StatesOf<Some>;
  readonly counts: ReplayCounts;
  format: number;

  readonly #capTokens: number | undefined;
  readonly #onInvalid: ReplayerOptions<Some>['onInvalid'];
  /** What it went on from. */
  readonly #anchor: Anchor | undefined;
  readonly #all: readonly FoldState[];
  readonly #readers: ReadonlyMap<string, Readers>;
  readonly #watchers: readonly FoldState[];
  #lastSeq: number;
  #lastEnd = 0;
  #lastHash: bigint | undefined;

  constructor(folds: Some, { from, capTokens, onInvalid }: ReplayerOptions<Some>) {
    this.#capTokens = capTokens;
    this.#onInvalid = onInvalid;
    this.#anchor = from?.anchor;
    this.#all = Object.entries(folds).map(([name, fold]) => new FoldState(name, fold, from?.states[name]));
    this.#readers = readersByType(this.#all);
    this.#watchers = this.#all.filter(({ fold }) => fold.see !== undefined);
    this.states = statesOf(this.#all) as StatesOf<Some>;
    this.counts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0, ...from?.counts };
    this.format = from?.format ?? FORMAT;
    this.#lastSeq = from?.anchor?.seq ?? -1;
  }

  get anchor(): Anchor | undefined {
    if (this.#lastHash === undefined) return this.#anchor;
    return { seq: this.#lastSeq, offset: this.#lastEnd, xxh64: toHex(this.#lastHash) };
  }

  see(event: StoredEvent): void {
    this.pass(lineOf(event));
  }

  pass(line: JournalLine): void {
    const { counts } = this;
    counts.events += 1;
    const { seq, type } = line;
    if (seq <= this.#lastSeq) {
      counts.outOfOrder += 1;
      return;
    }
    this.#lastSeq = seq;
    this.#lastEnd = line.end;
    this.#lastHash = line.hash;
    const isFirst = type === OWN_TYPES.created;
    // Read here and by folds: parsed once.
    const read = isFirst ? lineOf(line.event()) : line;
    if (isFirst) this.format = formatOf(read.event());
    for (const watcher of this.#watchers) watcher.state = watcher.fold.see?.(watcher.state, line);
    const known = this.#readers.get(type);
    if (known !== undefined) this.#apply(read, known);
    else if (!isEventType(type)) counts.unknown += 1;
    const capTokens = this.#capTokens;
    if (capTokens !== undefined && counts.events % EVENTS_BETWEEN_TRIMS === 0) {
      for (const { fold, state } of this.#all) fold.trim?.(state, capTokens);
    }
  }

  seeDamage(): void {
    this.counts.damaged += 1;
  }

  #apply(line: JournalLine, { interested, skip }: Readers): void {
    const event = skip !== undefined && this.format === FORMAT ? this.#readLike(line, skip) : this.#readWhole(line);
    if (event === undefined) return;
    for (const each of interested) each.state = each.fold.apply(each.state, event);
  }

  /** What no fold looks at may be left out. */
  #readLike(line: JournalLine, skip: CommonSkip): OllmEvent | undefined {
    for (const form of skip.forms) {
      const data = line.dataLike(form, skip.keptBytes) as OllmEvent['data'] | undefined;
      if (data === undefined) continue;
      const isEnough = form.isWhole || !skip.unless.some((doubts) => doubts(data));
      return isEnough ? partOf(line, data) : this.#readWhole(line);
    }
    const event = this.#readWhole(line);
    if (event !== undefined) learn(skip, event);
    return event;
  }

  #readWhole(line: JournalLine): OllmEvent | undefined {
    const stored = line.event();
    const decoded = decodeEvent(stored, { format: this.format });
    if (decoded.kind === 'invalid') {
      this.counts.invalid += 1;
      this.#onInvalid?.(stored, decoded.reason);
    }
    return decoded.kind === 'known' ? decoded.event : undefined;
  }
}

/** Lets each state forget what a window of `capTokens` cannot reach. */
export function trimStates(folds: Folds, states: Readonly<Record<string, unknown>>, capTokens: number): void {
  for (const [name, fold] of Object.entries(folds)) fold.trim?.(states[name], capTokens);
}

/** A fold, and how far it came. Of a class of its own, so that code which writes it does not depend on the names of states. */
class FoldState {
  /** As `Examiner.held`. */
  static readonly held: unknown = new FoldState('', undefined as never, {});
  readonly name: string;
  readonly fold: Fold<unknown>;
  state: unknown;

  constructor(name: string, fold: Fold<unknown>, state: unknown = fold.initial()) {
    this.name = name;
    this.fold = fold;
    this.state = state;
  }
}

/** The states under their names, always as they are. */
function statesOf(all: readonly FoldState[]): object {
  const properties = all.map((each) => [each.name, { enumerable: true, get: () => each.state }] as const);
  return Object.defineProperties({}, Object.fromEntries(properties));
}

/** The folds that read a type, and what none of them looks at. */
interface Readers {
  readonly interested: readonly FoldState[];
  readonly skip: CommonSkip | undefined;
}

interface CommonSkip {
  readonly shape: DataShape;
  readonly keptBytes: number;
  readonly unless: readonly ((data: OllmEvent['data']) => boolean)[];
  /** What lines of this type were found to be like: the newest last. */
  readonly forms: DataForm[];
  triesLeft: number;
}

function readersByType(all: readonly FoldState[]): ReadonlyMap<string, Readers> {
  const types = new Set(all.flatMap(({ fold }) => fold.reads));
  return new Map(
    [...types].map((type) => {
      const interested = all.filter(({ fold }) => fold.reads.includes(type));
      const skips = interested.map(({ fold }) => fold.skips?.[type]);
      return [type, { interested, skip: commonSkip(type, skips) }];
    }),
  );
}

function commonSkip(type: string, skips: readonly (Skip<OllmEvent['data']> | undefined)[]): CommonSkip | undefined {
  const shape = skips[0]?.shape;
  if (shape === undefined || skips.some((skip) => skip?.shape !== shape)) return undefined;
  return {
    shape,
    keptBytes: Math.max(...skips.map((skip) => skip?.keptBytes ?? 0)),
    unless: skips.flatMap((skip) => skip?.unless ?? []),
    forms: formsOf(type, shape),
    triesLeft: MAX_TRIES,
  };
}

function formsOf(type: string, shape: DataShape): DataForm[] {
  const byType = formsByShape.get(shape) ?? new Map<string, DataForm[]>();
  formsByShape.set(shape, byType);
  const forms = byType.get(type) ?? [];
  byType.set(type, forms);
  return forms;
}

function partOf({ type, seq, ts, turn }: JournalLine, data: OllmEvent['data']): OllmEvent {
  return { type, seq, ts, turn, data } as unknown as OllmEvent;
}

/** The next lines may be like this one. */
function learn(skip: CommonSkip, { data }: OllmEvent): void {
  if (skip.triesLeft === 0) return;
  skip.triesLeft -= 1;
  const form = formOf(data as JsonObject, skip.shape);
  if (form === undefined) return;
  if (skip.forms.length === MAX_FORMS) skip.forms.shift();
  skip.forms.push(form);
}

function formatOf({ data }: StoredEvent): number {
  return typeof data.format === 'number' ? data.format : FORMAT;
}
