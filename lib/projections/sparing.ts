// A replayer for many lines at once, which nobody asks for a state in between: folds that begin afresh now and then are spared
// all of them, and go over what came since when the others are through (restarts.ts). So it ends with a look at the journal.
import type { Anchor, Damage, JournalLine, JournalReader } from '../journal/types.ts';
import {
  createReplayer,
  type Folds,
  type Replayed,
  type Replayer,
  type ReplayerOptions,
  type StatesOf,
} from './replayer.ts';
import { type RestartSearch, searchesFor } from './restarts.ts';
import { Stretch } from './stretch.ts';

export interface SparingReplayer<Some extends Folds> {
  /** The last line that counts so far. */
  readonly anchor: Anchor | undefined;
  /** Those of folds that are spared stand where they began, until the end. */
  readonly states: StatesOf<Some>;
  pass(line: JournalLine): void;
  seeDamage(damage: Damage): void;
  /** What is still to be gone over behind the last line, one after the other: what came since a fold began afresh. */
  rest(reader: JournalReader): Generator<Stretch, void, void>;
  /** What it came to, once the rest was gone over. */
  end(): Replayed<Some>;
}

export function createSparingReplayer<Some extends Folds>(
  folds: Some,
  options: ReplayerOptions<Some> = {},
): SparingReplayer<Some> {
  return new RestartsSpared(folds, options);
}

/** A class, as the replayer is. */
class RestartsSpared<Some extends Folds> implements SparingReplayer<Some> {
  /** As `Examiner.held`. */
  static readonly held: unknown = new RestartsSpared({}, {});
  readonly #options: ReplayerOptions<Some>;
  readonly #searches: readonly RestartSearch[];
  readonly #read: ReadonlySet<string>;
  readonly #replayer: Replayer<Folds>;
  /** Of the folds that were spared, as far as they were gone over. */
  readonly #laterStates: Record<string, unknown> = {};
  #invalidLater = 0;

  constructor(folds: Some, options: ReplayerOptions<Some>) {
    const { searches, folds: searching } = searchesFor(folds);
    this.#options = options;
    this.#searches = searches;
    this.#read = new Set<string>(Object.values(searching).flatMap(({ reads }) => reads));
    this.#replayer = createReplayer(searching, options);
  }

  get anchor(): Anchor | undefined {
    return this.#replayer.anchor;
  }

  get states(): StatesOf<Some> {
    return this.#replayer.states as StatesOf<Some>;
  }

  pass(line: JournalLine): void {
    this.#replayer.pass(line);
    for (const search of this.#searches) search.look(line);
  }

  seeDamage(damage: Damage): void {
    this.#replayer.seeDamage(damage);
  }

  *rest(reader: JournalReader): Generator<Stretch, void, void> {
    const last = this.anchor?.seq ?? -1;
    // Up to there, whatever was appended since.
    const isPast = ({ seq }: JournalLine) => seq > last;
    for (const search of this.#searches) {
      const later = this.#replayerOf(search);
      yield new Stretch(reader.cursor({ after: later.anchor }), later, { isPast });
      Object.assign(this.#laterStates, later.states);
    }
  }

  end(): Replayed<Some> {
    const { anchor, format, counts } = this.#replayer;
    return {
      states: { ...this.states, ...this.#laterStates },
      anchor,
      format,
      counts: { ...counts, invalid: counts.invalid + this.#invalidLater },
    };
  }

  /** For a fold that was spared so far. What is wrong on the way was told already, unless nobody read it. */
  #replayerOf({ name, fold, anchor }: RestartSearch): Replayer<Folds> {
    const { from, capTokens, onInvalid } = this.#options;
    const { format, counts } = this.#replayer;
    const begun = anchor === undefined && from !== undefined;
    return createReplayer(
      { [name]: fold },
      {
        from: {
          states: { [name]: begun ? from.states[name] : fold.initial() },
          anchor: begun ? from.anchor : anchor,
          format: begun ? from.format : format,
          counts,
        },
        capTokens,
        onInvalid: (event, reason) => {
          if (this.#read.has(event.type)) return;
          this.#invalidLater += 1;
          onInvalid?.(event, reason);
        },
      },
    );
  }
}
