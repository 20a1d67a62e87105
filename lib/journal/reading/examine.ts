// Classifies the bytes between two LF: a single event, as nearly always, or damage, with the valid events inside it.
// `partsOf` reads one line and knows no other, so that every direction of reading finds the same; an `Examiner` goes
// through a file in order and adds the findings of the chain. Neither holds a file.
import { eventOf, type LineSpan, readLine, validTail } from '../line/codec.ts';
import { checksumIn, hasChecksum, readableSeq, tailOf } from '../line/envelope.ts';
import type { Damage, Outcome, StoredEvent } from '../types.ts';
import type { FoundLine } from './lines.ts';
import { highestSeq, type Inner, linesInside, type Pause } from './lines-inside.ts';
import { Chain, type ChainVerdict, type HolePart, kindOfBadLine, type Tip } from './recovery.ts';

/** The parts of a line, in file order. */
type LinePart =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'damage'; readonly damage: Omit<Damage, 'line'> }
  | ({ readonly kind: 'hole' } & HolePart);

const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Goes through the lines of a file, from the first or from the one after a tip. */
export class Examiner {
  readonly #chain: Chain;

  constructor(tip?: Tip) {
    this.#chain = new Chain(tip);
  }

  /** The last line that holds. */
  get tip(): Tip {
    return this.#chain.tip;
  }

  /** The seq of the next line to be written. */
  get nextSeq(): number {
    return this.#chain.nextSeq;
  }

  /** Takes the parts of the next line; `number` is what a text editor calls it. */
  examine(parts: readonly LinePart[], number: number): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const part of parts) {
      if (part.kind === 'hole') this.#chain.addHole(part);
      else if (part.kind === 'damage') outcomes.push({ kind: 'damage', damage: { ...part.damage, line: number } });
      else {
        const before = this.#chain.tip;
        const verdict = this.#chain.add(part.event);
        if (verdict !== 'holds') outcomes.push(chainDamage(verdict, part.event, before, number));
        outcomes.push(part);
      }
    }
    return outcomes;
  }
}

/** The report of a broken chain. */
export function chainDamage(
  kind: Exclude<ChainVerdict, 'holds'>,
  event: StoredEvent,
  before: Tip,
  line: number,
): Extract<Outcome, { kind: 'damage' }> {
  const from = before.seq < 0 ? 'the beginning' : `seq ${before.seq}`;
  const reason = {
    gap: `Seq ${event.seq} follows ${from}: lines are missing, or this one was moved.`,
    fork: `The line names another predecessor than ${from}: one of the two does not belong here.`,
    duplicate:
      event.xxh64 === before.xxh64
        ? `The line is there twice (seq ${event.seq}).`
        : `Seq ${event.seq} comes after ${from}: the line is doubled, moved or from another writer.`,
  }[kind];
  const { offset, seq } = event;
  return { kind: 'damage', damage: { kind, offset, length: event.raw.length, line, reason, seq } };
}

/** The parts of a line whose checksum holds; undefined for any other line. */
export function partsAtOnce(line: FoundLine, step: 'line' | 'oversize'): LinePart[] | undefined {
  return step === 'line' && line.terminated ? intactLine(line) : undefined;
}

/** The parts of any line, whatever its neighbours are. Pauses inside of a long bad one. */
export function* partsOf(line: FoundLine, step: 'line' | 'oversize'): Generator<Pause, LinePart[], void> {
  if (step === 'oversize') return oversized(line);
  if (!line.terminated) return yield* lastBytes(line);
  return intactLine(line) ?? editedLine(line) ?? (yield* badLine(line));
}

function oversized(line: FoundLine): LinePart[] {
  const seq = readableSeq(line);
  const reason = `A line of ${line.length} bytes is over the limit and was passed over.`;
  if (!line.terminated) return [damage('torn-tail', line.offset, line.length, reason, seq)];
  const hole = { kind: 'hole' as const, bytes: line.length, seq, xxh64: undefined };
  return [damage('oversize', line.offset, line.length, reason, seq), hole];
}

/** A line whose checksum holds; undefined if it does not. */
function intactLine(span: LineSpan): LinePart[] | undefined {
  const tail = validTail(span);
  if (tail === undefined) return undefined;
  const event = eventOf(span, tail);
  if (event) return [{ kind: 'event', event }];
  const { offset, start, stop } = span;
  return [
    damage('not-json', offset, stop - start, 'The checksum holds, but the line does not have the members of one.'),
    { kind: 'hole', bytes: stop - start, seq: undefined, xxh64: undefined },
  ];
}

/** A line that is blank, or that an editor put something around; undefined if it is neither. */
function editedLine({ buffer, start, stop, offset, end }: FoundLine): LinePart[] | undefined {
  const hasMark = offset === 0 && buffer.subarray(start, start + 3).equals(BYTE_ORDER_MARK);
  const hasReturn = stop > start && buffer[stop - 1] === CARRIAGE_RETURN;
  const from = start + (hasMark ? 3 : 0);
  const to = stop - (hasReturn ? 1 : 0);
  const at = (position: number) => offset + position - start;

  const mark = hasMark ? [damage('edited', offset, 3, 'There is a byte order mark before the first line.')] : [];
  if (from === to) return [...mark, damage('edited', at(from), end - at(from), 'The line is blank.')];
  if (!hasMark && !hasReturn) return undefined;
  const inner = intactLine({ buffer, start: from, stop: to, offset: at(from), end });
  const [first] = inner ?? [];
  if (first?.kind !== 'event') return inner;
  if (!hasReturn) return [...mark, first];
  const reason = 'The line ends with CR LF instead of LF.';
  return [...mark, damage('edited', at(to), 1, reason, first.event.seq), first];
}

