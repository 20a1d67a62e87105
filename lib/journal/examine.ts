// Turns lines into outcomes: what holds is an event, what does not is damage, and of what is welded the whole parts are
// events. One examiner goes through one file in order; it holds no file and allocates nothing for a line that holds.
import { areDigits, holdsDigits, toHex } from './checksum.ts';
import {
  checksumHolds,
  eventAt,
  findFrame,
  findMembers,
  hasChecksum,
  LinePositions,
  parseLine,
  readableSeq,
} from './codec.ts';
import { CHECKSUM_TAIL_BYTES } from './format.ts';
import { BEGINNING, Chain, type ChainVerdict, kindOfBadLine, type Tip } from './recovery.ts';
import type { Damage, Outcome, StoredEvent } from './types.ts';

/** A line as ForwardLines and BackwardLines leave it. */
export interface FoundLine {
  readonly buffer: Buffer;
  readonly start: number;
  readonly stop: number;
  /** Where it begins in the file. */
  readonly offset: number;
  /** Bytes, LF not counted. */
  readonly length: number;
  /** Where the line behind it begins. */
  readonly end: number;
  readonly terminated: boolean;
}

/** What stands between two LF, in file order. Chain and line numbers are for the caller. */
export type LinePart =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'damage'; readonly damage: Omit<Damage, 'line'> }
  /** Bytes that stay in the file, in which no line holds. */
  | {
      readonly kind: 'hole';
      readonly bytes: number;
      readonly seq: number | undefined;
      readonly hash: bigint | undefined;
    };

const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const RECORD_START = Buffer.from('{"seq":');
const RECORD_STOP = Buffer.from(',"xxh64":"');
/** How many bytes are hashed in search of whole lines inside a bad one, for each byte that it has. */
const SEARCH_FACTOR = 16;

/** Goes through a file from one line to the next. */
export class Examiner {
  readonly positions = new LinePositions();
  readonly #chain: Chain;

  constructor(tip: Tip = BEGINNING) {
    this.#chain = new Chain(tip);
  }

  /** The last line that holds. */
  get tip(): Tip {
    return this.#chain.tip;
  }

  /** What the next line to be written gets. */
  get nextSeq(): number {
    return this.#chain.nextSeq;
  }

  /** Whether the line holds and follows the last one: the case that is nearly always so. Then `positions` tell it. */
  accept(buffer: Buffer, start: number, stop: number): boolean {
    return findMembers(buffer, start, stop, this.positions) && this.#follows(buffer);
  }

  /** The same for those who need nothing of it: what stands between its beginning and its end is not looked at. */
  acceptFrame(buffer: Buffer, start: number, stop: number): boolean {
    return findFrame(buffer, start, stop, this.positions) && this.#follows(buffer);
  }

  #follows(buffer: Buffer): boolean {
    const { positions } = this;
    const { seq, start, stop, previous } = positions;
    const chain = this.#chain;
    if (seq !== chain.seq + 1 || !holdsDigits(buffer, previous, chain.hash)) return false;
    if (!checksumHolds(buffer, start, stop, positions)) return false;
    chain.advance(seq, positions.hash);
    return true;
  }

  /** Every other case. `number` is the line's, for those who look with an editor. */
  examine(line: FoundLine, step: 'line' | 'oversize', number: number): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const part of examineLine(line, step, this.#chain.seq)) {
      if (part.kind === 'hole') this.#chain.addHole(part.bytes, part.seq, part.hash);
      else if (part.kind === 'damage') outcomes.push({ kind: 'damage', damage: { ...part.damage, line: number } });
      else {
        const { event } = part;
        const before = this.#chain.tip;
        const verdict = this.#chain.add({ seq: event.seq, hash: fromHex(event.xxh64) }, fromHex(event.prev));
        if (verdict !== 'holds') {
          outcomes.push({ kind: 'damage', damage: chainDamage(verdict, event, before, number) });
        }
        outcomes.push(part);
      }
    }
    return outcomes;
  }
}

