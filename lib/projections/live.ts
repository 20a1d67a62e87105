// The RxJS coat: a journal as a stream of events, first the stored ones, then each as it is appended, without a gap and
// without one twice; and a fold as an operator over it. The only file here that imports rxjs.
import { setImmediate } from 'node:timers/promises';
import { defer, map, Observable, type OperatorFunction, type Subscriber } from 'rxjs';
import type { Damage, JournalReader, JournalWriter, Outcome, StoredEvent } from '../journal/types.ts';
import type { Fold } from './projection.ts';
import { createReplayer } from './replayer.ts';

/** What a live journal is made of. */
export interface LiveSource {
  /** Opens the journal for reading; called once for each subscriber. */
  readonly openReader: () => JournalReader;
  /** Who appends to it in this process. Without one the stream ends with what is stored. */
  readonly writer?: Pick<JournalWriter, 'subscribe'> | undefined;
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

/** A journal to subscribe to. */
export interface LiveJournal {
  /** Each subscriber gets all events from the beginning. */
  readonly events$: Observable<StoredEvent>;
}

/** What is read before other work is let in. */
const SLICE_BYTES = 1024 * 1024;

/**
 * A journal to subscribe to.
 *
 * @example
 * const journal = liveJournal({ openReader: () => store.openReader(id), writer });
 * journal.events$.pipe(project(budgetFold)).subscribe((budget) => console.log(usedTokens(budget)));
 */
export function liveJournal(source: LiveSource): LiveJournal {
  return { events$: events$(source) };
}

/**
 * Stored events, then live ones.
 *
 * @example
 * events$({ openReader: () => store.openReader(id) }).subscribe(({ seq, type }) => console.log(seq, type));
 */
export function events$({ openReader, writer, onDamage }: LiveSource): Observable<StoredEvent> {
  return new Observable((subscriber) => {
    const waiting: StoredEvent[] = [];
    let last = -1;
    let caughtUp = false;
    const show = (event: StoredEvent): void => {
      if (event.seq <= last) return;
      last = event.seq;
      subscriber.next(event);
    };
    const reader = openReader();
    // Listens before it reads: what is appended meanwhile waits, and what is then read as well is left out.
    const stopListening = writer?.subscribe((events) => {
      if (caughtUp) for (const event of events) show(event);
      else waiting.push(...events);
    });
    readAll(reader, subscriber, { show, onDamage }).then(
      () => {
        for (const event of waiting.splice(0)) show(event);
        caughtUp = true;
        if (writer === undefined) subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return stopListening;
  });
}

async function readAll(
  reader: JournalReader,
  subscriber: Subscriber<StoredEvent>,
  { show, onDamage }: { show: (event: StoredEvent) => void; onDamage: LiveSource['onDamage'] },
): Promise<void> {
  let sliceEnd = SLICE_BYTES;
  try {
    for (const outcome of reader.outcomes()) {
      if (subscriber.closed) return;
      if (outcome.kind === 'damage') {
        onDamage?.(outcome.damage);
        continue;
      }
      show(outcome.event);
      if (outcome.event.end < sliceEnd) continue;
      sliceEnd = outcome.event.end + SLICE_BYTES;
      await setImmediate();
    }
  } finally {
    reader.close();
  }
}

/**
 * The state of a fold after each event. It is one object that changes: read it, and do not keep it.
 *
 * @example
 * journal.events$.pipe(project(summaryFold)).subscribe(({ messageCount }) => console.log(messageCount));
 */
export function project<State>(fold: Fold<State>): OperatorFunction<StoredEvent, State> {
  return (events) =>
    defer(() => {
      const replayer = createReplayer({ state: fold });
      return events.pipe(
        map((event) => {
          replayer.see(event);
          return replayer.states.state as State;
        }),
      );
    });
}

/**
 * Outcomes of a journal that another process writes, as they come. Ends with `signal`, or with its last subscriber.
 *
 * @example
 * watch$(store.openReader(id)).subscribe((outcome) => console.log(outcome.kind));
 */
export function watch$(reader: JournalReader, signal?: AbortSignal): Observable<Outcome> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const signals = signal === undefined ? [unsubscribed.signal] : [signal, unsubscribed.signal];
    const follow = async (): Promise<void> => {
      for await (const outcome of reader.follow({ signal: AbortSignal.any(signals) })) subscriber.next(outcome);
    };
    follow().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => unsubscribed.abort();
  });
}
