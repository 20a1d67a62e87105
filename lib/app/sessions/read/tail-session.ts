// `ollm tail ID`: the last events of a session, and those to come. Reads a journal backwards from its end, so that it
// costs the same for one of any length. Takes no lock: a live session continues meanwhile.
import { OllmError } from '../../../errors/index.ts';
import { everyOutcome } from '../../../journal/reading/outcomes.ts';
import type {
  Batches,
  EventReader,
  JournalReader,
  Outcome,
  ReadOptions,
  SessionEvent,
  StoredEvent,
} from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import type { FoundConversation, FoundSession } from '../../find/found.ts';

interface TailRequest {
  /** How many events; Infinity: from the beginning. */
  readonly lines: number;
  /** Globs on the type, such as `tool.*`; none: all. */
  readonly types?: readonly string[] | undefined;
  /** Continue with appended events until `signal` ends it. */
  readonly follow?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Events and damage in the order of the journal. Damage in the read part is always reported, for any `types`.
 */
export async function* tailSession(
  app: App,
  found: FoundConversation,
  request: TailRequest,
): AsyncGenerator<Outcome<StoredEvent | SessionEvent>, void, void> {
  // Nothing is added to an earlier journal.
  const isOver = found.kind === 'own' && found.archive !== undefined;
  const how = isOver ? { ...request, follow: false } : request;
  using reader = found.kind === 'foreign' ? await found.open() : await openJournal(app, found, how);
  yield* tailConversation(reader, how);
}

async function openJournal(
  { store }: App,
  { id, open }: FoundSession,
  { follow }: TailRequest,
): Promise<JournalReader> {
  // A followed session may still get its first line.
  const opened = follow ? store.openReader(id) : await open();
  // The envelopes of an encrypted session are shown: `tail` never asks for a key.
  return (await opened.sealed()) ?? opened;
}

/** A conversation that may be readable from its end, as a journal is. */
interface TailReader<Event extends SessionEvent> extends EventReader<Event> {
  backwards?(options: Pick<ReadOptions, 'signal'>): Batches<Event>;
}

/** Tails any conversation. One that cannot be read from its end is read from its beginning. */
export async function* tailConversation<Event extends SessionEvent>(
  reader: TailReader<Event>,
  { lines, types, follow, signal }: TailRequest,
): AsyncGenerator<Outcome<Event>, void, void> {
  const isWanted = await typeFilter(types);
  const isEverything = lines === Number.POSITIVE_INFINITY;
  const end = yield* !isEverything && reader.backwards
    ? lastFromTheEnd(reader.backwards({ signal }), isWanted, lines)
    : lastFromTheBeginning(reader.outcomes({ signal }), isWanted, lines);
  if (!follow) return;
  for await (const batch of reader.follow({ after: end, signal })) yield* batch.filter(isWanted);
}

type Filter = (outcome: Outcome<SessionEvent>) => boolean;
/** Yields outcomes and returns the place after the last one, to follow from there. */
type Tail<Event extends SessionEvent> = AsyncGenerator<Outcome<Event>, Event['position'] | undefined, void>;

async function typeFilter(types: readonly string[] = []): Promise<Filter> {
  if (types.length === 0) return () => true;
  const { default: micromatch } = await import('micromatch');
  const tooLong = types.find((glob) => glob.length > 200);
  if (tooLong) throw new OllmError('USAGE', `The pattern ${tooLong.slice(0, 40)}… is longer than 200 characters.`);
  return (outcome) => outcome.kind === 'damage' || micromatch.isMatch(outcome.event.type, [...types]);
}

async function* lastFromTheBeginning<Event extends SessionEvent>(
  batches: Batches<Event>,
  isWanted: Filter,
  count: number,
): Tail<Event> {
  let end: Event['position'] | undefined;
  const held: Outcome<Event>[] = [];
  let heldEvents = 0;
  for await (const batch of batches) {
    for (const outcome of batch) {
      if (outcome.kind === 'event') end = outcome.event.position;
      if (!isWanted(outcome)) continue;
      if (count === Number.POSITIVE_INFINITY) {
        yield outcome;
        continue;
      }
      held.push(outcome);
      if (outcome.kind === 'event') heldEvents += 1;
      // Damage before the first event that is shown is not shown either.
      while (heldEvents > count || (held[0]?.kind === 'damage' && heldEvents === count)) {
        if (held.shift()?.kind === 'event') heldEvents -= 1;
      }
    }
  }
  yield* held;
  return end;
}

async function* lastFromTheEnd<Event extends SessionEvent>(
  batches: Batches<Event>,
  isWanted: Filter,
  count: number,
): Tail<Event> {
  let end: Event['position'] | undefined;
  let left = count;
  const found: Outcome<Event>[] = [];
  await everyOutcome(batches, (outcome) => {
    if (outcome.kind === 'event') end ??= outcome.event.position;
    if (left === 0) return false;
    if (isWanted(outcome)) {
      found.push(outcome);
      if (outcome.kind === 'event') left -= 1;
    }
    return true;
  });
  yield* found.reverse();
  return end;
}
