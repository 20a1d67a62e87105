// `ollm tail ID`: the last events of a session, and those to come. Reads backwards from the end, so it costs the same
// for a journal of any length. Takes no lock: a live session goes on beside it.
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
  const opened = follow ? app.store.openReader(id) : await openForReading(app, id);
  // Of an encrypted session the envelopes are shown: nobody is asked for a key here.
  const reader = (await opened.sealed()) ?? opened;
  try {
    const isWanted = await typeFilter(types);
    const end = yield* lines === Number.POSITIVE_INFINITY
      ? everything(reader, isWanted, signal)
      : lastOutcomes(reader, isWanted, { count: lines, signal });
    if (!follow) return;
    for await (const batch of reader.follow({ after: end, signal })) yield* batch.filter(isWanted);
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

/** Yields what there is and returns the place behind it, to follow from there. */
async function* everything(
  reader: JournalReader,
  isWanted: Filter,
  signal: AbortSignal,
): AsyncGenerator<Outcome, Anchor | undefined, void> {
  let end: Anchor | undefined;
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'event') end = outcome.event.position;
      if (isWanted(outcome)) yield outcome;
    }
  }
  return end;
}

async function* lastOutcomes(
  reader: JournalReader,
  isWanted: Filter,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
): AsyncGenerator<Outcome, Anchor | undefined, void> {
  let end: Anchor | undefined;
  let left = count;
  const found: Outcome[] = [];
  for await (const batch of reader.backwards({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'event') end ??= outcome.event.position;
      if (left === 0) break;
      if (!isWanted(outcome)) continue;
      found.push(outcome);
      if (outcome.kind === 'event') left -= 1;
    }
    if (left === 0) break;
  }
  yield* found.reverse();
  return end;
}
