// From a journal to states: all of it, a stretch of it, or up to any event of the past. One pass for any number of folds, and
// behind it a short one for each that begins afresh now and then: over what came since. Damage is counted and passed over.
// `replay` blocks until it is done; `replayInSlices` lets other work in between.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../errors/index.ts';
import { cursorOver } from '../journal/reading/cursor.ts';
import type { Damage, JournalCursor, JournalLine, JournalReader } from '../journal/types.ts';
import {
  createReplayer,
  type Folds,
  type Replayed,
  type Replayer,
  type ReplayerOptions,
  type StatesOf,
} from './replayer.ts';
import { type RestartSearch, searchesFor } from './restarts.ts';

/** A place in the past: the event of this number, or the last one that is not later than a time (RFC 3339). */
export type ReplayPoint = { readonly seq: number } | { readonly time: string };

/** How far a replay goes, and where it starts. */
export interface ReplayOptions<Some extends Folds> extends ReplayerOptions<Some> {
  /** The last event that counts. Default: the last that there is. */
  readonly at?: ReplayPoint | undefined;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

/** What is read before other work is let in. */
const SLICE_BYTES = 1024 * 1024;

/**
 * States after the events of a journal.
 *
 * @example
 * const { states, counts } = replay(reader, { view: viewFold, budget: budgetFold }, { at: { seq: 41 } });
 * @throws OllmError SEQ_NOT_FOUND if the session has no event at this place, USAGE if a time is none
 */
export function replay<Some extends Folds>(
  reader: JournalReader,
  folds: Some,
  options: ReplayOptions<Some> = {},
): Replayed<Some> {
  const run = begin(folds, options);
  for (const stretch of run.stretches(reader)) {
    for (let sliceEnd = SLICE_BYTES; stretch.takeUntil(sliceEnd); sliceEnd = stretch.cursor.line.end + SLICE_BYTES);
  }
  return run.end(reader.id);
}

/**
 * The same, for long journals in a program that has to answer meanwhile. `signal` ends it with its reason.
 *
 * @example
 * const { states } = await replayInSlices(reader, { session: sessionFold }, { signal });
 */
export async function replayInSlices<Some extends Folds>(
  reader: JournalReader,
  folds: Some,
  { signal, ...options }: ReplayOptions<Some> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Replayed<Some>> {
  signal?.throwIfAborted();
  const run = begin(folds, options);
  for (const stretch of run.stretches(reader)) {
    for (let sliceEnd = SLICE_BYTES; stretch.takeUntil(sliceEnd); sliceEnd = stretch.cursor.line.end + SLICE_BYTES) {
      await setImmediate();
      signal?.throwIfAborted();
    }
  }
  return run.end(reader.id);
}

interface Run<Some extends Folds> {
  /** What is to be gone over, one after the other: the journal, and then what came since a fold began afresh. */
  stretches(reader: JournalReader): Generator<Stretch, void, void>;
  end(id: string): Replayed<Some>;
}

/** A class, as the replayer is. */
class Stretch {
  /** As `Examiner.held`. */
  static readonly held: unknown = new Stretch(cursorOver([].values()), createReplayer({}), { searches: [] });
  readonly cursor: JournalCursor;
  readonly #replayer: Replayer<Folds>;
  readonly #watch: StretchWatch;

  constructor(cursor: JournalCursor, replayer: Replayer<Folds>, watch: StretchWatch) {
    this.cursor = cursor;
    this.#replayer = replayer;
    this.#watch = watch;
  }

  /** Takes what comes up to a line that ends there or behind. False when there is nothing more to take. */
  takeUntil(offset: number): boolean {
    const { cursor } = this;
    const { isPast, seeDamage, searches } = this.#watch;
    for (let found = cursor.next(); found !== 'end'; found = cursor.next()) {
      if (found === 'damage') {
        seeDamage?.(cursor.damage);
        continue;
      }
      const { line } = cursor;
      if (isPast?.(line)) return false;
      this.#replayer.pass(line);
      for (const search of searches) search.look(line);
      if (line.end >= offset) return true;
    }
    return false;
  }
}

/** What else becomes of the lines of a stretch. */
interface StretchWatch {
  /** Whether a line comes behind the last one that counts. */
  readonly isPast?: ((line: JournalLine) => boolean) | undefined;
  readonly seeDamage?: (damage: Damage) => void;
  readonly searches: readonly RestartSearch[];
}

function begin<Some extends Folds>(folds: Some, { at, onDamage, ...options }: ReplayOptions<Some>): Run<Some> {
  const { searches, folds: searching } = searchesFor(folds);
  const replayer = createReplayer(searching, options);
  const isPast = at === undefined ? undefined : pastOf(at);
  let reached = at === undefined || 'time' in at;
  const states: Record<string, unknown> = {};
  let invalidLater = 0;

  const watch: StretchWatch = {
    searches,
    isPast:
      isPast &&
      ((line) => {
        const isBehind = isPast(line);
        reached ||= isBehind;
        return isBehind;
      }),
    seeDamage(damage) {
      replayer.seeDamage(damage);
      onDamage?.(damage);
    },
  };

  /** For a fold that was spared so far. What is wrong on the way was told already, unless nobody read it. */
  function replayerOf({ name, fold, anchor }: RestartSearch): Replayer<Folds> {
    const read = new Set<string>(Object.values(searching).flatMap(({ reads }) => reads));
    const { from, capTokens, onInvalid } = options;
    const { format } = replayer;
    const counts = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0 };
    const afresh = { states: { [name]: fold.initial() }, anchor, format, counts };
    return createReplayer(
      { [name]: fold },
      {
        from: anchor !== undefined || from === undefined ? afresh : { ...from, states: { [name]: from.states[name] } },
        capTokens,
        onInvalid(event, reason) {
          if (read.has(event.type)) return;
          invalidLater += 1;
          onInvalid?.(event, reason);
        },
      },
    );
  }

  return {
    *stretches(reader) {
      yield new Stretch(reader.cursor({ after: options.from?.anchor }), replayer, watch);
      const last = replayer.anchor?.seq ?? -1;
      for (const search of searches) {
        const later = replayerOf(search);
        // Up to there, whatever was appended since.
        const isLater = ({ seq }: JournalLine) => seq > last;
        yield new Stretch(reader.cursor({ after: later.anchor }), later, { isPast: isLater, searches: [] });
        Object.assign(states, later.states);
      }
    },
    end(id) {
      checkPoint(id, at, replayer, reached);
      const { anchor, format, counts } = replayer;
      return {
        states: { ...replayer.states, ...states } as StatesOf<Some>,
        anchor,
        format,
        counts: { ...counts, invalid: counts.invalid + invalidLater },
      };
    },
  };
}

function pastOf(at: ReplayPoint): (line: JournalLine) => boolean {
  if ('seq' in at) return ({ seq }) => seq > at.seq;
  const ms = Date.parse(at.time);
  if (Number.isNaN(ms)) {
    throw new OllmError('USAGE', `“${at.time}” is no time.`, { hint: 'Write it like 2026-11-21T20:49:00Z.' });
  }
  // Every ts has this very form, so that text order is time order.
  const last = new Date(ms).toISOString();
  return ({ ts }) => ts > last;
}

/** An event that was lost to damage is a place all the same: what came after it is there. */
function checkPoint(id: string, at: ReplayPoint | undefined, { anchor }: Replayer<Folds>, reached: boolean): void {
  if (at === undefined) return;
  const hint = `"ollm tail ${id}" shows what there is.`;
  if ('time' in at) {
    if (anchor === undefined) throw new OllmError('SEQ_NOT_FOUND', `Session ${id} begins after ${at.time}.`, { hint });
    return;
  }
  const last = anchor?.seq ?? -1;
  if (Number.isInteger(at.seq) && at.seq >= 0 && (reached || last === at.seq)) return;
  throw new OllmError('SEQ_NOT_FOUND', `Session ${id} has no event ${at.seq}: its last one is ${last}.`, {
    hint,
    data: { seq: at.seq, last },
  });
}