function* badLine(line: FoundLine): Generator<Pause, LinePart[], void> {
  const inside = yield* linesInside(line);
  if (inside.length > 0) return yield* weldedLine(line, inside);
  const { buffer, start, stop, offset, length } = line;
  const kind = kindOfBadLine(buffer.subarray(start, stop));
  const reason = {
    'nul-run': 'The line holds NUL bytes, which are never written.',
    'bad-checksum': 'The checksum does not hold: the line was changed after it was written, or has none.',
    'not-json': 'These bytes are not a line of a journal.',
  }[kind];
  const hole = yield* holeOf(line, start, stop);
  return [damage(kind, offset, length, reason, hole.seq), hole];
}

/** The last bytes of the file, after the last LF. */
function* lastBytes(line: FoundLine): Generator<Pause, LinePart[], void> {
  const { buffer, start, stop, offset } = line;
  const whole = readLine(line);
  if (whole) return [unterminated(whole), { kind: 'event', event: whole }];
  const inside = yield* linesInside(line);
  const last = inside.at(-1);
  const restStart = last?.stop ?? start;
  const parts: LinePart[] = [];
  // A line at the very beginning is welded to nothing but the bytes that are cut off after it.
  const isWelded = last !== undefined && (inside.length > 1 || last.start > start);
  if (isWelded) parts.push(...(yield* weldedLine({ buffer, start, stop: restStart, offset }, inside)));
  else if (last) parts.push({ kind: 'event', event: last.event });
  if (restStart < stop) parts.push(cutOff(buffer, restStart, stop, offset + restStart - start));
  else if (last) parts.push(unterminated(last.event));
  return parts;
}

function cutOff(buffer: Buffer, start: number, stop: number, offset: number): LinePart {
  const bytes = stop - start;
  let nuls = start;
  while (nuls < stop && buffer[nuls] === 0) nuls += 1;
  return nuls === stop
    ? damage('zero-tail', offset, bytes, `The file ends with ${bytes} NUL bytes: they were reserved, never written.`)
    : damage(
        'torn-tail',
        offset,
        bytes,
        `The file ends with ${bytes} bytes that are not a whole line: a write did not finish.`,
        readableSeq({ buffer, start, stop }),
      );
}

function unterminated(event: StoredEvent): LinePart {
  const reason = 'The last line is whole, but its LF is missing.';
  return damage('unterminated', event.offset, event.raw.length, reason, event.seq);
}

type Bytes = Pick<FoundLine, 'buffer' | 'start' | 'stop' | 'offset'>;

function* weldedLine(line: Bytes, inside: readonly Inner[]): Generator<Pause, LinePart[], void> {
  const { buffer, start, stop, offset } = line;
  const rest: LinePart[] = [];
  let foreign = 0;
  let hasNuls = false;
  let lost = -1;
  let cursor = start;
  for (const inner of [...inside, { event: undefined, start: stop, stop }]) {
    if (cursor < inner.start) {
      foreign += inner.start - cursor;
      hasNuls ||= buffer.subarray(cursor, inner.start).includes(0);
      const hole = yield* holeOf(line, cursor, inner.start);
      lost = Math.max(lost, hole.seq ?? -1);
      rest.push(hole);
    }
    if (inner.event) rest.push({ kind: 'event', event: inner.event });
    cursor = inner.stop;
  }
  const reason = hasNuls
    ? `There are NUL bytes in the line, ${foreign} bytes are lost; the rest was read.`
    : weldReason(inside.length, foreign);
  return [damage(hasNuls ? 'nul-run' : 'welded', offset, stop - start, reason, lost < 0 ? undefined : lost), ...rest];
}

function weldReason(count: number, foreign: number): string {
  const whole = count === 1 ? 'There is one whole line' : `There are ${count} whole lines`;
  return foreign === 0
    ? `${whole} here without an LF between them.`
    : `${whole} in a bad one, with ${foreign} other bytes.`;
}

function* holeOf(
  { buffer }: Bytes,
  start: number,
  stop: number,
): Generator<Pause, Extract<LinePart, { kind: 'hole' }>, void> {
  const bytes = { buffer, start, stop };
  const xxh64 = hasChecksum(bytes) ? checksumIn(tailOf(bytes)) : undefined;
  return { kind: 'hole', bytes: stop - start, seq: yield* highestSeq(buffer, start, stop), xxh64 };
}

function damage(
  kind: Damage['kind'],
  offset: number,
  length: number,
  reason: string,
  seq?: number | undefined,
): Extract<LinePart, { kind: 'damage' }> {
  return { kind: 'damage', damage: { kind, offset, length, reason, ...(seq === undefined ? {} : { seq }) } };
}
