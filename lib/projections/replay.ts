// From a journal to states: all of it, a stretch of it, or up to any event of the past. One pass for any number of folds, and
// behind it a short one for each that begins afresh now and then: over what came since. Damage is counted and passed over.
// `replay` blocks until it is done; `replayInSlices` lets other work in between.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../errors/index.ts';
import type { Anchor, Damage, JournalLine, JournalReader } from '../journal/types.ts';
import type { Folds, Replayed, ReplayerOptions } from './replayer.ts';
import { createSparingReplayer } from './sparing.ts';
import { Stretch, type StretchWatch } from './stretch.ts';

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

function begin<Some extends Folds>(folds: Some, { at, onDamage, ...options }: ReplayOptions<Some>): Run<Some> {
  const replayer = createSparingReplayer(folds, options);
  const isPast = at === undefined ? undefined : pastOf(at);
  let reached = at === undefined || 'time' in at;

  const watch: StretchWatch = {
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

  return {
    *stretches(reader) {
      yield new Stretch(reader.cursor({ after: options.from?.anchor }), replayer, watch);
      yield* replayer.rest(reader);
    },
    end(id) {
      checkPoint(id, at, replayer.anchor, reached);
      return replayer.end();
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
function checkPoint(id: string, at: ReplayPoint | undefined, anchor: Anchor | undefined, reached: boolean): void {
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
