// `ollm tail ID`: the last events of a session, and those to come. Reads backwards from the end, so it costs the same for
// a journal of any length. Takes no lock: a live session goes on beside it.
import { OllmError } from '../../errors/index.ts';
import type { Anchor, JournalReader, Outcome } from '../../journal/types.ts';
import type { App } from '../app.ts';
import { openForReading } from './open-for-reading.ts';
import { resolveId } from './resolve-id.ts';

export interface TailRequest {
  /** How many events; Infinity: from the beginning. */
  readonly lines: number;
  /** Globs on the type, such as `tool.*`; none: all. */
  readonly types?: readonly string[] | undefined;
  /** Go on with what is appended until `signal` ends it. */
  readonly follow?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Events and damage in the order of the journal. Damage among what is read is always told, whatever `types` says. */
export async function* tailSession(
  app: App,
  reference: string,
  { lines, types, follow, signal }: TailRequest,
): AsyncGenerator<Outcome, void, void> {
  const id = await resolveId(app, reference);
  // One that is followed may get its first line yet.
  const opened = follow ? app.store.openReader(id) : openForReading(app, id);
  // Of an encrypted session the envelopes are shown: nobody is asked for a key here.
  const reader = opened.sealed ?? opened;
  try {
    const isWanted = await typeFilter(types);
    const end = yield* lines === Number.POSITIVE_INFINITY
      ? everything(reader, isWanted, signal)
      : lastOutcomes(reader, lines, isWanted);
    if (!follow) return;
    for await (const outcome of reader.follow({ after: end, signal })) if (isWanted(outcome)) yield outcome;
  } finally {
    reader.close();
  }
}

type Filter = (outcome: Outcome) => boolean;

async function typeFilter(types: readonly string[] = []): Promise<Filter> {
  if (types.length === 0) return () => true;
  const { default: micromatch } = await import('micromatch');
  const tooLong = types.find((glob) => glob.length > 200);
  if (tooLong) throw new OllmError('USAGE', `The pattern ${tooLong.slice(0, 40)}… is longer than 200 characters.`);
  return (outcome) => outcome.kind === 'damage' || micromatch.isMatch(outcome.event.type, [...types]);
}

/** Yields what there is and returns the last line, to follow from there. */
function* everything(
  reader: JournalReader,
  isWanted: Filter,
  signal: AbortSignal,
): Generator<Outcome, Anchor | undefined, void> {
  let end: Anchor | undefined;
  for (const outcome of reader.outcomes()) {
    if (signal.aborted) break;
    if (outcome.kind === 'event') end = anchorOf(outcome);
    if (isWanted(outcome)) yield outcome;
  }
  return end;
}

function* lastOutcomes(
  reader: JournalReader,
  count: number,
  isWanted: Filter,
): Generator<Outcome, Anchor | undefined, void> {
  let end: Anchor | undefined;
  let events = 0;
  const found: Outcome[] = [];
  for (const outcome of reader.backwards()) {
    if (outcome.kind === 'event') end ??= anchorOf(outcome);
    if (events >= count) break;
    if (!isWanted(outcome)) continue;
    found.push(outcome);
    if (outcome.kind === 'event') events += 1;
  }
  yield* found.reverse();
  return end;
}

function anchorOf({ event }: Outcome & { kind: 'event' }): Anchor {
  return { seq: event.seq, offset: event.end, xxh64: event.xxh64 };
}
