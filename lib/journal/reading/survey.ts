// What must be known of a journal before a line is added to it: its last line, what is wrong in it, how often it was
// opened. Reads from the anchor on, if that holds, else all of it. Decides nothing: writer.ts does, by the recovery table.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { OWN_TYPES } from '../format.ts';
import { toHex } from '../line/checksum.ts';
import type { Damage, JournalLine, OpenWriterOptions, StoredEvent } from '../types.ts';
import { lineOf, openCursor } from './cursor.ts';
import { Examiner } from './examine.ts';
import { lineBefore, readBackwards, tipOf } from './scan.ts';

export interface Survey {
  readonly damage: readonly Damage[];
  /** The last line that holds. */
  readonly last: LastLine | undefined;
  readonly nextSeq: number;
  /** Of the last opening that was read; undefined if none was. */
  readonly epoch: number | undefined;
  readonly anchored: boolean;
}

export type LastLine = Pick<StoredEvent, 'seq' | 'ts' | 'type' | 'xxh64'>;

export function surveyJournal(handle: FileHandle, { anchor, onEvent }: OpenWriterOptions): Survey {
  const anchorEvent = anchor && lineBefore(handle, anchor.offset);
  const holds = anchor !== undefined && anchorEvent?.seq === anchor.seq && anchorEvent.xxh64 === anchor.xxh64;
  const after = holds ? anchor : undefined;
  const examiner = new Examiner(tipOf(after));
  const cursor = openCursor(handle, { after, examiner, isBeingWritten: () => false });
  const damage: Damage[] = [];
  let last: Pick<LastLine, 'ts' | 'type'> | undefined = holds ? anchorEvent : undefined;
  let epoch: number | undefined;
  for (let found = cursor.next(); found !== 'end'; found = cursor.next()) {
    if (found === 'damage') {
      damage.push(cursor.damage);
      continue;
    }
    const { line } = cursor;
    const { ts, type } = line;
    last = { ts, type };
    epoch = epochOf(line) ?? epoch;
    onEvent?.(line.event());
  }
  const { seq, hash } = examiner.tip;
  return {
    damage,
    last: last && { ...last, seq, xxh64: toHex(hash) },
    nextSeq: examiner.nextSeq,
    epoch,
    anchored: holds,
  };
}

/** Only what the journal says of itself is parsed. */
function epochOf(line: JournalLine): number | undefined {
  if (line.type === OWN_TYPES.created) return 0;
  if (line.type !== OWN_TYPES.opened) return undefined;
  const { epoch } = line.event().data;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** Of the last opening that the journal tells of; 0 if it tells of none. */
export function lastEpoch(handle: FileHandle): number {
  for (const outcome of readBackwards(handle, () => false)) {
    const epoch = outcome.kind === 'event' ? epochOf(lineOf(outcome.event)) : undefined;
    if (epoch !== undefined) return epoch;
  }
  return 0;
}
