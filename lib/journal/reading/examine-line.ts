// What stands between two LF: one event, in the case that is nearly always so, or what is wrong with the bytes, in words,
// and the events that hold among them. Looks at one line and knows no other; examine.ts has the chain.

import { fromHex } from '../line/checksum.ts';
import { checksumHolds, hasChecksum, readableSeq, readLine } from '../line/codec.ts';
import type { Damage, StoredEvent } from '../types.ts';
import type { FoundLine } from './lines.ts';
import { highestSeq, type Inner, linesInside } from './lines-inside.ts';
import { kindOfBadLine } from './recovery.ts';

/** The parts of a line, in file order. Chain and line numbers are for the caller. */
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
  const event = readLine(buffer, start, stop, at(start), end);
  if (event) {
    if (hasReturn) edits.push(damage('edited', at(stop), 1, 'The line ends with CR LF instead of LF.', event.seq));
    return [...edits, { kind: 'event', event }];
  }
  if (hasChecksum(buffer, start, stop) && checksumHolds(buffer, start, stop)) {
    return [
      damage('not-json', offset, line.length, 'The checksum holds, but the line has not the members of one.'),
      { kind: 'hole', bytes: line.length, seq: undefined, hash: undefined },
    ];
  }
  const inside = linesInside(line, lastSeq);
  return inside.length > 0 ? weldedLine(line, inside) : [badLine(line), holeOf(line, line.start, line.stop)];
}

/** The last bytes of the file, behind the last LF. */
function lastBytes(line: FoundLine, lastSeq: number): LinePart[] {
  const { buffer, offset } = line;
  const whole = readLine(buffer, line.start, line.stop, offset, line.end);
  if (whole) return [unterminated(whole), { kind: 'event', event: whole }];
  const inside = linesInside(line, lastSeq);
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

function weldedLine(line: FoundLine, inside: readonly Inner[]): LinePart[] {
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

function gapsBetween(line: FoundLine, inside: readonly Inner[]): [number, number][] {
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

function damage(
  kind: Damage['kind'],
  offset: number,
  length: number,
  reason: string,
  seq?: number | undefined,
): Extract<LinePart, { kind: 'damage' }> {
  return { kind: 'damage', damage: { kind, offset, length, reason, ...(seq === undefined ? {} : { seq }) } };
}
