// What must be known of a journal before a line is added to it: its last line, what is wrong in it, how often it was
// opened. Reads from the anchor on, if that holds, else all of it. Decides nothing: writer.ts does, by the recovery table.
import type { FileHandle } from '../../platform/files/file-system.ts';
import { OWN_TYPES } from '../format.ts';
import type { Damage, OpenWriterOptions, StoredEvent } from '../types.ts';
import { ForwardReading, lineBefore, readBackwards } from './scan.ts';

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
  const reading = new ForwardReading(handle, { after, transient: true, isBeingWritten: () => false });
  const damage: Damage[] = [];
  let last: LastLine | undefined = holds ? anchorEvent : undefined;
  let epoch: number | undefined;
  for (let outcomes = reading.next(); outcomes !== undefined; outcomes = reading.next()) {
    for (const outcome of outcomes) {
      if (outcome.kind === 'damage') {
        damage.push(outcome.damage);
        continue;
      }
      last = outcome.event;
      epoch = epochOf(outcome.event) ?? epoch;
      onEvent?.(outcome.event);
    }
  }
  return { damage, last, nextSeq: reading.examiner.nextSeq, epoch, anchored: holds };
}

/** Only what the journal says of itself is parsed. */
function epochOf(event: StoredEvent): number | undefined {
  if (event.type === OWN_TYPES.created) return 0;
  if (event.type !== OWN_TYPES.opened) return undefined;
  const { epoch } = event.data;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** Of the last opening in the journal; 0 if there is none. */
export function lastEpoch(handle: FileHandle): number {
  for (const outcome of readBackwards(handle, () => false)) {
    const epoch = outcome.kind === 'event' ? epochOf(outcome.event) : undefined;
    if (epoch !== undefined) return epoch;
  }
  return 0;
}
