// Every reading of a journal, forwards and backwards, as generators over an open file: outcomes in order, up to the end
// as it was when the reading began. Opens nothing, takes no lock.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { fromHex } from '../line/checksum.ts';
import { checksumHolds, eventAt, findMembers, readLine } from '../line/codec.ts';
import { LinePositions } from '../line/line-positions.ts';
import type { Anchor, Outcome, StoredEvent } from '../types.ts';
import { chainDamage, Examiner } from './examine.ts';
import { examineLine } from './examine-line.ts';
import { BackwardLines, ForwardLines } from './lines.ts';
import { JournalReading } from './reading.ts';
import { BEGINNING, Chain, type Tip } from './recovery.ts';

/** What reading needs of an open file. */
export type JournalSource = Pick<FileHandle, 'read' | 'stat'>;

export interface ForwardOptions {
  readonly after?: Anchor | undefined;
  readonly transient?: boolean | undefined;
  /** Says whether an incomplete last line is in flight. */
  readonly isBeingWritten: () => boolean;
}

/** Every outcome from an anchor, or from the beginning, to the end as it is now. */
export function* readForwards(source: JournalSource, options: ForwardOptions): Generator<Outcome, void, void> {
  const { after } = options;
  const size = source.stat().size;
  const lines = new ForwardLines(source, after?.offset ?? 0, size, { reuse: options.transient ?? false });
  const examiner = new Examiner(tipOf(after));
  const reading = new JournalReading(lines, examiner);
  for (let step = reading.next(); step !== 'end'; step = reading.next()) {
    if (step === 'holds') {
      yield { kind: 'event', event: eventAt(lines.buffer, reading.positions, lines.offset, lines.end) };
    } else {
      if (!lines.terminated && isInFlight(source, size, options.isBeingWritten)) return;
      yield* examiner.examine(lines, step, after ? 0 : lines.count);
    }
  }
}

/** Enough for nearly every first line. */
const FIRST_CHUNK_BYTES = 4096;

/** The first line, if it holds. */
export function readFirst(source: JournalSource): StoredEvent | undefined {
  const lines = new ForwardLines(source, 0, source.stat().size, { chunkBytes: FIRST_CHUNK_BYTES });
  const { start, stop } = lines.next() === 'line' ? lines : { start: 0, stop: 0 };
  return readLine(lines.buffer, start, stop, lines.offset, lines.end);
}

/** Every outcome from the end to the beginning. */
export function* readBackwards(source: JournalSource, isBeingWritten: () => boolean): Generator<Outcome, void, void> {
  const size = source.stat().size;
  const lines = new BackwardLines(source, size);
  const positions = new LinePositions();
  let newer: StoredEvent | undefined;
  let holes: { bytes: number; seq: number | undefined; hash: bigint | undefined }[] = [];
  /** What is wrong between two neighbours, seen from the newer one. */
  const link = (tip: Tip): Outcome[] => {
    if (!newer) return [];
    const chain = new Chain(tip);
    for (const hole of holes.reverse()) chain.addHole(hole.bytes, hole.seq, hole.hash);
    const verdict = chain.add({ seq: newer.seq, hash: fromHex(newer.xxh64) }, fromHex(newer.prev));
    return verdict === 'holds' ? [] : [{ kind: 'damage', damage: chainDamage(verdict, newer, tip, 0) }];
  };

  for (let step = lines.next(); step !== 'end'; step = lines.next()) {
    if (!lines.terminated && isInFlight(source, size, isBeingWritten)) continue;
    const { buffer, start, stop } = lines;
    const isOrdinary = step === 'line' && lines.terminated && findMembers(buffer, start, stop, positions);
    const parts =
      isOrdinary && checksumHolds(buffer, start, stop)
        ? [{ kind: 'event' as const, event: eventAt(buffer, positions, lines.offset, lines.end) }]
        : examineLine(lines, step, -1).reverse();
    for (const part of parts) {
      if (part.kind === 'damage') yield { kind: 'damage', damage: { ...part.damage, line: 0 } };
      else if (part.kind === 'hole') holes.push(part);
      else {
        yield* link({ seq: part.event.seq, hash: fromHex(part.event.xxh64) });
        yield part;
        newer = part.event;
        holes = [];
      }
    }
  }
  yield* link(BEGINNING);
}

/**
 * Whether bytes behind the last LF are a line that somebody is writing, or was when the reading began: then the size
 * has changed since, because the line was ended or taken back.
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
  const parts = examineLine(lines, 'line', -1);
  return parts.length === 1 && parts[0]?.kind === 'event' ? parts[0].event : undefined;
}

export function tipOf(anchor: Anchor | undefined): Tip {
  return anchor ? { seq: anchor.seq, hash: fromHex(anchor.xxh64) } : BEGINNING;
}
