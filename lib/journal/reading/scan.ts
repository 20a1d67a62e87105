// Every reading of a journal over an open file, forwards and backwards: outcomes in order, up to the end as it was when
// the reading began. Synchronous, and in memory that is bounded by the longest line. Opens nothing, takes no lock.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { readLine } from '../line/codec.ts';
import type { Anchor, Outcome, StoredEvent } from '../types.ts';
import { chainDamage, Examiner, partsOf } from './examine.ts';
import { BackwardLines, ForwardLines } from './lines.ts';
import { BEGINNING, Chain, type HolePart, type Tip } from './recovery.ts';

/** What reading needs of an open file. */
export type JournalSource = Pick<FileHandle, 'read' | 'stat'>;

export interface ForwardOptions {
  readonly after?: Anchor | undefined;
  readonly transient?: boolean | undefined;
  /** Says whether an incomplete last line is in flight. */
  readonly isBeingWritten: () => boolean;
}

/** A reading from an anchor, or from the beginning, to the end as it is when it begins. */
export class ForwardReading {
  readonly lines: ForwardLines;
  readonly examiner: Examiner;
  readonly size: number;
  readonly #source: JournalSource;
  readonly #options: ForwardOptions;

  constructor(source: JournalSource, options: ForwardOptions) {
    const { after, transient = false } = options;
    this.size = source.stat().size;
    this.lines = new ForwardLines(source, after?.offset ?? 0, this.size, { reuse: transient });
    this.examiner = new Examiner(after);
    this.#source = source;
    this.#options = options;
  }

  /**
   * What the next line is: an event, damage, or several of both. Empty inside of a long bad line, undefined at the end.
   */
  next(): readonly Outcome[] | undefined {
    const { lines, examiner } = this;
    const step = lines.step();
    if (step === 'end') return undefined;
    if (step === 'passing') return [];
    const { after, isBeingWritten } = this.#options;
    if (!lines.terminated && isInFlight(this.#source, this.size, isBeingWritten)) return undefined;
    return examiner.examine(lines, step, after ? 0 : lines.count);
  }
}

/** Every outcome of such a reading. */
export function* readForwards(source: JournalSource, options: ForwardOptions): Generator<Outcome, void, void> {
  const reading = new ForwardReading(source, options);
  for (let outcomes = reading.next(); outcomes !== undefined; outcomes = reading.next()) {
    for (const outcome of outcomes) yield outcome;
  }
}

/** The same with a pause, `undefined`, after each chunk of a line that is too long to hold. */
export function* readForwardsInSteps(
  source: JournalSource,
  options: ForwardOptions,
): Generator<Outcome | undefined, void, void> {
  const reading = new ForwardReading(source, options);
  for (let outcomes = reading.next(); outcomes !== undefined; outcomes = reading.next()) {
    if (outcomes.length === 0) yield undefined;
    for (const outcome of outcomes) yield outcome;
  }
}

/** Enough for nearly every first line. */
const FIRST_CHUNK_BYTES = 4096;

/** The first line, if it holds. */
export function readFirst(source: JournalSource): StoredEvent | undefined {
  const lines = new ForwardLines(source, 0, source.stat().size, { chunkBytes: FIRST_CHUNK_BYTES });
  return lines.next() === 'line' ? readLine(lines) : undefined;
}

/** Every outcome from the end to the beginning. */
export function* readBackwards(source: JournalSource, isBeingWritten: () => boolean): Generator<Outcome, void, void> {
  for (const outcome of readBackwardsInSteps(source, isBeingWritten)) if (outcome !== undefined) yield outcome;
}

/** The same with a pause, `undefined`, after each chunk of a line that is too long to hold. */
export function* readBackwardsInSteps(
  source: JournalSource,
  isBeingWritten: () => boolean,
): Generator<Outcome | undefined, void, void> {
  const size = source.stat().size;
  const lines = new BackwardLines(source, size);
  let newer: StoredEvent | undefined;
  let holes: HolePart[] = [];
  /** What is wrong between two neighbours, seen from the newer one. */
  const link = (tip: Tip): Outcome[] => {
    if (!newer) return [];
    const chain = new Chain(tip);
    for (const hole of holes.reverse()) chain.addHole(hole);
    const verdict = chain.add(newer);
    return verdict === 'holds' ? [] : [chainDamage(verdict, newer, tip, 0)];
  };

  for (let step = lines.step(); step !== 'end'; step = lines.step()) {
    if (step === 'passing') {
      yield undefined;
      continue;
    }
    if (!lines.terminated && isInFlight(source, size, isBeingWritten)) continue;
    for (const part of partsOf(lines, step).reverse()) {
      if (part.kind === 'damage') yield { kind: 'damage', damage: { ...part.damage, line: 0 } };
      else if (part.kind === 'hole') holes.push(part);
      else {
        yield* link(part.event);
        yield part;
        newer = part.event;
        holes = [];
      }
    }
  }
  yield* link(BEGINNING);
}

/**
 * Whether bytes after the last LF are a line that a writer is in the middle of, or was when the reading began: then the
 * size has changed since, because the line was ended or taken back.
 */
export function isInFlight(source: JournalSource, sizeAtStart: number, isBeingWritten: () => boolean): boolean {
  return isBeingWritten() || source.stat().size !== sizeAtStart;
}

/** Whether a line ends at the anchor's offset with its seq and checksum. */
export function anchorHolds(source: JournalSource, anchor: Anchor): boolean {
  const event = lineBefore(source, anchor.offset);
  return event !== undefined && event.seq === anchor.seq && event.xxh64 === anchor.xxh64;
}

/** What is read at first where one line is wanted: nearly every line is shorter. */
const ONE_LINE_BYTES = 2 * 1024;

/** The event of the line that ends at this offset; undefined if none does. */
export function lineBefore(source: JournalSource, offset: number): StoredEvent | undefined {
  if (!Number.isSafeInteger(offset) || offset <= 0 || offset > source.stat().size) return undefined;
  const lines = new BackwardLines(source, offset, { chunkBytes: ONE_LINE_BYTES });
  if (lines.next() !== 'line' || !lines.terminated) return undefined;
  const parts = partsOf(lines, 'line');
  return parts.length === 1 && parts[0]?.kind === 'event' ? parts[0].event : undefined;
}

const MAX_OUTCOMES = 256;
const MAX_BYTES = 256 * 1024;

/**
 * Cuts outcomes into batches. One that is longer than a batch may be is a batch of its own. A pause ends a batch, which
 * may then be empty.
 */
export function* inBatches(outcomes: Iterable<Outcome | undefined>): Generator<Outcome[], void, void> {
  let batch: Outcome[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    if (outcome === undefined) {
      yield batch;
      batch = [];
      bytes = 0;
      continue;
    }
    const length = lengthOf(outcome);
    if (batch.length === MAX_OUTCOMES || (batch.length > 0 && bytes + length > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(outcome);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}

function lengthOf(outcome: Outcome): number {
  return outcome.kind === 'event' ? outcome.event.end - outcome.event.offset : outcome.damage.length;
}
