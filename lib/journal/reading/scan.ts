// Every reading of a journal over an open file, forwards and backwards: outcomes in order, line by line, up to the end
// as it was when the reading began. Synchronous, and in memory that is bounded by the longest line. Opens nothing,
// takes no lock.
import type { FileStat } from '../../platform/files/file-system.ts';
import { readLine } from '../line/codec.ts';
import type { Anchor, Outcome, StoredEvent } from '../types.ts';
import { chainDamage, Examiner, partsAtOnce, partsOf } from './examine.ts';
import { BackwardLines, type ByteSource, ForwardLines, type LineStep } from './lines.ts';
import { BEGINNING, Chain, type HolePart, type Tip } from './recovery.ts';

/** What reading needs of an open file. */
export interface JournalSource extends ByteSource {
  stat(): Pick<FileStat, 'size'>;
}

/** A source that has some of its bytes, and gets the others when they are wanted. */
export interface FetchingSource extends Required<JournalSource> {
  /** Gets what is wanted. */
  fetch(): Promise<void>;
}

/** A reading in steps, between which a source may fetch. */
export type Steps<Result> = Generator<unknown, Result, void>;

/** The result of a reading of a source that has all of its bytes. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** The same for a source that must fetch them. */
export async function whileFetching<Result>(source: FetchingSource, steps: Steps<Result>): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await source.fetch();
  }
}

export interface ForwardOptions {
  readonly after?: Anchor | undefined;
  readonly transient?: boolean | undefined;
  /** Says whether an incomplete last line is in flight. */
  readonly isBeingWritten: () => boolean;
}

/**
 * A reading from an anchor, or from the beginning, to the end as it is when it begins. Each step is what the next line
 * is: an event, damage, or several of both. Nothing is a pause: inside of a long line that is bad or too long to hold,
 * or for bytes that must be fetched.
 */
export class ForwardReading implements Iterable<readonly Outcome[]> {
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

  *[Symbol.iterator](): Generator<readonly Outcome[], void, void> {
    const { lines, examiner } = this;
    const { after, isBeingWritten } = this.#options;
    for (let step = lines.step(); step !== 'end'; step = lines.step()) {
      if (step === 'passing') yield [];
      else if (!lines.terminated && isInFlight(this.#source, this.size, isBeingWritten)) return;
      else {
        const parts = partsAtOnce(lines, step) ?? (yield* partsOf(lines, step));
        yield examiner.examine(parts, after ? 0 : lines.count);
      }
    }
  }
}

/** The events of a reading, without the damage. */
export function* eventsOf(reading: Iterable<readonly Outcome[]>): Generator<StoredEvent, void, void> {
  for (const outcomes of reading) {
    for (const outcome of outcomes) if (outcome.kind === 'event') yield outcome.event;
  }
}

/** Enough for nearly every first line. */
const FIRST_CHUNK_BYTES = 4096;

/** The first line, if it holds. */
export function readFirst(source: JournalSource): StoredEvent | undefined {
  return inOneGo(firstInSteps(source));
}

export function* firstInSteps(source: JournalSource): Steps<StoredEvent | undefined> {
  const lines = new ForwardLines(source, 0, source.stat().size, { chunkBytes: FIRST_CHUNK_BYTES });
  return (yield* oneStep(source, lines)) === 'line' ? readLine(lines) : undefined;
}

/** The next step that is not a pause for bytes. */
function* oneStep(source: JournalSource, lines: ForwardLines | BackwardLines): Steps<LineStep> {
  let step = lines.step();
  for (; step === 'passing' && source.isHere; step = lines.step()) yield;
  return step;
}

/** A reading from the end to the beginning, in the same steps. */
export function* readBackwards(
  source: JournalSource,
  isBeingWritten: () => boolean,
): Generator<readonly Outcome[], void, void> {
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
      yield [];
      continue;
    }
    if (!lines.terminated && isInFlight(source, size, isBeingWritten)) continue;
    const found: Outcome[] = [];
    const parts = partsAtOnce(lines, step) ?? (yield* partsOf(lines, step));
    for (const part of parts.reverse()) {
      if (part.kind === 'damage') found.push({ kind: 'damage', damage: { ...part.damage, line: 0 } });
      else if (part.kind === 'hole') holes.push(part);
      else {
        found.push(...link(part.event), part);
        newer = part.event;
        holes = [];
      }
    }
    yield found;
  }
  yield link(BEGINNING);
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
  return inOneGo(anchorInSteps(source, anchor)) !== undefined;
}

/** The event of the anchor's line, if it holds. */
export function* anchorInSteps(source: JournalSource, anchor: Anchor): Steps<StoredEvent | undefined> {
  const event = yield* lineBeforeInSteps(source, anchor.offset);
  return event?.seq === anchor.seq && event.xxh64 === anchor.xxh64 ? event : undefined;
}

/** What is read at first where one line is wanted: nearly every line is shorter. */
const ONE_LINE_BYTES = 2 * 1024;

/** The event of the line that ends at this offset; undefined if none does. */
export function lineBefore(source: JournalSource, offset: number): StoredEvent | undefined {
  return inOneGo(lineBeforeInSteps(source, offset));
}

export function* lineBeforeInSteps(source: JournalSource, offset: number): Steps<StoredEvent | undefined> {
  if (!Number.isSafeInteger(offset) || offset <= 0 || offset > source.stat().size) return undefined;
  const lines = new BackwardLines(source, offset, { chunkBytes: ONE_LINE_BYTES });
  if ((yield* oneStep(source, lines)) !== 'line' || !lines.terminated) return undefined;
  const parts = yield* partsOf(lines, 'line');
  return parts.length === 1 && parts[0]?.kind === 'event' ? parts[0].event : undefined;
}

const MAX_OUTCOMES = 256;
const MAX_BYTES = 256 * 1024;

/** Puts the steps of a reading into batches. What is longer than a batch may be is a batch of its own. */
export function* inBatches(reading: Iterable<readonly Outcome[]>): Generator<Outcome[], void, void> {
  let batch: Outcome[] = [];
  let bytes = 0;
  for (const outcomes of reading) {
    if (outcomes.length === 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    for (const outcome of outcomes) {
      const length = lengthOf(outcome);
      if (batch.length === MAX_OUTCOMES || (batch.length > 0 && bytes + length > MAX_BYTES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(outcome);
      bytes += length;
    }
  }
  if (batch.length > 0) yield batch;
}

function lengthOf(outcome: Outcome): number {
  return outcome.kind === 'event' ? outcome.event.end - outcome.event.offset : outcome.damage.length;
}
