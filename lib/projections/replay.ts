// Replays a conversation into states: all of it, the rest after saved states, or up to any past event. One loop: each
// outcome, and for each event the folds that read its type. Damage is counted and skipped.
import { checkArguments } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { Damage, EventReader, Outcome, SessionEvent } from '../journal/types.ts';
import { createReplayer, type Folds, type Replayed, type ReplayerOptions } from './replayer.ts';

/** A place in the past: the event of this number, or the last one that is not later than a time (RFC 3339). */
export type ReplayPoint = { readonly seq: number } | { readonly time: string };

/** How far a replay goes, and where it starts. */
export interface ReplayOptions<Some extends Folds, Event extends SessionEvent = SessionEvent>
  extends ReplayerOptions<Some, Event> {
  /** The last event that counts. Default: the last one of the journal. */
  readonly at?: ReplayPoint | undefined;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
  /** An abort ends the replay with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The states after the events of a conversation. Other work runs between two batches of them.
 *
 * @example
 * const { states, counts } = await replay(reader, { view: viewFold, budget: budgetFold }, { at: { seq: 41 } });
 * @throws OllmError SEQ_NOT_FOUND if the session has no event at this place, USAGE if a time cannot be read
 */
export async function replay<Some extends Folds, Event extends SessionEvent>(
  reader: Pick<EventReader<Event>, 'id' | 'outcomes'>,
  folds: Some,
  how: ReplayOptions<Some, Event> = {},
): Promise<Replayed<Some, Event['position']>> {
  checkArguments('replay', { reader: 'EventReader', folds: 'object', options: 'object' }, [reader, folds, how]);
  const table = Object.fromEntries(Object.keys(folds).map((name) => [name, 'Fold'] as const));
  checkArguments('replay', table, Object.values(folds));
  const { at, signal, onDamage, ...options } = how;
  const isPast = at === undefined ? undefined : pastOf(at);
  const replayer = createReplayer(folds, options);
  /** False for an event after the last one that counts. */
  const see = (outcome: Outcome<Event>): boolean => {
    if (outcome.kind === 'damage') {
      replayer.seeDamage();
      onDamage?.(outcome.damage);
    } else if (isPast?.(outcome.event)) {
      return false;
    } else {
      replayer.see(outcome.event);
    }
    return true;
  };
  const isBehind = !(await everyOutcome(reader.outcomes({ after: options.from?.position, signal }), see));
  const { states, lastSeq, position, format, counts } = replayer;
  if (at !== undefined) checkPoint(reader.id, at, lastSeq, isBehind);
  return { states, lastSeq, position, format, counts };
}

function pastOf(at: ReplayPoint): (event: SessionEvent) => boolean {
  if (typeof at !== 'object' || at === null || !('seq' in at || 'time' in at)) {
    throw new OllmError('USAGE', 'A point of a replay has a seq or a time.', {
      hint: 'Write { seq: 41 }, for example.',
    });
  }
  if ('seq' in at) return ({ seq }) => seq > at.seq;
  const ms = Date.parse(at.time);
  if (Number.isNaN(ms)) {
    throw new OllmError('USAGE', `“${at.time}” is not a time.`, { hint: 'Write it like 2026-11-21T20:49:00Z.' });
  }
  // Every ts has this form, so that the order of texts is the order of times.
  const last = new Date(ms).toISOString();
  return ({ ts }) => ts > last;
}

/** An event that damage destroyed is a place as well, where later events exist. */
function checkPoint(id: string, at: ReplayPoint, last: number, isBehind: boolean): void {
  const hint = `"ollm tail ${id}" shows what there is.`;
  if ('time' in at) {
    if (last < 0) throw new OllmError('SEQ_NOT_FOUND', `Session ${id} begins after ${at.time}.`, { hint });
    return;
  }
  if (Number.isInteger(at.seq) && at.seq >= 0 && (isBehind || last === at.seq)) return;
  throw new OllmError('SEQ_NOT_FOUND', `Session ${id} has no event ${at.seq}: its last one is ${last}.`, {
    hint,
    data: { seq: at.seq, last },
  });
}
