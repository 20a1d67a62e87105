// From a journal to states: all of it, the rest behind saved states, or up to any event of the past. One loop: each
// outcome, and for each event the folds that read its type. Damage is counted and passed over. `replay` blocks until it
// is done; `replayInSlices` lets other work run in between.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../errors/index.ts';
import type { Anchor, Damage, JournalReader, Outcome, StoredEvent } from '../journal/types.ts';
import { createReplayer, type Folds, type Replayed, type Replayer, type ReplayerOptions } from './replayer.ts';

/** A place in the past: the event of this number, or the last one that is not later than a time (RFC 3339). */
export type ReplayPoint = { readonly seq: number } | { readonly time: string };

/** How far a replay goes, and where it starts. */
export interface ReplayOptions<Some extends Folds> extends ReplayerOptions<Some> {
  /** The last event that counts. Default: the last one of the journal. */
  readonly at?: ReplayPoint | undefined;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

/** Bytes that are read before other work may run. */
const SLICE_BYTES = 1024 * 1024;

/**
 * The states after the events of a journal.
 *
 * @example
 * const { states, counts } = replay(reader, { view: viewFold, budget: budgetFold }, { at: { seq: 41 } });
 * @throws OllmError SEQ_NOT_FOUND if the session has no event at this place, USAGE if a time cannot be read
 */
export function replay<Some extends Folds>(
  reader: JournalReader,
  folds: Some,
  options: ReplayOptions<Some> = {},
): Replayed<Some> {
  const run = new Run(folds, options);
  for (const outcome of reader.outcomes({ after: options.from?.anchor })) if (!run.take(outcome)) break;
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
  const run = new Run(folds, options);
  let sliceEnd = SLICE_BYTES;
  for (const outcome of reader.outcomes({ after: options.from?.anchor })) {
    if (!run.take(outcome)) break;
    if (outcome.kind === 'damage' || outcome.event.end < sliceEnd) continue;
    sliceEnd = outcome.event.end + SLICE_BYTES;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return run.end(reader.id);
}

class Run<Some extends Folds> {
  readonly #at: ReplayPoint | undefined;
  readonly #isPast: (event: StoredEvent) => boolean;
  readonly #onDamage: ((damage: Damage) => void) | undefined;
  readonly #replayer: Replayer<Some>;
  /** Whether an event behind the last one that counts was seen. */
  #isBehind = false;

  constructor(folds: Some, { at, onDamage, ...options }: ReplayOptions<Some>) {
    this.#at = at;
    this.#isPast = at === undefined ? () => false : pastOf(at);
    this.#onDamage = onDamage;
    this.#replayer = createReplayer(folds, options);
  }

  /** False where the outcome is behind the last event that counts. */
  take(outcome: Outcome): boolean {
    if (outcome.kind === 'damage') {
      this.#replayer.seeDamage();
      this.#onDamage?.(outcome.damage);
      return true;
    }
    this.#isBehind = this.#isPast(outcome.event);
    if (!this.#isBehind) this.#replayer.see(outcome.event);
    return !this.#isBehind;
  }

  end(id: string): Replayed<Some> {
    const { states, anchor, format, counts } = this.#replayer;
    checkPoint(id, this.#at, anchor, this.#isBehind);
    return { states, anchor, format, counts };
  }
}

function pastOf(at: ReplayPoint): (event: StoredEvent) => boolean {
  if (typeof at !== 'object' || at === null || !('seq' in at || 'time' in at)) {
    throw new OllmError('USAGE', 'A point of a replay has a seq or a time.', {
      hint: 'Write { seq: 41 }, for example.',
    });
  }
  if ('seq' in at) return ({ seq }) => seq > at.seq;
  const ms = Date.parse(at.time);
  if (Number.isNaN(ms)) {
    throw new OllmError('USAGE', `“${at.time}” is no time.`, { hint: 'Write it like 2026-11-21T20:49:00Z.' });
  }
  // Every ts has this form, so that the order of texts is the order of times.
  const last = new Date(ms).toISOString();
  return ({ ts }) => ts > last;
}

/** An event that damage destroyed is a place as well, where later events exist. */
function checkPoint(id: string, at: ReplayPoint | undefined, anchor: Anchor | undefined, isBehind: boolean): void {
  if (at === undefined) return;
  const hint = `"ollm tail ${id}" shows what there is.`;
  if ('time' in at) {
    if (anchor === undefined) throw new OllmError('SEQ_NOT_FOUND', `Session ${id} begins after ${at.time}.`, { hint });
    return;
  }
  const last = anchor?.seq ?? -1;
  if (Number.isInteger(at.seq) && at.seq >= 0 && (isBehind || last === at.seq)) return;
  throw new OllmError('SEQ_NOT_FOUND', `Session ${id} has no event ${at.seq}: its last one is ${last}.`, {
    hint,
    data: { seq: at.seq, last },
  });
}
