// Every reading of a journal, forwards and backwards: outcomes in order, line by line, up to the end as it was when the
// reading began. The loop over the lines is synchronous; it says when bytes are missing, and `inBatches` gets them. The
// memory that it takes is bounded by the longest line. Opens nothing, takes no lock.
import type { FileStat } from '../../platform/files/file-system.ts';
import { readLine } from '../line/codec.ts';
import type { Anchor, Outcome, StoredEvent } from '../types.ts';
import { chainDamage, Examiner, partsAtOnce, partsOf } from './examine.ts';
import { BackwardLines, type ByteSource, ForwardLines, Lines, nextStep, readMore } from './lines.ts';
import { eachEvent } from './outcomes.ts';
import { BEGINNING, Chain, type HolePart, type Tip } from './recovery.ts';

/** What reading needs of a journal. */
export interface JournalSource extends ByteSource {
  stat(): Pick<FileStat, 'size'>;
}

/**
 * What a reading comes to: the outcomes of a line; none, so that other work may run inside of a long line that is bad
 * or too long to hold; or the lines, where bytes are missing.
 */
export type ReadingStep = readonly Outcome[] | Lines;

interface ForwardOptions {
  readonly after?: Anchor | undefined;
  /** Events are valid until the next batch only. */
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
    this.lines = new ForwardLines(after?.offset ?? 0, this.size, { reuse: transient });
    this.examiner = new Examiner(after);
    this.#source = source;
    this.#options = options;
  }

  batches(): AsyncGenerator<Outcome[], void, void> {
    return inBatches(this.#source, this.steps());
  }

  *steps(): Generator<ReadingStep, void, void> {
    const { lines, examiner } = this;
    const { after, isBeingWritten } = this.#options;
    for (let step = lines.step(); step !== 'end'; step = lines.step()) {
      if (step === 'more') yield lines;
      else if (step === 'passing') yield [];
      else if (!lines.terminated && isInFlight(this.#source, this.size, isBeingWritten)) return;
      else {
        const parts = partsAtOnce(lines, step) ?? (yield* partsOf(lines, step));
        yield examiner.examine(parts, after ? 0 : lines.count);
      }
    }
  }
}

/** A reading from the end to the beginning. */
export function* readBackwards(
  source: JournalSource,
  isBeingWritten: () => boolean,
): Generator<ReadingStep, void, void> {
  const size = source.stat().size;
  const lines = new BackwardLines(size);
  let newer: StoredEvent | undefined;
  let holes: HolePart[] = [];
  /** Damage between two neighbours, seen from the newer one. */
  const link = (tip: Tip): Outcome[] => {
    if (!newer) return [];
    const chain = new Chain(tip);
    for (const hole of holes.reverse()) chain.addHole(hole);
    const verdict = chain.add(newer);
    return verdict === 'holds' ? [] : [chainDamage(verdict, newer, tip, 0)];
  };

  for (let step = lines.step(); step !== 'end'; step = lines.step()) {
    if (step === 'more' || step === 'passing') {
      yield step === 'more' ? lines : [];
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
function isInFlight(source: JournalSource, sizeAtStart: number, isBeingWritten: () => boolean): boolean {
  return isBeingWritten() || source.stat().size !== sizeAtStart;
}

const MAX_OUTCOMES = 256;
const MAX_BYTES = 256 * 1024;

/**
 * The outcomes of a reading in batches, for which it gets the bytes. An outcome above the limit of a batch is a batch
 * of its own; an empty batch only lets other work run.
 */
export async function* inBatches(
  source: ByteSource,
  steps: Iterable<ReadingStep>,
): AsyncGenerator<Outcome[], void, void> {
  let batch: Outcome[] = [];
  let bytes = 0;
  for (const step of steps) {
    const isMissing = step instanceof Lines;
    if (isMissing ? batch.length > 0 : step.length === 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (isMissing) {
      await readMore(step, source);
      continue;
    }
    for (const outcome of step) {
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

/** The batches with a pause between each two. No pause after the last: a short journal is read in one go. */
export async function* withPauses(
  batches: AsyncGenerator<Outcome[], void, void>,
  pause: () => Promise<void>,
): AsyncGenerator<Outcome[], void, void> {
  for (let next = await batches.next(); !next.done; ) {
    yield next.value;
    next = await batches.next();
    if (!next.done) await pause();
  }
}

function lengthOf(outcome: Outcome): number {
  return outcome.kind === 'event' ? outcome.event.end - outcome.event.offset : outcome.damage.length;
}

/** The events from the end to the beginning, without the line that a writer may be in the middle of. */
export function eventsBackwards(source: JournalSource): AsyncGenerator<StoredEvent, void, void> {
  return eachEvent(
    inBatches(
      source,
      readBackwards(source, () => true),
    ),
  );
}

/** Enough for nearly every first line. */
const FIRST_CHUNK_BYTES = 4096;

/** The first line, if it holds. */
export async function readFirst(source: JournalSource): Promise<StoredEvent | undefined> {
  const lines = new ForwardLines(0, source.stat().size, { chunkBytes: FIRST_CHUNK_BYTES });
  return (await nextStep(lines, source)) === 'line' ? readLine(lines) : undefined;
}

/** Bytes read at first for a single line: nearly every line is shorter. */
const ONE_LINE_BYTES = 2 * 1024;

/** The event of the line that ends at this offset; undefined if none does. */
export async function lineBefore(source: JournalSource, offset: number): Promise<StoredEvent | undefined> {
  if (!Number.isSafeInteger(offset) || offset <= 0 || offset > source.stat().size) return undefined;
  const lines = new BackwardLines(offset, { chunkBytes: ONE_LINE_BYTES });
  return (await nextStep(lines, source)) === 'line' && lines.terminated ? readLine(lines) : undefined;
}

/** The event of the anchor's line, if it ends at the anchor's offset with its seq and checksum. */
export async function anchorEvent(source: JournalSource, anchor: Anchor): Promise<StoredEvent | undefined> {
  const event = await lineBefore(source, anchor.offset);
  return event?.seq === anchor.seq && event.xxh64 === anchor.xxh64 ? event : undefined;
}

/** A span of this size is read through, not halved again, in the search for a line. */
const NEAR_BYTES = 32 * 1024;
const SEEK_CHUNK_BYTES = 8 * 1024;

/**
 * The end of an intact line with a lower seq, not far before the line of `seq`, found by halves. Undefined where the
 * beginning is not far before it. Damage leads further back, never too far on.
 */
export async function placeBefore(source: JournalSource, seq: number): Promise<Anchor | undefined> {
  let found: Anchor | undefined;
  let low = 0;
  let high = source.stat().size;
  while (high - low > NEAR_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const event = await firstLineBehind(source, middle, high);
    if (event === undefined || event.seq >= seq) high = middle;
    else {
      found = { seq: event.seq, offset: event.end, xxh64: event.xxh64 };
      low = event.end;
    }
  }
  return found;
}

/** The first intact line that begins after `from` and ends before `to`. */
async function firstLineBehind(source: JournalSource, from: number, to: number): Promise<StoredEvent | undefined> {
  const lines = new ForwardLines(from, to, { chunkBytes: SEEK_CHUNK_BYTES });
  // The first one is the rest of a line that began before.
  for (let isRest = true; ; ) {
    const step = await nextStep(lines, source);
    if (step === 'end') return undefined;
    const event = step === 'line' && lines.terminated && !isRest ? readLine(lines) : undefined;
    if (event !== undefined) return event;
    if (step !== 'passing') isRest = false;
  }
}