export function fromHex(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

/** How a broken chain is told. */
export function chainDamage(
  kind: Exclude<ChainVerdict, 'holds'>,
  event: StoredEvent,
  before: Tip,
  line: number,
): Damage {
  const from = before.seq < 0 ? 'the beginning' : `seq ${before.seq}`;
  const reason = {
    gap: `Seq ${event.seq} follows ${from}: lines are missing, or this one was moved.`,
    fork: `The line names another predecessor than ${from}: one of the two does not belong here.`,
    duplicate:
      event.xxh64 === toHex(before.hash)
        ? `The line stands twice (seq ${event.seq}).`
        : `Seq ${event.seq} comes behind ${from}: the line is doubled, moved or from another writer.`,
  }[kind];
  return { kind, offset: event.offset, length: event.raw.length, line, reason, seq: event.seq };
}

/**
 * What the bytes between two LF are, without regard to their neighbours but for `lastSeq`, which parts of a welded
 * line must be above: a copy of a journal inside of a line's data is no event.
 */
export function examineLine(line: FoundLine, step: 'line' | 'oversize', lastSeq: number): LinePart[] {
  if (step === 'oversize') return oversized(line);
  return line.terminated ? wholeLine(line, lastSeq) : lastBytes(line, lastSeq);
}

function oversized(line: FoundLine): LinePart[] {
  const seq = readableSeq(line.buffer, line.start, line.stop);
  const reason = `A line of ${line.length} bytes is over the limit and was passed over.`;
  const kind = line.terminated ? 'oversize' : 'torn-tail';
  const hole = { kind: 'hole' as const, bytes: line.length, seq, hash: undefined };
  return [damage(kind, line.offset, line.length, reason, seq), ...(line.terminated ? [hole] : [])];
}

function wholeLine(line: FoundLine, lastSeq: number): LinePart[] {
  const { buffer, offset, end } = line;
  const hasMark = offset === 0 && buffer.subarray(line.start, line.start + 3).equals(BYTE_ORDER_MARK);
  const start = line.start + (hasMark ? 3 : 0);
  const hasReturn = line.stop > start && buffer[line.stop - 1] === CARRIAGE_RETURN;
  const stop = line.stop - (hasReturn ? 1 : 0);
  const at = (position: number) => offset + position - line.start;

  const edits: LinePart[] = [];
  if (hasMark) edits.push(damage('edited', offset, 3, 'A byte order mark stands before the first line.'));
  if (start === stop) return [...edits, damage('edited', at(start), end - at(start), 'The line is blank.')];
  const event = held(buffer, start, stop, at(start), end);
  if (event) {
    if (hasReturn) edits.push(damage('edited', at(stop), 1, 'The line ends with CR LF instead of LF.', event.seq));
    return [...edits, { kind: 'event', event }];
  }
  if (hasChecksum(buffer, start, stop) && checksumHolds(buffer, start, stop, new LinePositions())) {
    return [
      damage('not-json', offset, line.length, 'The checksum holds, but the line has not the members of one.'),
      { kind: 'hole', bytes: line.length, seq: undefined, hash: undefined },
    ];
  }
  const inside = recordsInside(line, lastSeq);
  return inside.length > 0 ? weldedLine(line, inside) : [badLine(line), holeOf(line, line.start, line.stop)];
}

/** The last bytes of the file, behind the last LF. */
function lastBytes(line: FoundLine, lastSeq: number): LinePart[] {
  const { buffer, offset } = line;
  const whole = held(buffer, line.start, line.stop, offset, line.end);
  if (whole) return [unterminated(whole), { kind: 'event', event: whole }];
  const inside = recordsInside(line, lastSeq);
  const last = inside.at(-1);
  const restStart = last?.stop ?? line.start;
  const parts: LinePart[] = [];
  // A record at the very beginning is not welded to anything but what is cut off behind it.
  const isWelded = last !== undefined && (inside.length > 1 || last.start > line.start);
  if (isWelded) parts.push(...weldedLine({ ...line, stop: restStart }, inside));
  else if (last) parts.push({ kind: 'event', event: last.event });
  if (restStart < line.stop) parts.push(cutOff(buffer, restStart, line.stop, offset + restStart - line.start));
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
        `The file ends with ${bytes} bytes that are no whole line: a write did not finish.`,
        readableSeq(buffer, start, stop),
      );
}

function unterminated(event: StoredEvent): LinePart {
  const reason = 'The last line is whole, but for the LF behind it.';
  return damage('unterminated', event.offset, event.raw.length, reason, event.seq);
}

function weldedLine(line: FoundLine, inside: readonly Held[]): LinePart[] {
  const between = gapsBetween(line, inside);
  const length = line.stop - line.start;
  const foreign = between.reduce((sum, [start, stop]) => sum + stop - start, 0);
  const hasNuls = between.some(([start, stop]) => line.buffer.subarray(start, stop).includes(0));
  const found = hasNuls
    ? damage(
        'nul-run',
        line.offset,
        length,
        `NUL bytes stand in the line, ${foreign} bytes are lost; the rest was read.`,
      )
    : damage('welded', line.offset, length, weldReason(inside.length, foreign));
  const parts: LinePart[] = [found];
  let cursor = line.start;
  for (const { event, start, stop } of inside) {
    if (start > cursor) parts.push(holeOf(line, cursor, start));
    parts.push({ kind: 'event', event });
    cursor = stop;
  }
  if (cursor < line.stop) parts.push(holeOf(line, cursor, line.stop));
  return parts;
}

