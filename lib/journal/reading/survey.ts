// What must be known of a journal before a line is added to it: its last line, what is wrong in it, how often it was
// opened. Reads from the anchor on, if that holds, else all of it. Decides nothing: writer.ts does, by the recovery table.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { OWN_TYPES } from '../format.ts';
import type { Damage, OpenWriterOptions, StoredEvent } from '../types.ts';
import { Examiner } from './examine.ts';
import { lineBefore, readBackwards, readForwards, tipOf } from './scan.ts';

export interface Survey {
  readonly damage: readonly Damage[];
  /** The last line that holds. */
  readonly last: StoredEvent | undefined;
  readonly nextSeq: number;
  /** Of the last opening that was read; undefined if none was. */
  readonly epoch: number | undefined;
  readonly anchored: boolean;
}

export function surveyJournal(handle: FileHandle, { anchor, onEvent }: OpenWriterOptions): Survey {
  const anchorEvent = anchor && lineBefore(handle, anchor.offset);
  const holds = anchor !== undefined && anchorEvent?.seq === anchor.seq && anchorEvent.xxh64 === anchor.xxh64;
  const after = holds ? anchor : undefined;
  const examiner = new Examiner(tipOf(after));
  const damage: Damage[] = [];
  let last = holds ? anchorEvent : undefined;
  let epoch: number | undefined;
  for (const outcome of readForwards(handle, { after, examiner, isBeingWritten: () => false })) {
    if (outcome.kind === 'damage') {
      damage.push(outcome.damage);
      continue;
    }
    last = outcome.event;
    epoch = epochOf(outcome.event) ?? epoch;
    onEvent?.(outcome.event);
  }
  return { damage, last, nextSeq: examiner.nextSeq, epoch, anchored: holds };
}

function epochOf(event: StoredEvent): number | undefined {
  if (event.type === OWN_TYPES.created) return 0;
  if (event.type !== OWN_TYPES.opened) return undefined;
  const { epoch } = event.data;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** Of the last opening that the journal tells of; 0 if it tells of none. */
export function lastEpoch(handle: FileHandle): number {
  for (const outcome of readBackwards(handle, () => false)) {
    const epoch = outcome.kind === 'event' ? epochOf(outcome.event) : undefined;
    if (epoch !== undefined) return epoch;
  }
  return 0;
}
