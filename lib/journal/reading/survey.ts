// What a writer must know of a journal before it adds a line: the last line, the damage, how often it was opened, and
// the idempotency keys. Reads from the anchor on, if that holds, else all of it. writer.ts decides, by the recovery
// table.
import { OWN_TYPES } from '../format.ts';
import type { Damage, OpenWriterOptions, StoredEvent } from '../types.ts';
import { eventsOf } from './outcomes.ts';
import { anchorEvent, eventsBackwards, ForwardReading, type JournalSource } from './scan.ts';

export interface JournalSurvey {
  readonly damage: readonly Damage[];
  /** The last line that holds. */
  readonly last: LastLine | undefined;
  readonly nextSeq: number;
  /** The epoch of the last opening that was read; undefined if none was. */
  readonly epoch: number | undefined;
  readonly anchored: boolean;
}

export type LastLine = Pick<StoredEvent, 'seq' | 'ts' | 'type' | 'xxh64'>;

export async function surveyJournal(
  source: JournalSource,
  { anchor, onEvent }: OpenWriterOptions,
): Promise<JournalSurvey> {
  const anchored = anchor && (await anchorEvent(source, anchor));
  const after = anchored && anchor;
  const reading = new ForwardReading(source, { after, transient: true, isBeingWritten: () => false });
  const damage: Damage[] = [];
  let last: LastLine | undefined = anchored;
  let epoch: number | undefined;
  for await (const batch of reading.batches()) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') {
        damage.push(outcome.damage);
        continue;
      }
      last = outcome.event;
      epoch = epochOf(outcome.event) ?? epoch;
      onEvent?.(outcome.event);
    }
  }
  return { damage, last, nextSeq: reading.examiner.nextSeq, epoch, anchored: after !== undefined };
}

/** Parses only events of the journal about itself. */
function epochOf(event: StoredEvent): number | undefined {
  if (event.type === OWN_TYPES.created) return 0;
  if (event.type !== OWN_TYPES.opened) return undefined;
  const { epoch } = event.data;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** The epoch of the last opening in the journal; 0 if there is none. */
export async function lastEpoch(source: JournalSource): Promise<number> {
  for await (const event of eventsBackwards(source)) {
    const epoch = epochOf(event);
    if (epoch !== undefined) return epoch;
  }
  return 0;
}

/** The files that an event names as belonging to its session. */
export function notedIn({ type, data }: StoredEvent): { readonly archive?: unknown; readonly quarantine?: unknown } {
  switch (type) {
    case OWN_TYPES.created:
      return { archive: (data.previous as { archive?: unknown } | null | undefined)?.archive };
    case OWN_TYPES.repaired:
      return { archive: data.archive };
    case OWN_TYPES.recovered:
      return { quarantine: data.quarantine };
    default:
      return {};
  }
}

/** The event that was stored with an idempotency key. */
export interface KnownEvent {
  readonly seq: number;
  readonly xxh64: string;
  /** Where the next line begins. */
  readonly end: number;
}

/**
 * Every idempotency key in the journal, read at the first append that carries one. The first event that has it counts.
 */
export async function readIds(source: JournalSource): Promise<Map<string, KnownEvent>> {
  const ids = new Map<string, KnownEvent>();
  // Every whole line: the caller is the writer, and nothing of its own is in flight.
  for await (const batch of new ForwardReading(source, { transient: true, isBeingWritten: () => true }).batches()) {
    for (const { id, seq, xxh64, end } of eventsOf(batch)) {
      if (id !== undefined && !ids.has(id)) ids.set(id, { seq, xxh64, end });
    }
  }
  return ids;
}