function weldReason(count: number, foreign: number): string {
  const whole = count === 1 ? 'One whole line stands' : `${count} whole lines stand`;
  return foreign === 0
    ? `${whole} here without LF between them.`
    : `${whole} in one line, with ${foreign} bytes that are none.`;
}

function gapsBetween(line: FoundLine, inside: readonly Held[]): [number, number][] {
  const starts = [...inside.map(({ start }) => start), line.stop];
  const stops = [line.start, ...inside.map(({ stop }) => stop)];
  return stops.map((stop, index): [number, number] => [stop, starts[index]!]).filter(([start, stop]) => stop > start);
}

function badLine(line: FoundLine): LinePart {
  const bytes = line.buffer.subarray(line.start, line.stop);
  const kind = kindOfBadLine(bytes);
  const reason = {
    'nul-run': 'The line holds NUL bytes, which no line is written with.',
    'bad-checksum': 'The checksum does not hold: the line was changed after it was written, or has none.',
    'not-json': 'These bytes are no line of a journal.',
  }[kind];
  return damage(kind, line.offset, line.length, reason, highestSeq(line.buffer, line.start, line.stop));
}

function holeOf(line: FoundLine, start: number, stop: number): LinePart {
  const { buffer } = line;
  const hash = hasChecksum(buffer, start, stop) ? fromHex(buffer.toString('latin1', stop - 18, stop - 2)) : undefined;
  return { kind: 'hole', bytes: stop - start, seq: highestSeq(buffer, start, stop), hash };
}

/** The highest seq that a beginning of a line among the bytes can be read to have. */
function highestSeq(buffer: Buffer, start: number, stop: number): number | undefined {
  let highest: number | undefined;
  for (const at of recordStarts(buffer, start, stop)) {
    const seq = isNested(buffer, start, at) ? undefined : readableSeq(buffer, at, stop);
    if (seq !== undefined && seq > (highest ?? -1)) highest = seq;
  }
  return highest;
}

interface Held {
  readonly event: StoredEvent;
  readonly start: number;
  readonly stop: number;
}

/** Every line that holds inside of a bad one, in order. */
function recordsInside(line: FoundLine, lastSeq: number): Held[] {
  const { buffer } = line;
  const found: Held[] = [];
  let budget = (line.stop - line.start) * SEARCH_FACTOR;
  let from = line.start;
  let above = lastSeq;
  for (const start of recordStarts(buffer, line.start, line.stop)) {
    if (start < from || readableSeq(buffer, start, line.stop) === undefined) continue;
    const looksNested = isNested(buffer, line.start, start);
    for (const stop of recordStops(buffer, start, line.stop)) {
      if (looksNested && !(stop === line.stop && line.terminated)) continue;
      budget -= stop - start;
      if (budget < 0) return found;
      const offset = line.offset + start - line.start;
      const event = held(buffer, start, stop, offset, stop === line.stop ? line.end : offset + stop - start);
      if (!event || event.seq <= above) continue;
      found.push({ event, start, stop });
      from = stop;
      above = event.seq;
      break;
    }
  }
  return found;
}

/** The event of bytes that are a line and nothing else. */
function held(buffer: Buffer, start: number, stop: number, offset: number, end: number): StoredEvent | undefined {
  const positions = new LinePositions();
  if (!checksumHolds(buffer, start, stop, positions)) return undefined;
  return findMembers(buffer, start, stop, positions) && areDigits(buffer, positions.previous)
    ? eventAt(buffer, positions, offset, end)
    : parseLine(buffer, start, stop, offset, end);
}

/** Where lines may begin. */
function* recordStarts(buffer: Buffer, start: number, stop: number): Generator<number, void, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(RECORD_START, start); at >= 0; at = bytes.indexOf(RECORD_START, at + 1)) yield at;
}

/** Where lines may end: behind a checksum, unless what follows is what JSON puts behind a nested object. */
function* recordStops(buffer: Buffer, start: number, stop: number): Generator<number, void, void> {
  const bytes = buffer.subarray(0, stop);
  for (let at = bytes.indexOf(RECORD_STOP, start); at >= 0; at = bytes.indexOf(RECORD_STOP, at + 1)) {
    const recordStop = at + CHECKSUM_TAIL_BYTES;
    if (recordStop > stop || !hasChecksum(buffer, start, recordStop)) continue;
    if (recordStop === stop || !',}]'.includes(String.fromCharCode(buffer[recordStop]!))) yield recordStop;
  }
}

/** Whether `at` stands where JSON would nest an object: data may hold copies of lines, and they are no events. */
function isNested(buffer: Buffer, start: number, at: number): boolean {
  return at > start && ':,['.includes(String.fromCharCode(buffer[at - 1]!));
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
