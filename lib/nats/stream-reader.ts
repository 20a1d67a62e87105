// Reads one journal on the server. Each reading has a window of its own, and goes to the end as it is when the reading
// begins. A message is there whole or not at all, so that no line is ever in the middle of being written.
import { FollowerPlace } from '../journal/reading/follow.ts';
import { readerGuard } from '../journal/reading/reader.ts';
import {
  anchorEvent,
  ForwardReading,
  inBatches,
  type JournalSource,
  placeBefore,
  readBackwards,
  readFirst,
} from '../journal/reading/scan.ts';
import { verifyJournal } from '../journal/reading/verify.ts';
import { notFound } from '../journal/refusals.ts';
import type { Anchor, Batches, JournalReader, Outcome, ReadOptions } from '../journal/types.ts';
import type { Log } from '../platform/log.ts';
import { waitFor } from '../platform/waiting.ts';
import type { NatsSession } from './connection.ts';
import { holderOf } from './lease.ts';
import { readRecord } from './record.ts';
import { type StreamSource, sourceOf } from './stream-source.ts';

/** A follower looks so often whether another generation took the place of the one that it reads. */
const LOOK_EACH_MS = 1_000;

interface StreamReaderOptions {
  readonly id: string;
  readonly path: string;
  /** The name of an earlier journal of the session, which no process writes. */
  readonly archive?: string | undefined;
  readonly log: Log;
  readonly session: () => Promise<NatsSession>;
}

const NO_BYTES: JournalSource = { read: () => 0, stat: () => ({ size: 0 }) };

export function openStreamReader(options: StreamReaderOptions): JournalReader {
  const { id, path } = options;
  const guard = readerGuard(options);
  /** The generation that this reader reads, as a file that is open stays the same. */
  let pinned: Promise<{ session: NatsSession; subject: string }> | undefined;
  const place = () => {
    pinned ??= placeOf(options);
    return pinned;
  };

  async function reading<Result>(work: (source: JournalSource) => Promise<Result>): Promise<Result> {
    guard.requireOpen();
    const { session, subject } = await place();
    const source = await sourceOf(session, subject);
    try {
      return await work(source ?? NO_BYTES);
    } finally {
      source?.close();
    }
  }

  async function* batches(
    read: (source: JournalSource) => AsyncGenerator<Outcome[], void, void>,
    signal: AbortSignal | undefined,
  ): Batches {
    signal?.throwIfAborted();
    guard.requireOpen();
    const { session, subject } = await place();
    const source = await sourceOf(session, subject);
    try {
      yield* guard.batches(() => read(source ?? NO_BYTES), signal);
    } finally {
      source?.close();
    }
  }

  const isBeingWritten = () => false;
  return {
    id,
    path,
    size: () => reading(async (source) => source.stat().size),
    holds: (anchor) => reading(async (source) => (await anchorEvent(source, anchor)) !== undefined),
    lastSeq: async () => undefined,
    placeBefore: (seq) => reading((source) => placeBefore(source, seq)),
    isBeingWritten: async () =>
      options.archive === undefined && (await holderOf(await options.session(), id)) !== undefined,
    sealed: async () => undefined,
    first: () => reading(readFirst),
    outcomes: ({ after, signal } = {}) =>
      batches((source) => new ForwardReading(source, { after, isBeingWritten }).batches(), signal),
    backwards: ({ signal } = {}) =>
      batches((source) => inBatches(source, readBackwards(source, isBeingWritten)), signal),
    follow: (how) => follow(options, how),
    async verify({ onDamage, signal } = {}) {
      signal?.throwIfAborted();
      return reading((source) => verifyJournal(source, { isBeingWritten, onDamage, pause: () => guard.pause(signal) }));
    },
    close: () => guard.close(),
    [Symbol.dispose]: () => guard.close(),
  };
}

/** @throws OllmError SESSION_NOT_FOUND */
async function placeOf({
  id,
  path,
  archive,
  session: open,
}: StreamReaderOptions): Promise<{ session: NatsSession; subject: string }> {
  const session = await open();
  const { live, archived } = (await readRecord(session, id)).record;
  const generation = archive === undefined ? live : archived.find(({ name }) => name === archive)?.generation;
  if (generation === undefined) throw notFound({ id, path });
  return { session, subject: session.layout.subject(id, generation) };
}

async function* follow(
  options: StreamReaderOptions,
  { after, signal }: ReadOptions<Anchor> & { readonly signal: AbortSignal },
): Batches {
  const { id, log } = options;
  let { session, subject } = await placeOf(options);
  let place = new FollowerPlace(after);
  let wake = () => {};
  // A signal that something came; the stream has the message.
  const listen = () => session.connection.subscribe(subject, { callback: () => wake() });
  let subscription = listen();
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const source = await sourceOf(session, subject);
      if (source) {
        try {
          yield* newOutcomes(source, place, signal);
        } finally {
          source.close();
        }
      }
      if (signal.aborted) return;
      const waited = await waitFor(woken, { signal, timeoutMs: LOOK_EACH_MS });
      if (waited.kind !== 'timeout' || options.archive !== undefined) continue;
      const { live } = (await readRecord(session, id)).record;
      if (live === undefined || session.layout.subject(id, live) === subject) continue;
      log.info({ service: 'journal', operation: 'follow', id }, 'Another generation took its place.');
      subscription.unsubscribe();
      subject = session.layout.subject(id, live);
      subscription = listen();
      const replacement = await sourceOf(session, subject);
      place = await place.newestThatHolds(replacement ?? NO_BYTES);
      replacement?.close();
    }
  } finally {
    subscription.unsubscribe();
  }
}

async function* newOutcomes(source: StreamSource, place: FollowerPlace, signal: AbortSignal): Batches {
  for await (const batch of inBatches(source, place.advance(source.stat().size))) {
    if (batch.length > 0) yield batch;
    if (signal.aborted) return;
  }
}
